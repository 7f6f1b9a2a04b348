// What a single writer may rely on, and several processes that share a lake may not.
import { chmodSync, existsSync, mkdirSync, statSync, utimesSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Client } from "pg"
import { sharedPostgres } from "../support/servers/postgres.ts"
import { untilSo } from "../support/until.ts"
import { WarehouseLocked } from "../../src/load/errors.ts"
import { ducklake } from "../../src/load/storage/lake/ducklake.ts"
import type { Database } from "../../src/load/storage/Storage.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { WorkDatabase } from "../../src/load/work/WorkDatabase.ts"
import { parseNote } from "../../src/load/commit/stored/note.ts"
import { hour as instantOf, sampleTables } from "../load/sample.ts"
import { type Lake, lake, lakeOf, newLake, lakeProcess, type Command, type Reply } from "./lake.ts"

const HOUR_MILLIS = 3_600_000

const two = Effect.gen(function* () {
  const shared = yield* newLake
  const [one, other] = yield* Effect.all([lakeProcess(shared, "one"), lakeProcess(shared, "two")], {
    concurrency: "unbounded",
  })
  return { shared, one, other }
})

type Process = Effect.Success<ReturnType<typeof lakeProcess>>

const resultOf = (reply: Reply): unknown => {
  if ("error" in reply) throw new Error(reply.error)
  return "result" in reply ? reply.result : undefined
}

const send = (process: Process, command: Command) =>
  Effect.map(
    Effect.promise(() => process.send(command)),
    resultOf,
  )

const commit = (process: Process, ...readings: Extract<Command, { name: "commit" }>["readings"]) =>
  send(process, { name: "commit", readings })

const rows = (process: Process, sql: string) =>
  send(process, { name: "rows", sql }) as Effect.Effect<ReadonlyArray<Record<string, unknown>>>

/** Opens the lake in this process, in one data directory. */
const openedIn = (shared: Lake) => (runId: string) =>
  Effect.acquireRelease(
    Effect.promise(() => ducklake(lakeOf(shared)).open({ dataDir: shared.data, runId }, [])),
    ({ close }) => Effect.promise(close),
  )

/** SQL that ends the connections which hold a lock: 1 is that of the lake's writers, 2 of all that have it open. */
const endHolders = (catalog: string, lock = 1): string =>
  `select pg_terminate_backend(pid) from pg_locks join pg_database d on d.oid = database
   where locktype = 'advisory' and granted and objid = ${lock} and datname = '${new URL(catalog).pathname.slice(1)}'`

