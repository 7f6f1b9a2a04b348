// A commit whose connection is lost after COMMIT and before its acknowledgement: it is found, and counted once.
import { existsSync, readdirSync } from "node:fs"
import { connect, createServer, type AddressInfo } from "node:net"
import { beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newPrefix, objectStoreVariables } from "../../support/servers/objectStore.ts"
import { sharedPostgres } from "../../support/servers/postgres.ts"
import { ducklake } from "../../../src/load/storage/lake/ducklake.ts"
import { maintainLake } from "../../../src/load/storage/lake/maintainLake.ts"
import { claimTasks, planClaims } from "../../../src/pipelines/workers/claims.ts"
import { openRun } from "../../../src/pipelines/workers/sharedRun.ts"
import { WorkDatabase } from "../../../src/load/work/WorkDatabase.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import {
  batchOf,
  commitTogether,
  indexRows,
  reading,
  readingsBatch,
  rows,
  sampleTables,
} from "../../load/sample.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { lake, lakeOf, newCatalog, newLake } from "../lake.ts"

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
  beforeAll(() => {
    if (lake !== undefined) Object.assign(process.env, objectStoreVariables())
  })

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

  // More than a commit leaves in PostgreSQL.
  const HOURS = 300
  const places = [
    ["a folder", Effect.map(newLake, ({ data }) => data)],
    ["an object store", Effect.sync(newPrefix)],
  ] as const

  it.live.each(places)("has its files in %s", ([, place]) =>
    Effect.gen(function* () {
      const { state, port } = yield* losingConnections
      const catalog = yield* Effect.promise(newCatalog)
      const data = yield* place
      const through = new URL(catalog)
      through.port = String(port)
      const opened = (address: string) =>
        Effect.map(temporaryFolder, (dataDir) =>
          Warehouse.layer({
            dataDir,
            tables: sampleTables,
            runId: "run-1",
            storage: ducklake(lakeOf({ catalog: address, data })),
          }),
        )
      const committed = Effect.fnUntraced(function* (
        first: number,
        value: number,
        response: string,
      ) {
        const values = Array.from({ length: HOURS }, (_, at) => reading("a", first + at, value))
        state.toLose = 1
        const [added] = yield* commitTogether([
          readingsBatch(values, { bookkeeping: [indexRows(response)] }),
        ])
        expect(state.toLose).toBe(0)
        return added
      })
      const content = rows(
        `select count(*)::int as hours, sum(value)::int as total,
           (select count(*)::int from core.readings_versions) as versions from core.readings`,
      )
      const found = [{ hours: 2 * HOURS, total: 3 * HOURS, versions: HOURS }]
      const maintained = Effect.flatMap(Warehouse, ({ exclusively }) =>
        exclusively("Maintaining", (session) => maintainLake(session, 0, "/none")),
      )
      yield* Effect.gen(function* () {
        expect(yield* committed(0, 1, "new")).toEqual({ inserted: HOURS, revised: 0, unchanged: 0 })
        expect(yield* committed(HOURS, 1, "newer")).toMatchObject({ inserted: HOURS })
        // Rows of a file are deleted, which takes a file of its own, and become versions.
        expect(yield* committed(0, 2, "revised")).toEqual({
          inserted: 0,
          revised: HOURS,
          unchanged: 0,
        })
        expect(yield* content).toEqual(found)
        // Files that are joined: the command ends by it.
        state.toLose = 1
        expect(yield* Effect.flip(maintained)).toMatchObject({ reason: "Catalog" })
        expect(state.toLose).toBe(0)
        expect(yield* content).toEqual(found)
      }).pipe(Effect.provide(yield* opened(through.href)))
      // The next one does the rest, and removes what is not needed any more.
      const { filesRemoved } = yield* Effect.gen(function* () {
        expect(yield* content).toEqual(found)
        const summary = yield* maintained
        expect(yield* content).toEqual(found)
        return summary
      }).pipe(Effect.provide(yield* opened(catalog)))
      expect(filesRemoved).toBeGreaterThan(0)
      if (existsSync(data)) {
        const left = readdirSync(data, { recursive: true, encoding: "utf8" })
        expect(left.filter((path) => path.endsWith(".kept"))).toEqual([])
      }
    }),
  )
})
