// What processes of a lake agree on in PostgreSQL: schema `vaulthouse_work`.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Client } from "pg"
import { storedEntity } from "../../../src/domain/run/claim.ts"
import { parsePostgresUrl } from "../../../src/domain/stores/postgresUrl.ts"
import { ducklake } from "../../../src/load/storage/lake/ducklake.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import {
  claimTasks,
  finishClaim,
  planClaims,
  plannedClaims,
} from "../../../src/pipelines/workers/claims.ts"
import { queueLayer, taskQueue } from "../../../src/load/work/queue.ts"
import { connected } from "../../../src/pipelines/workers/connected.ts"
import { endRun, openRun } from "../../../src/pipelines/workers/sharedRun.ts"
import { WorkDatabase } from "../../../src/load/work/WorkDatabase.ts"
import { sqlFile } from "../../../src/load/sql/sqlFile.ts"
import { startPostgresProxy } from "../../crash/lake/postgresProxy.ts"
import { batchOf, sampleTables } from "../../load/sample.ts"
import { movableClock } from "../../support/movableClock.ts"
import { sharedPostgres } from "../../support/servers/postgres.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { until, untilSo } from "../../support/until.ts"
import { lake, lakeOf, newCatalog, newLake } from "../lake.ts"

const LEASE_SECONDS = 60

/** A port on which nothing listens. */
const NOWHERE = 9

const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe.skipIf(lake === undefined)("the connection to PostgreSQL, once it is lost,", () => {
  it.live.each([
    [9, "is waited for"],
    [11, "is given up"],
  ] as const)("for %s minutes: %s", ([minutes]) =>
    Effect.gen(function* () {
      const url = new URL(yield* Effect.promise(newCatalog))
      let isUp = true
      let isLate = false
      const proxy = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startPostgresProxy(() => {
            if (isUp) return sharedPostgres().port
            // Up again after an attempt at the late time, if it is not too late then.
            isUp = isLate && minutes < 10
            return NOWHERE
          }),
        ),
        ({ close }) => Effect.promise(close),
      )
      url.port = String(proxy.port)
      const clock = movableClock()
      const said: Array<string> = []
      const options = {
        catalog: Result.getOrThrow(parsePostgresUrl(url.href)),
        leaseSeconds: LEASE_SECONDS,
        onConnection: (text: string) => {
          said.push(text)
          if (!text.startsWith("waits")) return
          setTimeout(() => {
            clock.advance(minutes * 60_000)
            isLate = true
          }, 10)
        },
      }
      let times = 0
      const work = Effect.suspend(() => {
        times += 1
        if (times > 1) return Effect.succeed("done")
        isUp = false
        proxy.dropAll()
        return Effect.fail("the work failed")
      })
      const ended = yield* Effect.result(clock.under(connected(options, () => work)))
      if (minutes < 10) {
        expect(ended).toMatchObject({ _tag: "Success", success: "done" })
        expect(said.at(-1)).toMatch(/^is connected to PostgreSQL \S+ again$/)
      } else {
        expect(ended).toMatchObject({
          _tag: "Failure",
          failure: { reason: "Catalog", why: "the connection was lost" },
        })
        expect(times).toBe(1)
      }
    }).pipe(Effect.scoped),
  )
})