describe.skipIf(lake === undefined)("two processes in one lake", () => {
  it.live("make its tables once, though both find none", () =>
    Effect.gen(function* () {
      const { one, other } = yield* two
      for (const process of [one, other]) expect(process.opened).toHaveProperty("result")
      expect(yield* rows(one, "select count(*)::int as layouts from ops.layout")).toEqual([
        { layouts: 1 },
      ])
    }),
  )

  it.live("make its folder for their user alone, and leave one that is there as it is", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const made = join(shared.data, "made")
      yield* openedIn({ ...shared, data: made })("one")
      expect(statSync(made).mode & 0o777).toBe(0o700)
      const other = { ...(yield* newLake), data: join(shared.data, "open") }
      mkdirSync(other.data)
      chmodSync(other.data, 0o775)
      yield* openedIn(other)("two")
      expect(statSync(other.data).mode & 0o777).toBe(0o775)
    }).pipe(Effect.scoped),
  )

  it.live("let one of them be alone, as long as it has the lake open", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const open = openedIn(shared)
      const refusal = (work: () => Promise<unknown>) =>
        Effect.promise(() =>
          work().then(
            () => undefined,
            (cause: unknown) => cause,
          ),
        )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const one = yield* open("one")
          // A run that has read where bodies are, and recorded nothing yet.
          const run = yield* Effect.scoped(
            Effect.gen(function* () {
              yield* open("run")
              return yield* refusal(() => one.alone())
            }),
          )
          expect(run).toBeInstanceOf(WarehouseLocked)
          yield* Effect.promise(() => one.alone())
          const late = yield* refusal(() =>
            ducklake(lakeOf(shared)).open({ dataDir: shared.data, runId: "late" }, []),
          )
          expect(late).toBeInstanceOf(WarehouseLocked)
          yield* Effect.promise(() => sharedPostgres().query(endHolders(shared.catalog, 2)))
          expect(yield* refusal(() => one.exclusively(async () => undefined))).toMatchObject({
            why: "the connection was lost, and other processes may have written since",
          })
        }),
      )
      const late = yield* open("late")
      const write = () => late.exclusively(async () => "written")
      yield* Effect.promise(() => sharedPostgres().query(endHolders(shared.catalog, 2)))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const one = yield* open("one")
          yield* Effect.promise(() => one.alone())
          for (const _ of ["lost", "again", "and again"]) {
            expect(yield* refusal(write)).toMatchObject({
              why: "the connection was lost, and now `move`, `replay`, `prune`, `compact` or `maintain` has the lake to itself",
            })
          }
        }),
      )
      expect(yield* Effect.promise(write)).toBe("written")
    }),
  )

  it.live("find none where another has made the lake and not yet its tables", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      yield* openedIn(shared)("one")
      const condition = yield* Effect.promise(() => ducklake(lakeOf(shared)).inspect([]))
      expect(condition).toEqual({ state: "absent" })
    }),
  )

  it.live("say of a database that takes no writes what to do, before they begin", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const takesWrites = (setting: string) =>
        Effect.promise(() =>
          sharedPostgres().query(
            `alter database ${new URL(shared.catalog).pathname.slice(1)} set default_transaction_read_only = ${setting}`,
          ),
        )
      yield* takesWrites("on")
      const problem = {
        why: "it takes no writes",
        advice: expect.stringContaining("Name a server and database that take writes"),
      }
      const open = () => ducklake(lakeOf(shared)).open({ dataDir: shared.data, runId: "one" }, [])
      expect(yield* Effect.flip(Effect.tryPromise(open))).toMatchObject({ cause: problem })
      expect(yield* Effect.promise(() => ducklake(lakeOf(shared)).inspect([]))).toMatchObject({
        state: "broken",
        why: expect.stringContaining(problem.why),
        advice: problem.advice,
      })
      yield* takesWrites("off")
      yield* openedIn(shared)("two")
    }).pipe(Effect.scoped),
  )

  it.live("are refused a database that lacks characters, and leave nothing there", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const named = (encoding: string) => {
        const catalog = new URL(shared.catalog)
        catalog.pathname += `_${encoding.toLowerCase()}`
        return { database: catalog.pathname.slice(1), lake: { ...shared, catalog: catalog.href } }
      }
      const make = (encoding: string) =>
        Effect.promise(() =>
          sharedPostgres().query(
            `create database ${named(encoding).database} encoding '${encoding}' template template0 lc_collate 'C' lc_ctype 'C'`,
          ),
        )
      yield* make("LATIN1")
      const latin = named("LATIN1")
      const problem = {
        why: expect.stringContaining(`the encoding of the database ${latin.database} is LATIN1`),
        advice: expect.stringContaining("Name another database in `warehouse`"),
      }
      const open = () =>
        ducklake(lakeOf(latin.lake)).open({ dataDir: shared.data, runId: "one" }, [])
      expect(yield* Effect.flip(Effect.tryPromise(open))).toMatchObject({ cause: problem })
      const inspected = yield* Effect.promise(() => ducklake(lakeOf(latin.lake)).inspect([]))
      expect(inspected).toMatchObject({ state: "broken", ...problem })
      const schemas = "select 1 from pg_namespace where nspname like 'vaulthouse%'"
      expect(yield* Effect.promise(() => sharedPostgres().query(schemas, latin.database))).toEqual(
        [],
      )
      // Stores bytes as they come.
      yield* make("SQL_ASCII")
      yield* openedIn(named("SQL_ASCII").lake)("two")
    }).pipe(Effect.scoped),
  )

  it.live("store a key once, whichever of them came first", () =>
    Effect.gen(function* () {
      const { one, other } = yield* two
      // Each finds the table empty, and knows what it has stored itself.
      yield* commit(one, ["v", 0, 0], ["v", 1, 1])
      yield* commit(other, ["v", 2, 2], ["v", 3, 3])
      yield* commit(one, ["v", 2, 2], ["v", 3, 30], ["v", 4, 4])
      yield* commit(other, ["v", 4, 4], ["v", 5, 5])
      expect(yield* rows(one, "select value from core.readings order by observed_at")).toEqual(
        [0, 1, 2, 30, 4, 5].map((value) => ({ value })),
      )
      expect(yield* rows(one, "select value from core.readings_versions")).toEqual([{ value: 3 }])
      // At the same time, both.
      const hours = Array.from({ length: 12 }, (_, at) => at)
      const both = [one, other].map((process) =>
        Effect.forEach(hours, (hour) =>
          commit(process, ["w", hour, hour], ["w", hour + 1, hour + 1]),
        ),
      )
      yield* Effect.all(both, { concurrency: "unbounded" })
      expect(
        yield* rows(
          other,
          `select count(*)::int as stored, count(distinct observed_at)::int as hours,
             (select count(*)::int from core.readings_versions where vault_address = 'w') as versions
           from core.readings where vault_address = 'w'`,
        ),
      ).toEqual([{ stored: 13, hours: 13, versions: 0 }])
    }),
  )

  it.live("mark a month once, and again where the other may have published it since", () =>
    Effect.gen(function* () {
      const { one, other } = yield* two
      const marked = () =>
        Effect.map(
          rows(
            one,
            `select run_id from ops.partition_changes
             where table_name = 'readings' order by changed_at desc limit 1`,
          ),
          ([row]) => row?.["run_id"],
        )
      yield* commit(one, ["v", 0, 0])
      yield* commit(other, ["v", 1, 1])
      expect(yield* marked()).toBe("two")
      yield* commit(one, ["v", 2, 2])
      expect(yield* marked()).toBe("two")
      // Like a publication, the start of a run has no note of what it writes.
      yield* send(other, { name: "start" })
      yield* commit(one, ["v", 3, 3])
      expect(yield* marked()).toBe("one")
    }),
  )

  it.live("note what they store for each other, with the commit, and go by that", () =>
    Effect.gen(function* () {
      const { shared, one, other } = yield* two
      yield* commit(one, ["v", 0, 0])
      yield* commit(other, ["w", 0, 0], ["w", 1, 1])
      const catalog = new Client({ connectionString: shared.catalog })
      yield* Effect.acquireRelease(
        Effect.promise(() => catalog.connect()),
        () => Effect.promise(() => catalog.end()),
      )
      const newest =
        "snapshot_id = (select max(snapshot_id) from vaulthouse_lake.ducklake_snapshot)"
      const changes = "vaulthouse_lake.ducklake_snapshot_changes"
      const { rows: notes } = yield* Effect.promise(() =>
        catalog.query<{ note: string }>(
          `select commit_extra_info as note from ${changes} where ${newest}`,
        ),
      )
      const note = parseNote(notes[0]?.note ?? "")
      expect(note?.extents).toEqual([
        [
          "core.readings",
          [expect.objectContaining({ series: '["w"]', from: instantOf(0), to: instantOf(1) })],
        ],
      ])
      // With a wrong note, a process stores a key twice, as it would not if it compared its rows.
      yield* Effect.promise(() =>
        catalog.query(
          `update ${changes} set commit_extra_info = replace(commit_extra_info, 'w', 'x') where ${newest}`,
        ),
      )
      yield* commit(one, ["w", 1, 1])
      const stored = "select count(*)::int as n from core.readings where vault_address = 'w'"
      expect(yield* rows(one, stored)).toEqual([{ n: 3 }])
    }),
  )

  it.live("read what was committed at one moment, however long they read", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const name = new URL(shared.catalog).pathname.slice(1)
      const impatient = `alter database ${name} set idle_in_transaction_session_timeout = '50ms'`
      yield* Effect.promise(() => sharedPostgres().query(impatient))
      const other = yield* lakeProcess(shared, "two")
      yield* commit(other, ["v", 0, 0])
      yield* Effect.gen(function* () {
        const { atOneMoment, rows: read } = yield* Warehouse
        const stored = Effect.map(read("select count(*)::int as n from core.readings"), ([row]) =>
          Number(row?.["n"]),
        )
        const tasks = Effect.map(read("select count(*)::int as n from ops.tasks"), ([row]) =>
          Number(row?.["n"]),
        )
        const within = Effect.gen(function* () {
          const before = yield* stored
          yield* commit(other, ["v", 1, 1], ["v", 2, 2])
          yield* commit(other, ["v", 3, 3])
          return [before, yield* stored, yield* tasks]
        })
        expect(yield* atOneMoment(within)).toEqual([1, 1, 1])
        expect([yield* stored, yield* tasks]).toEqual([4, 3])
      }).pipe(
        Effect.provide(
          Warehouse.layer({
            dataDir: shared.data,
            tables: sampleTables,
            runId: "one",
            storage: ducklake(lakeOf(shared)),
          }),
        ),
      )
    }),
  )

  it.live("date rows by one clock, whatever their machines' clocks say", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const late = yield* lakeProcess(shared, "late", { clockAheadMillis: -2 * HOUR_MILLIS })
      const early = yield* lakeProcess(shared, "early", { clockAheadMillis: 3 * HOUR_MILLIS })
      for (const { opened } of [late, early]) {
        const { now } = resultOf(opened) as { readonly now: number }
        expect(Math.abs(now - Date.now())).toBeLessThan(HOUR_MILLIS)
      }
      for (const [value, process] of [early, late, early, late].entries()) {
        yield* commit(process, ["v", 0, value])
      }
      expect(yield* rows(late, "select value from core.readings")).toEqual([{ value: 3 }])
      expect(
        yield* rows(late, "select value from core.readings_versions order by _superseded_at"),
      ).toEqual([0, 1, 2].map((value) => ({ value })))
    }),
  )

  it.live("end the run of a process that is gone, and no other", () =>
    Effect.gen(function* () {
      const { shared, one, other } = yield* two
      const outcomes = (process: Process) =>
        Effect.map(rows(process, "select outcome from ops.runs order by started_at"), (found) =>
          found.map(({ outcome }) => outcome),
        )
      yield* send(one, { name: "start" })
      yield* send(other, { name: "start" })
      expect(yield* outcomes(other)).toEqual([null, null])
      yield* Effect.promise(one.kill)
      const third = yield* lakeProcess(shared, "three")
      yield* send(third, { name: "start" })
      expect(yield* outcomes(other)).toEqual(["killed", null, null])
      yield* send(other, { name: "finish" })
      expect(yield* outcomes(third)).toEqual(["killed", "complete", null])
    }),
  )

  it.live("keep their sessions and transactions whatever timeouts the database sets", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const name = new URL(shared.catalog).pathname.slice(1)
      for (const timeout of ["idle_session", "transaction", "statement"]) {
        yield* Effect.promise(() =>
          sharedPostgres().query(`alter database ${name} set ${timeout}_timeout = '1s'`),
        )
      }
      const one = yield* openedIn(shared)("one")
      const work = yield* Layer.build(WorkDatabase.layer(lakeOf(shared).catalog))
      const held = yield* Context.get(work, WorkDatabase).session
      const beside = new Client({ connectionString: shared.catalog })
      const isEnded = new Promise((resolve) => beside.on("error", resolve))
      yield* Effect.promise(() => beside.connect())
      yield* Effect.promise(() => one.reader.run("BEGIN; FROM vaulthouse.snapshots()"))
      // Idle for a shorter time than those before it.
      yield* Effect.promise(() => isEnded)
      yield* Effect.promise(() => one.reader.run("FROM vaulthouse.snapshots(); COMMIT"))
      yield* held("unfinished_run")
      const other = yield* openedIn(shared)("two")
      expect(yield* Effect.promise(() => other.isRunning("one"))).toBe(true)
    }),
  )

  it.live("commit nothing more of a run that another has ended while the connection was lost", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const one = yield* lakeProcess(shared, "one")
      yield* send(one, { name: "start" })
      yield* commit(one, ["v", 0, 0])
      yield* Effect.promise(() => sharedPostgres().query(endHolders(shared.catalog, 2)))
      const other = yield* lakeProcess(shared, "two")
      yield* send(other, { name: "start" })
      for (const command of [
        { name: "commit", readings: [["v", 1, 1]] },
        { name: "commit", readings: [["v", 2, 2]] },
        { name: "finish" },
      ] as const) {
        expect(yield* Effect.promise(() => one.send(command))).toEqual({
          error:
            "Run one: the connection to the lake was lost, and another process has ended this run as killed. Start again: what was not committed is read again.",
        })
      }
      expect(yield* rows(other, "select value from core.readings")).toEqual([{ value: 0 }])
      expect(yield* rows(other, "select outcome from ops.runs order by started_at")).toEqual([
        { outcome: "killed" },
        { outcome: null },
      ])
    }),
  )

  it.live("commit nothing more where the database no longer has what they committed", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const one = yield* lakeProcess(shared, "one")
      const name = new URL(shared.catalog).pathname.slice(1)
      const change = (...statements: ReadonlyArray<string>) =>
        Effect.promise(async () => {
          await sharedPostgres().query(
            `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
          )
          for (const statement of statements) await sharedPostgres().query(statement)
        })
      yield* commit(one, ["v", 0, 0])
      yield* change(`create database ${name}_replica template ${name}`)
      yield* commit(one, ["v", 1, 1])
      yield* change(
        `alter database ${name} rename to ${name}_lost`,
        `alter database ${name}_replica rename to ${name}`,
      )
      const refused = { error: expect.stringContaining("no longer has what was committed to it") }
      const next = { name: "commit", readings: [["v", 2, 2]] } as const
      expect(yield* Effect.promise(() => one.send(next))).toEqual(refused)
      const other = yield* lakeProcess(shared, "two")
      yield* commit(other, ["v", 3, 3])
      expect(yield* Effect.promise(() => one.send(next))).toEqual(refused)
      expect(yield* rows(other, "select value from core.readings order by 1")).toEqual([
        { value: 0 },
        { value: 3 },
      ])
    }),
  )

  it.live("wait for each other's transactions, and keep nothing of one whose lock is lost", () =>
    Effect.gen(function* () {
      const { shared, one, other } = yield* two
      expect(yield* Effect.promise(() => one.send({ name: "hold" }))).toEqual({ holds: true })
      let isDone = false
      const waiting = other
        .send({ name: "commit", readings: [["v", 0, 0]] })
        .finally(() => (isDone = true))
      const waits = `select 1 from pg_locks join pg_database d on d.oid = database
        where locktype = 'advisory' and not granted and datname = '${new URL(shared.catalog).pathname.slice(1)}'`
      yield* untilSo("the other waits for its turn", async () => {
        return (await sharedPostgres().query(waits)).length > 0
      })
      expect(isDone).toBe(false)
      yield* Effect.promise(() => sharedPostgres().query(endHolders(shared.catalog)))
      resultOf(yield* Effect.promise(() => waiting))
      const lost = yield* Effect.promise(() => one.send({ name: "rows", sql: "any message" }))
      expect(lost).toEqual({ error: expect.stringContaining("connection") })
      expect(yield* rows(other, "select * from core.latest")).toEqual([])
      // The next transaction takes the lock on another connection.
      yield* commit(one, ["v", 1, 1])
      expect(yield* rows(other, "select value from core.readings order by value")).toHaveLength(2)
    }),
  )

  it.live("go on when one of them is stopped in its turn, which then keeps nothing", () =>
    Effect.gen(function* () {
      const { one, other } = yield* two
      expect(yield* Effect.promise(() => one.send({ name: "hold" }))).toEqual({ holds: true })
      one.pause()
      yield* commit(other, ["v", 0, 0])
      one.resume()
      const lost = yield* Effect.promise(() => one.send({ name: "rows", sql: "any message" }))
      expect(lost).toEqual({ error: expect.stringContaining("onnection") })
      expect(yield* rows(other, "select * from core.latest")).toEqual([])
      yield* commit(one, ["v", 1, 1])
      expect(yield* rows(other, "select value from core.readings order by value")).toHaveLength(2)
    }),
  )

  it.live("go on when one of them is stopped while it commits, which then commits again", () =>
    Effect.gen(function* () {
      const { shared, one, other } = yield* two
      const postgres = new Client({ connectionString: shared.catalog })
      const inserts = "select 1 from pg_stat_activity where query like 'INSERT INTO%snapshot%'"
      const until = async (condition: string): Promise<void> => {
        const sql = `${inserts} and ${condition}`
        while ((await sharedPostgres().query(sql)).length === 0);
      }
      yield* Effect.promise(async () => {
        await postgres.connect()
        await postgres.query("begin; lock table vaulthouse_lake.ducklake_snapshot in share mode")
        const late = one.send({ name: "commit", readings: [["v", 0, 0]] })
        await until("wait_event_type = 'Lock'")
        one.pause()
        await postgres.query("commit")
        await until("state = 'idle in transaction'")
        await postgres.query(endHolders(shared.catalog))
        await postgres.end()
        resultOf(await other.send({ name: "commit", readings: [["v", 1, 1]] }))
        one.resume()
        expect(resultOf(await late)).toEqual([{ inserted: 1, revised: 0, unchanged: 0 }])
      })
      expect(yield* commit(one, ["v", 0, 0])).toEqual([{ inserted: 0, revised: 0, unchanged: 1 }])
      expect(yield* rows(other, "select value from core.readings order by value")).toHaveLength(2)
    }),
  )

  it.live("commit nothing on top of what the other has committed in between, lock or no lock", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const open = openedIn(shared)
      const [{ writer, exclusively }, other] = [yield* open("one"), yield* open("two")]
      yield* Effect.promise(async () => {
        await writer.run("CREATE TABLE t (a INTEGER)")
        await writer.run("BEGIN; INSERT INTO t VALUES (1)")
        await other.writer.run("INSERT INTO t VALUES (1)")
        await expect(writer.run("COMMIT")).rejects.toThrow("Failed to commit")
        await writer.run("ROLLBACK").catch(() => undefined)
        expect((await writer.runAndReadAll("FROM t")).getRows()).toEqual([[1]])
        // What is committed is not reported as lost where the lock was lost afterwards.
        const committed = exclusively(async () => {
          await sharedPostgres().query(endHolders(shared.catalog))
          return "committed"
        })
        expect(await committed).toBe("committed")
      })
    }),
  )

  it.live(
    "spill into folders of their own, though they share a data directory and a process id",
    () =>
      Effect.gen(function* () {
        const shared = yield* newLake
        const left = join(shared.data, "tmp", "spill-left")
        mkdirSync(left, { recursive: true })
        utimesSync(left, 0, 0)
        const folderOf = async ({ writer }: Database): Promise<string> => {
          const found = await writer.runAndReadAll("SELECT current_setting('temp_directory')")
          return String(found.getRows()[0])
        }
        const folders = yield* Effect.scoped(
          Effect.gen(function* () {
            const both = [yield* openedIn(shared)("one"), yield* openedIn(shared)("two")]
            return yield* Effect.promise(() => Promise.all(both.map(folderOf)))
          }),
        )
        expect(new Set(folders).size).toBe(2)
        for (const folder of folders) expect(dirname(folder)).toBe(dirname(left))
        expect([left, ...folders].filter((each) => existsSync(each))).toEqual([])
      }),
  )

  it.live("go on when one of a newer version adds a column, which older ones then refuse", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const old = yield* lakeProcess(shared, "old")
      yield* commit(old, ["v", 0, 0])
      const young = yield* lakeProcess(shared, "young", { addedColumn: "slope" })
      yield* commit(young, ["v", 1, 1])
      yield* commit(old, ["v", 2, 2], ["v", 3, 3])
      expect(
        yield* rows(young, "select value, slope from core.readings order by observed_at"),
      ).toEqual([0, 1, 2, 3].map((value) => ({ value, slope: null })))
      const another = yield* lakeProcess(shared, "another")
      expect(another.opened).toEqual({
        error: expect.stringContaining("core.readings.slope is stored but no longer declared"),
      })
    }),
  )
})
