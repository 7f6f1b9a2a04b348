// A commit whose connection is lost after COMMIT and before its acknowledgement: it is found, and counted once.
import { connect, createServer, type AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sharedPostgres } from "../support/servers/postgres.ts"
import { ducklake } from "../../src/load/storage/lake/ducklake.ts"
import { claimTasks, planClaims } from "../../src/pipelines/workers/claims.ts"
import { openRun } from "../../src/pipelines/workers/sharedRun.ts"
import { WorkDatabase } from "../../src/load/work/WorkDatabase.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import {
  batchOf,
  commitTogether,
  indexRows,
  reading,
  readingsBatch,
  rows,
  sampleTables,
} from "../load/sample.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { lake, lakeOf, newLake } from "./lake.ts"

/** Between DuckDB and PostgreSQL: passes everything on but the acknowledgements of commits, of which it loses `toLose`. */
const losingConnections = Effect.acquireRelease(
  Effect.promise(async () => {
    const state = { toLose: 0 }
    const server = createServer((client) => {
      const postgres = connect(sharedPostgres().port, "127.0.0.1")
      // Of DuckLake's transactions, not of those that only hold the writers' turn.
      let isWriting = false
      const end = (): void => {
        client.destroy()
        postgres.destroy()
      }
      client.on("data", (chunk) => {
        isWriting ||= chunk.includes("INSERT INTO") && chunk.includes("ducklake_snapshot")
        postgres.write(chunk)
      })
      postgres.on("data", (chunk) => {
        const isCommitted = isWriting && chunk.includes("COMMIT\0")
        if (isCommitted && state.toLose > 0) {
          state.toLose -= 1
          return end()
        }
        client.write(chunk)
      })
      for (const socket of [client, postgres]) socket.on("error", end).on("close", end)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { state, port: (server.address() as AddressInfo).port, server }
  }),
  ({ server }) => Effect.sync(() => server.close()),
)

describe.skipIf(lake === undefined)("a commit whose acknowledgement is lost", () => {
  it.live("is not repeated, alone or with others", () =>
    Effect.gen(function* () {
      const { state, port } = yield* losingConnections
      const { catalog, data } = yield* newLake
      const through = new URL(catalog)
      through.port = String(port)
      const entities = ["a", "b", "c"]
      const claimed = (runId: string, worker: string) =>
        Effect.map(
          claimTasks(
            runId,
            worker,
            entities.map((entity) => ({ pipeline: "sample", entity })),
          ),
          (found) => new Map(found.map(({ claim }) => [claim.entity, claim])),
        )
      yield* Effect.gen(function* () {
        const run = { runId: "run-1", command: "sync", settings: {}, request: {}, planner: "p" }
        yield* openRun(run)
        yield* planClaims(
          run.runId,
          "sample",
          entities.map((entity) => ({ entity, task: {} })),
        )
        /** What every worker counts of a task is added up. */
        const read = Effect.fnUntraced(function* (worker: string, first: number) {
          const claims = yield* claimed(run.runId, worker)
          return entities.map((entity) => {
            const claim = claims.get(entity)
            return readingsBatch([reading(entity, first, 1), reading(entity, first + 1, 1)], {
              task: {
                pipeline: "sample",
                entity,
                window: "w",
                outcome: "landed",
                requests: 1,
                seconds: 1,
              },
              bookkeeping: [indexRows(`${entity} ${worker}`)],
              ...(claim === undefined ? {} : { claim }),
            })
          })
        })
        const recorded = rows(
          "select entity, requests, rows_inserted::int as inserted from ops.tasks order by 1",
        )
        const added = { inserted: 2, revised: 0, unchanged: 0 }

        state.toLose = 1
        expect(yield* commitTogether(yield* read("first", 0))).toEqual(entities.map(() => added))
        expect(state.toLose).toBe(0)
        expect(yield* recorded).toEqual(
          entities.map((entity) => ({ entity, requests: 1, inserted: 2 })),
        )

        const [one, ...others] = yield* read("second", 2)
        state.toLose = 1
        expect(yield* commitTogether(one === undefined ? [] : [one])).toEqual([added])
        expect(state.toLose).toBe(0)
        state.toLose = 1
        expect(yield* commitTogether(others)).toEqual(others.map(() => added))
        expect(state.toLose).toBe(0)
        expect(yield* recorded).toEqual(
          entities.map((entity) => ({ entity, requests: 2, inserted: 4 })),
        )
        // One whose requests all failed: no response shows that it was committed.
        const silent = yield* claimed(run.runId, "silent")
        const claim = silent.get("a")
        const failed = {
          pipeline: "sample",
          entity: "a",
          window: "w",
          outcome: "failed",
          requests: 5,
          seconds: 1,
        } as const
        state.toLose = 1
        yield* commitTogether([
          batchOf([], { task: failed, ...(claim === undefined ? {} : { claim }) }),
        ])
        expect(state.toLose).toBe(0)
        expect(yield* recorded).toEqual(
          entities.map((entity) => ({ entity, requests: entity === "a" ? 7 : 2, inserted: 4 })),
        )
        // What it knew to be stored is not taken for new.
        expect(yield* commitTogether(yield* read("third", 2))).toEqual(
          entities.map(() => ({ inserted: 0, revised: 0, unchanged: 2 })),
        )
      }).pipe(
        Effect.provide(
          Layer.merge(
            Warehouse.layer({
              dataDir: yield* temporaryFolder,
              tables: sampleTables,
              runId: "run-1",
              storage: ducklake(lakeOf({ catalog: through.href, data })),
            }),
            WorkDatabase.layer(lakeOf({ catalog, data }).catalog),
          ),
        ),
      )
    }),
  )
})