describe.skipIf(lake === undefined)("the work of a shared run", () => {
  it.live("ends while a worker claims tasks of it, none waiting for the other for ever", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(newCatalog)
      const opened = Effect.acquireRelease(
        Effect.promise(async () => {
          const client = new Client({ connectionString: url })
          await client.connect()
          // Of two that wait for each other, this one fails.
          await client.query("set search_path to vaulthouse_work; set deadlock_timeout to '50ms'")
          return client
        }),
        (client) => Effect.promise(() => client.end()),
      )
      const target = Result.getOrThrow(parsePostgresUrl(url))
      const database = Layer.provideMerge(queueLayer(LEASE_SECONDS), WorkDatabase.layer(target))
      yield* Effect.gen(function* () {
        const run = { runId: "run", command: "sync", settings: {}, request: {}, planner: "planner" }
        yield* openRun(run)
        // Stored in another order than the one in which they are locked.
        const names = ["c", "b", "a"]
        const tasks = names.map((entity) => ({ pipeline: "fees", entity }))
        yield* planClaims(
          run.runId,
          "fees",
          tasks.map(({ entity }) => ({ entity, task: {} })),
        )
        const queue = yield* taskQueue(run.runId)
        yield* queue.offer(tasks)
        yield* queue.offer(tasks)
        const client = yield* opened
        const count = async (table: string) =>
          Number(
            (await client.query<{ n: string }>(`select count(*) as n from ${table}`)).rows[0]?.n,
          )
        expect(yield* Effect.promise(() => count("queue"))).toBe(3)
        // A commit that holds the claims of two tasks, of which the second comes while the run ends.
        const [last] = yield* claimTasks(run.runId, "worker", [{ pipeline: "fees", entity: "c" }])
        const [first] = yield* claimTasks(run.runId, "worker", [{ pipeline: "fees", entity: "a" }])
        const hold = async (claim: typeof first) => {
          const held = claim && {
            ...claim.claim,
            run_id: claim.claim.runId,
            entity: storedEntity(claim.claim.entity),
          }
          await client.query(sqlFile("work", "held_claims"), [JSON.stringify([held])])
        }
        const name = new URL(url).pathname.slice(1)
        const waiting =
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        const firstIsHeld = Promise.withResolvers<void>()
        const commit = async () => {
          await client.query("begin")
          await hold(first)
          firstIsHeld.resolve()
          await until("the end of the run waits for it", async () => {
            return (await sharedPostgres().query(waiting, name)).length > 0
          })
          await hold(last)
          await wait(1500)
          await client.query("commit")
        }
        const [, ended] = yield* Effect.all(
          [
            Effect.promise(commit),
            Effect.andThen(
              Effect.promise(() => firstIsHeld.promise),
              endRun(run.runId, run.planner),
            ),
          ],
          { concurrency: 2 },
        )
        expect(ended).toBe(true)
        expect(yield* Effect.promise(() => count("claims"))).toBe(0)
        expect(yield* Effect.promise(() => count("queue"))).toBe(0)
      }).pipe(Effect.scoped, Effect.provide(database))
    }),
  )

  it.live("waits for a commit, whatever timeouts the database sets", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(newCatalog)
      const name = new URL(url).pathname.slice(1)
      // Before there are timeouts.
      const client = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const opened = new Client({ connectionString: url })
          await opened.connect()
          return opened
        }),
        (opened) => Effect.promise(() => opened.end()),
      )
      for (const timeout of ["lock", "statement", "idle_in_transaction_session"]) {
        yield* Effect.promise(() =>
          sharedPostgres().query(`alter database ${name} set ${timeout}_timeout = '200ms'`),
        )
      }
      const waits = `select 1 from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock'
        and clock_timestamp() - query_start > interval '400 ms'`
      const held = Effect.gen(function* () {
        yield* untilSo("it has waited for longer", async () => {
          return (await sharedPostgres().query(waits)).length > 0
        })
        yield* Effect.promise(() => client.query("commit"))
      })
      const run = { runId: "run", command: "sync", settings: {}, request: {}, planner: "planner" }
      yield* Effect.gen(function* () {
        yield* openRun(run)
        yield* planClaims(run.runId, "fees", [{ entity: "a", task: {} }])
        const lock = Effect.promise(() =>
          client.query("begin; select 1 from vaulthouse_work.claims for update"),
        )
        const beside = <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.andThen(lock, Effect.all([work, held], { concurrency: 2 }))
        const [claimed] = yield* beside(
          claimTasks(run.runId, "worker", [{ pipeline: "fees", entity: "a" }]),
        )
        expect(claimed).toHaveLength(1)
        const [ended] = yield* beside(endRun(run.runId, run.planner))
        expect(ended).toBe(true)
      }).pipe(Effect.provide(WorkDatabase.layer(Result.getOrThrow(parsePostgresUrl(url)))))
    }).pipe(Effect.scoped),
  )

  it.live("has tasks of ids with any character, offered again if their claims are lost", () =>
    Effect.gen(function* () {
      const options = lakeOf(yield* newLake)
      const run = { runId: "run-1", command: "sync", settings: {}, request: {}, planner: "p" }
      const database = Layer.provideMerge(
        queueLayer(LEASE_SECONDS),
        WorkDatabase.layer(options.catalog),
      )
      const warehouse = Warehouse.layer({
        dataDir: yield* temporaryFolder,
        tables: sampleTables,
        runId: run.runId,
        storage: ducklake(options),
      })
      yield* Effect.gen(function* () {
        const { runId } = run
        const entity = "a\u0000b"
        const name = { pipeline: "sample", entity }
        yield* openRun(run)
        yield* planClaims(runId, name.pipeline, [{ entity, task: { cursor: entity } }])
        const queue = yield* taskQueue(runId)
        yield* queue.offer([name])
        const claimed = Effect.map(claimTasks(runId, "worker", [name]), ([found]) => {
          if (found === undefined) throw new Error("there is no such task")
          return found
        })
        const lost = yield* Effect.flip(
          queue.take(() =>
            Effect.gen(function* () {
              const { claim } = yield* claimed
              yield* claimed
              yield* finishClaim(claim)
            }),
          ),
        )
        expect(lost).toMatchObject({ reason: "ClaimLost" })
        yield* queue.take((task) =>
          Effect.gen(function* () {
            expect(task).toEqual(name)
            const found = yield* claimed
            expect(found).toEqual({
              claim: { runId, ...name, epoch: 3 },
              task: { cursor: entity },
            })
            const { task: record } = batchOf([])
            yield* (yield* Warehouse).commit(
              batchOf([], { task: { ...record, entity }, claim: found.claim }),
            )
            yield* finishClaim(found.claim)
          }),
        )
        expect(yield* plannedClaims(runId, name.pipeline)).toEqual([{ entity, isDone: true }])
      }).pipe(Effect.provide(Layer.merge(warehouse, database)))
    }),
  )
})
