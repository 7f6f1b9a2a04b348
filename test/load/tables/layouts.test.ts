// This version opens and continues the data directories of every released version.
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { compareWithArchive } from "../../../src/pipelines/archive/replay.ts"
import { version } from "../../../src/cli/execute/version.ts"
import { storedTables } from "../../../src/domain/table/table.ts"
import { fingerprint } from "../../../src/domain/values/fingerprint.ts"
import { createSchemas, createTable } from "../../../src/load/tables/ddl.ts"
import { LAYOUT_NUMBER } from "../../../src/load/tables/warehouseLayout.ts"
import { tables } from "../../../src/pipelines/pipelines.ts"
import { marts } from "../../../src/load/marts/marts.ts"
import { currentFiles } from "../../../src/load/published/parquet/parquetFolder.ts"
import { publishedFile } from "../../../src/load/published/read/PublishedCopy.ts"
import { publishAnyway } from "../../../src/pipelines/publication/publish.ts"
import { layoutWorld } from "../../support/layouts/layoutWorld.ts"
import { expectTruth, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, queryFile, runOnce } from "../../support/warehouseRun.ts"

const folder = join(import.meta.dirname, "../..", "fixtures", "warehouses")
const layouts = readdirSync(folder).filter((file) => file.endsWith(".gz"))

const ofEarlierVersions = layouts.filter((file) => !file.startsWith(`${version}.`))

const histories = ["ratio_history", "pnl_history", "apy_history", "allocation_history"]

/** Counts and times of the rows that the older version's runs wrote. */
const stored = (dataDir: string) =>
  query(
    dataDir,
    histories
      .flatMap((table) => [table, `${table}_versions`])
      .map(
        (name) =>
          `select '${name}' as name, count(*)::integer as rows, max(_updated_at) as updated, min(_first_seen_at) as seen
           from core.${name} where _run_id in (select run_id from ops.runs order by run_id limit 2)`,
      )
      .join(" union all "),
  )

const ofLayout = (layout: string) =>
  Effect.tap(temporaryFolder, (dataDir) =>
    Effect.sync(() => {
      const file = join(folder, layout)
      // Of the warehouse before the first release there is the database alone.
      if (layout.endsWith(".duckdb.gz"))
        writeFileSync(join(dataDir, "vaulthouse.duckdb"), gunzipSync(readFileSync(file)))
      else execFileSync("tar", ["--extract", `--file=${file}`, "--no-same-owner"], { cwd: dataDir })
    }),
  )

// A new column, too, needs a new number: an older version would leave it empty, and nobody would know which rows it wrote.
it("the layout is the one that is recorded for its number", () => {
  const structure = fingerprint(
    ...createSchemas,
    ...tables.flatMap(storedTables).map(createTable).toSorted(),
  )
  const recorded = JSON.parse(readFileSync(join(folder, "layouts.json"), "utf8")) as Readonly<
    Record<string, string>
  >
  expect(
    structure,
    `tables or columns have changed: raise LAYOUT_NUMBER, and record this under the new number in ${folder}/layouts.json`,
  ).toBe(recorded[String(LAYOUT_NUMBER)])
})

describe("a warehouse of a released layout", () => {
  it("is there", () => {
    expect(layouts.length).toBeGreaterThan(0)
  })

  it.live.each(layouts)("%s is carried on without a row lost", (layout) =>
    Effect.gen(function* () {
      const dataDir = yield* ofLayout(layout)
      const before = yield* stored(dataDir)
      const simulator = yield* simulated(layoutWorld)
      simulator.patch({ revision: 1, now: "2026-06-01T05:00:00Z" })
      simulator.patch({ now: "2026-06-03T00:00:00Z" })
      const { summary } = yield* runOnce(simulator.url, dataDir)
      expect(summary.outcome).toBe("complete")
      // New hours were added, and stored rows stayed as they were.
      yield* expectTruth(simulator, dataDir)
      expect(yield* stored(dataDir)).toEqual(before)
      expect(yield* query(dataDir, "select run_id from ops.runs")).toHaveLength(3)
      if (layout.endsWith(".duckdb.gz")) return
      const compared = yield* compareWithArchive({
        dataDir,
        timeFields: defaultTimeFields,
        onResponse: () => undefined,
      })
      expect(compared.tables.filter(({ isSame }) => !isSame)).toEqual([])
      expect([...compared.lost, ...compared.unreadable]).toEqual([])
    }),
  )

  // Of this version's own, other tests publish enough.
  it.live.each(ofEarlierVersions)("%s is published as this version defines it", (layout) =>
    Effect.gen(function* () {
      const dataDir = yield* ofLayout(layout)
      yield* publishAnyway({
        dataDir,
        rebuildAll: false,
        parquet: { marts: true },
      })
      const [found] = yield* queryFile(
        publishedFile(dataDir),
        "select count(*)::integer as marts from duckdb_views() where schema_name = 'mart'",
      )
      expect(found).toEqual({ marts: marts.length })
      const files = yield* Effect.promise(() => currentFiles(dataDir))
      expect(files.some((file) => file.startsWith("mart/vault_hourly/"))).toBe(true)
    }),
  )
})
