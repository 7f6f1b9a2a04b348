// What processes of a lake agree on in PostgreSQL: schema `vaulthouse_work`, without a lake.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Client } from "pg"
import { parsePostgresUrl } from "../../../src/domain/stores/postgresUrl.ts"
import { claimTasks, planClaims } from "../../../src/pipelines/workers/claims.ts"
import { queueLayer, taskQueue } from "../../../src/load/work/queue.ts"
import { endRun, openRun } from "../../../src/pipelines/workers/sharedRun.ts"
import { WorkDatabase } from "../../../src/load/work/WorkDatabase.ts"
import { sqlFile } from "../../../src/load/sql/sqlFile.ts"
import { sharedPostgres } from "../../support/servers/postgres.ts"
import { until } from "../../support/until.ts"
import { newCatalog, lake } from "../lake.ts"

const LEASE_SECONDS = 60

const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe.skipIf(lake === undefined)("the work of a shared run", () => {
  it.live("ends while a worker claims tasks of it, none waiting for the other for ever", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(newCatalog)
      const connected = Effect.acquireRelease(
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
        const client = yield* connected
        const count = async (table: string) =>
          Number(
            (await client.query<{ n: string }>(`select count(*) as n from ${table}`)).rows[0]?.n,
          )
        expect(yield* Effect.promise(() => count("queue"))).toBe(3)
        // A commit that holds the claims of two tasks, of which the second comes while the run ends.
        const [last] = yield* claimTasks(run.runId, "worker", [{ pipeline: "fees", entity: "c" }])
        const [first] = yield* claimTasks(run.runId, "worker", [{ pipeline: "fees", entity: "a" }])
        const hold = async (claim: typeof first) => {
          const held = claim && { ...claim.claim, run_id: claim.claim.runId }
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
})
