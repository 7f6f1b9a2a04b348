// A commit of a lake in a folder names no file that a power cut could take: DuckDB flushes none that it writes there.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBConnection } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ducklake } from "../../src/load/storage/lake/ducklake.ts"
import { maintainLake } from "../../src/load/storage/lake/maintainLake.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { commit, reading, readingsBatch, sampleTables } from "../load/sample.ts"
import { FlushedDisk } from "../support/disk/flushedDisk.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { lake, lakeOf, newLake } from "./lake.ts"

type Run = (
  this: DuckDBConnection,
  ...args: Parameters<DuckDBConnection["run"]>
) => ReturnType<DuckDBConnection["run"]>

const beforeCommits = (work: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const prototype = DuckDBConnection.prototype as { run: Run }
      const { run } = prototype
      prototype.run = function watched(...args) {
        if (args[0] === "COMMIT") work()
        return run.apply(this, args)
      }
      return run
    }),
    (run) =>
      Effect.sync(() => {
        DuckDBConnection.prototype.run = run
      }),
  )

// More than a commit leaves in PostgreSQL.
const HOURS = 300

describe.skipIf(lake === undefined)("when the power fails", () => {
  it.live("a lake in a folder has the files of all commits, and of its maintenance", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const disk = yield* FlushedDisk.watched
      const counts: Array<number> = []
      const lost = new Set<string>()
      yield* beforeCommits(() => {
        const files = readdirSync(shared.data, { recursive: true, encoding: "utf8" }).filter(
          (file) => /\.(parquet|kept)$/.test(file),
        )
        counts.push(files.length)
        for (const file of files) {
          const content = readFileSync(join(shared.data, file))
          if (disk.left(shared.data, file)?.equals(content) !== true) lost.add(file)
        }
      })
      const readings = (first: number, hours: number, value: number) =>
        commit(
          readingsBatch(Array.from({ length: hours }, (_, at) => reading("v", first + at, value))),
        )
      yield* Effect.gen(function* () {
        // New rows, revised ones, which are deleted and have versions, and one that stays in PostgreSQL until the maintenance.
        yield* readings(0, HOURS, 1)
        yield* readings(HOURS, HOURS, 1)
        yield* readings(0, HOURS / 2, 2)
        yield* readings(2 * HOURS, 1, 1)
        const written = counts.at(-1) ?? 0
        expect(written).toBeGreaterThanOrEqual(4)
        const { exclusively } = yield* Warehouse
        yield* exclusively("Maintaining", (session) => maintainLake(session, 7, "/none"))
        expect(counts.at(-1)).toBeGreaterThan(written)
      }).pipe(
        Effect.provide(
          Warehouse.layer({
            dataDir: yield* temporaryFolder,
            tables: sampleTables,
            runId: "writer",
            storage: ducklake(lakeOf(shared)),
          }),
        ),
      )
      expect([...lost]).toEqual([])
    }).pipe(Effect.scoped),
  )
})
