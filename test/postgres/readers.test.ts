// Readers of a real PostgreSQL while publications switch, while a publisher is killed, and while they stand in its way.
// Run by `make test-postgres`.
import { once } from "node:events"
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import { beforeAll } from "vitest"
import { start } from "../cli/command.ts"
import { type Random, randomness } from "../support/randomness.ts"
import {
  installed,
  newDatabase,
  type PostgresServer,
  sharedPostgres,
} from "../support/servers/postgres.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { simulated } from "../support/simulated.ts"
import { change, runOnce } from "../support/warehouseRun.ts"

describe.skipIf(installed === undefined)("readers of PostgreSQL", () => {
  let server: PostgresServer
  beforeAll(() => {
    server = sharedPostgres()
  })

  const warehouse = sharedWarehouse((dataDir) =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", vaults: 3, days: 40 })
      yield* runOnce(simulator.url, join(dataDir, "data"), {
        pipelines: ["vaults", "ratio_history"],
      })
    }),
  )

  const prepared = Effect.gen(function* () {
    const cwd = yield* warehouse
    const database = yield* Effect.promise(newDatabase)
    writeFileSync(
      join(cwd, "vaulthouse.config.yaml"),
      `parquet: { enabled: false }\npublish:\n  postgres: ${server.url(database)}\n`,
    )
    const connected = Effect.acquireRelease(
      Effect.promise(async () => {
        const opened = new Client({ connectionString: server.url(database) })
        await opened.connect()
        return opened
      }),
      (opened) => Effect.promise(() => opened.end()),
    )
    return { cwd, database, connected }
  })

  /** A revision of everything: all tables and marts hold the same number. */
  const revise = (cwd: string, number: number) =>
    change(
      join(cwd, "data"),
      `update core.ratio_history set actual_tvl = ${number}`,
      `update core.vaults set vault_name = '${number}'`,
      "update ops.partition_changes set changed_at = now() at time zone 'UTC'",
      "checkpoint",
    )

  const publishing = (cwd: string) => {
    const child = start(["publish"], { cwd })
    let stderr = ""
    child.stderr.on("data", (text) => (stderr += String(text)))
    const ended = once(child, "exit").then(([code]) => ({ code: code as number | null, stderr }))
    return { child, ended }
  }

  const publish = (cwd: string) =>
    Effect.promise(async () => {
      const { code, stderr } = await publishing(cwd).ended
      expect(stderr).toBe("")
      expect(code).toBe(0)
    })

  const questions = [
    "select distinct actual_tvl::int as n from core.ratio_history",
    "select distinct vault_name::int as n from core.vaults",
    "select distinct backing::int as n from mart.vault_hourly where backing is not null",
    "select distinct vault_name::int as n from mart.vault_latest",
    "select distinct backing::int as n from mart.ratio_points",
  ]

  /** What one transaction sees, each view in a statement of its own. */
  const seen = async (
    client: Client,
    // One after the other, unless readers are to differ.
    random: Random = () => 0,
  ): Promise<ReadonlyArray<number>> => {
    const numbers = new Set<number>()
    await client.query("begin")
    const order = questions.map((question) => ({ question, at: random() }))
    for (const { question } of order.toSorted((one, other) => one.at - other.at)) {
      const { rows } = await client.query<{ n: number }>(question)
      for (const { n } of rows) numbers.add(n)
    }
    await client.query("commit")
    return [...numbers]
  }

  it.live("see one publication in each transaction while others switch", () =>
    Effect.gen(function* () {
      const { cwd, connected } = yield* prepared
      yield* revise(cwd, 0)
      yield* publish(cwd)
      const clients = yield* Effect.all([connected, connected, connected])
      const random = randomness("see one publication in each transaction")
      const publications = 4
      let isOver = false
      let transactions = 0
      const wrong: Array<unknown> = []
      const newest = new Set<number>()
      const reading = clients.map(async (client) => {
        while (!isOver) {
          try {
            const began = performance.now()
            const numbers = await seen(client, random)
            transactions += 1
            if (numbers.length !== 1) wrong.push(numbers)
            newest.add(Math.max(...numbers))
            // Twice as long as it took, on average: a publisher needs a moment without readers, however slow the machine is.
            await setTimeout(random() * (200 + 4 * (performance.now() - began)))
          } catch (error) {
            wrong.push(error)
            isOver = true
          }
        }
      })
      for (let number = 1; number <= publications; number++) {
        yield* revise(cwd, number)
        yield* publish(cwd)
      }
      isOver = true
      yield* Effect.promise(() => Promise.all(reading))
      expect(wrong).toEqual([])
      expect(transactions).toBeGreaterThan(20)
      expect(newest.size).toBeGreaterThan(publications - 1)
    }),
  )

  it.live(
    "keep what they have while a publisher is killed, and the next takes over what it copied",
    () =>
      Effect.gen(function* () {
        const { cwd, connected } = yield* prepared
        const client = yield* connected
        const rows = (sql: string) =>
          Effect.promise(async () => (await client.query<Record<string, unknown>>(sql)).rows)
        yield* revise(cwd, 0)
        yield* publish(cwd)
        yield* revise(cwd, 1)
        let killed = 0
        let left = 0
        // By a factor, so that all of it takes some times as long as a publication, however slow the machine is.
        for (let millis = 100; millis < 60_000; millis *= 1.3) {
          const isOver = yield* Effect.promise(async () => {
            const { child, ended } = publishing(cwd)
            await Promise.race([setTimeout(millis), ended])
            child.kill("SIGKILL")
            return (await ended).code === 0
          })
          const numbers = yield* Effect.promise(() => seen(client))
          expect(numbers).toEqual([isOver ? 1 : Math.max(...numbers)])
          const [{ n } = { n: 0 }] = yield* rows(
            "select count(*)::int as n from vaulthouse.parts where id not in (select part_id from vaulthouse.publication_parts)",
          )
          left = Math.max(left, Number(n))
          if (isOver) break
          killed += 1
        }
        expect(killed).toBeGreaterThan(2)
        expect(left).toBeGreaterThan(0)
        yield* publish(cwd)
        const [leftovers] = yield* rows(
          `select (select count(*)::int from pg_namespace where nspname ~ '^run_') - (select count(*)::int from vaulthouse.publications) as schemas,
             (select count(*)::int from pg_class where relnamespace = 'vaulthouse'::regnamespace and relkind = 'r' and relname ~ '^part_')
             - (select count(distinct part_id)::int from vaulthouse.publication_parts) as parts`,
        )
        expect(leftovers).toEqual({ schemas: 0, parts: 0 })
      }),
  )

  it.live("that leave a transaction open hold up a publication, not other readers", () =>
    Effect.gen(function* () {
      const { cwd, connected } = yield* prepared
      const [idle, other] = yield* Effect.all([connected, connected])
      yield* revise(cwd, 0)
      yield* publish(cwd)
      yield* Effect.promise(async () => {
        await idle.query("begin")
        await idle.query(questions[1] ?? "")
      })
      yield* revise(cwd, 1)
      const { ended } = publishing(cwd)
      yield* Effect.promise(async () => {
        // Until it waits.
        for (let waits = 0; waits < 2;) {
          const { rowCount } = await other.query(
            "select from pg_stat_activity where application_name = 'vaulthouse' and wait_event_type = 'Lock'",
          )
          waits += rowCount ?? 0
          expect(await seen(other)).toEqual([0])
        }
        const { rows } = await idle.query<{ n: number }>(questions[0] ?? "")
        expect(rows).toEqual([{ n: 0 }])
        await idle.query("commit")
        expect(await ended).toEqual({ code: 0, stderr: "" })
        expect(await seen(other)).toEqual([1])
      })
    }),
  )

  it.live("wait once, and unharmed, where switching takes long, as on a slow server", () =>
    Effect.gen(function* () {
      const { cwd, connected } = yield* prepared
      const client = yield* connected
      yield* revise(cwd, 0)
      yield* publish(cwd)
      yield* Effect.promise(async () => {
        await client.query(
          `create function public.take_long() returns event_trigger language plpgsql as
             $$ begin perform pg_sleep(0.01); end $$;
           create event trigger take_long on ddl_command_start when tag in ('CREATE VIEW')
             execute function public.take_long()`,
        )
      })
      yield* revise(cwd, 1)
      const { child, ended } = publishing(cwd)
      yield* Effect.promise(async () => {
        const numbers = new Set<number>()
        // Each query alone, so that the publisher gets its turn after one.
        while (child.exitCode === null) {
          const { rows } = await client.query<{ n: number }>(questions[0] ?? "")
          for (const { n } of rows) numbers.add(n)
        }
        expect(await ended).toEqual({ code: 0, stderr: "" })
        expect([0, 1]).toEqual(expect.arrayContaining([...numbers]))
        expect(await seen(client)).toEqual([1])
      })
    }),
  )

  it.live("get one publication after the other from two publishers at once", () =>
    Effect.gen(function* () {
      const { cwd, connected } = yield* prepared
      const client = yield* connected
      const another = join(cwd, "another")
      for (const name of ["data", "vaulthouse.config.yaml"]) {
        cpSync(join(cwd, name), join(another, name), { recursive: true })
      }
      yield* revise(cwd, 1)
      yield* revise(another, 2)
      const ends = yield* Effect.promise(() =>
        Promise.all([cwd, another].map((folder) => publishing(folder).ended)),
      )
      for (const { code, stderr } of ends) {
        if (code !== 0) expect(stderr).toContain("another process is publishing there")
      }
      expect(ends.some(({ code }) => code === 0)).toBe(true)
      expect(yield* Effect.promise(() => seen(client))).toHaveLength(1)
      const { rows } = yield* Effect.promise(() =>
        client.query<{ n: number }>("select count(*)::int as n from vaulthouse.publications"),
      )
      expect(rows).toEqual([{ n: ends.filter(({ code }) => code === 0).length }])
    }),
  )
})
