// This version opens and continues warehouses of every released layout.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layoutWorld } from "../support/layoutWorld.ts"
import { expectTruth, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { query, runOnce } from "../support/warehouseRun.ts"

const folder = join(import.meta.dirname, "..", "fixtures", "warehouses")
const layouts = readdirSync(folder).filter((file) => file.endsWith(".duckdb.gz"))

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

describe("a warehouse of a released layout", () => {
  it("is there", () => {
    expect(layouts.length).toBeGreaterThan(0)
  })

  it.live.each(layouts)("%s is carried on without a row lost", (layout) =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      writeFileSync(
        join(dataDir, "vaulthouse.duckdb"),
        gunzipSync(readFileSync(join(folder, layout))),
      )
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
    }),
  )
})
