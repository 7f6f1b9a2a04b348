// Warehouses of every layout there was, opened and carried on by this version.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { copyBeforeMigration } from "../../src/load/Warehouse.ts"
import { expectTruth, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { query, runOnce } from "../support/warehouseRun.ts"

const folder = join(import.meta.dirname, "..", "fixtures", "warehouses")
const layouts = readdirSync(folder).filter((file) => file.endsWith(".duckdb.gz"))

const histories = ["ratio_history", "pnl_history", "apy_history", "allocation_history"]

/** Keys, values and origin of what the older version stored, in the columns it had. */
const stored = async (file: string): Promise<ReadonlyArray<unknown>> => {
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" })
  try {
    const connection = await instance.connect()
    const counts: Array<unknown> = []
    for (const name of histories.flatMap((table) => [table, `${table}_versions`])) {
      const result = await connection.runAndReadAll(
        `select '${name}' as name, count(*)::double as rows, max(_updated_at)::varchar as updated,
           min(_first_seen_at)::varchar as seen
         from core.${name} where _run_id in (select run_id from ops.runs order by run_id limit 2)`,
      )
      counts.push(...result.getRowObjectsJson())
    }
    return counts
  } finally {
    instance.closeSync()
  }
}

describe("a warehouse of an earlier layout", () => {
  it("there is one of each released layout", () => {
    expect(layouts).toContain("0.1.0-histories.duckdb.gz")
  })

  it.live.each(layouts)("%s is carried on without a row lost, and kept as it was", (layout) =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const file = join(dataDir, "vaulthouse.duckdb")
      writeFileSync(file, gunzipSync(readFileSync(join(folder, layout))))
      const before = yield* Effect.promise(() => stored(file))
      const simulator = yield* simulated({
        vaults: 2,
        days: 12,
        now: "2026-06-01T00:00:00Z",
      })
      simulator.patch({ revision: 1, now: "2026-06-01T05:00:00Z" })
      simulator.patch({ now: "2026-06-03T00:00:00Z" })
      const { summary } = yield* runOnce(simulator.url, dataDir)
      expect(summary.outcome).toBe("complete")
      // New hours came, and what was there stayed as it was.
      yield* expectTruth(simulator, dataDir)
      expect(yield* Effect.promise(() => stored(file))).toEqual(before)
      const [runs] = yield* query(dataDir, "select count(*) as n from ops.runs")
      expect(Number(runs?.["n"])).toBe(3)

      // What its tasks asked for is in columns now, read from what that version wrote.
      const untold = yield* query(
        dataDir,
        `select distinct pipeline, "window", covers_from::varchar as covers_from, covers_to::varchar as covers_to
         from ops.tasks
         where run_id in (select run_id from ops.runs order by run_id limit 2)
           and pipeline in ('${histories.join("', '")}') and outcome in ('loaded', 'unchanged', 'empty')
           and (covers_to is null or series is null or vault_address not in (select vault_address from core.vaults)
             or ("window" like '2%..%' and "window" <> covers_from || '..' || covers_to)
             or (("window" like '..%' or "window" like 'newest%' or "window" like '%full') <> (covers_from is null)))`,
      )
      expect(untold).toEqual([])
      const [kinds] = yield* query(
        dataDir,
        `select count(distinct series) as series, count(distinct regexp_replace("window", '[0-9]+', '', 'g')) as windows
         from ops.tasks where run_id in (select run_id from ops.runs order by run_id limit 2)
           and series is not null`,
      )
      expect(Number(kinds?.["series"])).toBe(5)
      expect(Number(kinds?.["windows"])).toBeGreaterThan(3)

      const copy = copyBeforeMigration(dataDir)
      expect(existsSync(copy)).toBe(true)
      expect(yield* Effect.promise(() => stored(copy))).toEqual(before)
      // It opens from then on without another copy.
      writeFileSync(copy, "")
      yield* runOnce(simulator.url, dataDir)
      expect(readFileSync(copy, "utf8")).toBe("")
    }),
  )
})
