// Publishing to a real PostgreSQL: what readers find there, what is copied, what stays, what is refused. Run by
// `make test-postgres`.
import { execFileSync } from "node:child_process"
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Client } from "pg"
import { beforeAll } from "vitest"
import { stopClock } from "../../demo/stoppedClock.ts"
import { publishPostgres } from "../../src/pipelines/publication/postgres.ts"
import { existingWarehouse } from "../../src/pipelines/publication/warehouse.ts"
import { readCurrent } from "../../src/load/published/publishedFiles.ts"
import { type Around, vaulthouse } from "../cli/command.ts"
import {
  installed,
  newDatabase,
  password,
  type PostgresServer,
  sharedPostgres,
} from "../support/servers/postgres.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { change, runOnce } from "../support/warehouseRun.ts"
import { columnsOf, difference, inDuckdb, inPostgres } from "./content.ts"

describe.skipIf(installed === undefined)("PostgreSQL", () => {
  let server: PostgresServer
  beforeAll(() => {
    server = sharedPostgres()
  })

  const warehouse = sharedWarehouse((dataDir) =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now: "2026-06-01T12:00:00Z",
        vaults: 3,
        subaccounts: 4,
        days: 60,
      })
      yield* runOnce(simulator.url, join(dataDir, "data"), {
        api: asAdmin,
        publish: { parquet: undefined },
      })
    }),
  )

  /** A copy of the warehouse, and an empty database it publishes to. */
  const prepared = Effect.gen(function* () {
    const cwd = yield* warehouse
    const database = yield* Effect.promise(newDatabase)
    const configure = (lines: ReadonlyArray<string> = [], url = server.url(database)) =>
      writeFileSync(
        join(cwd, "vaulthouse.config.yaml"),
        ["parquet: { enabled: false }", "publish:", `  postgres: ${JSON.stringify(url)}`]
          .concat(lines.map((line) => `  ${line}`))
          .join("\n"),
      )
    configure()
    const run = (args: ReadonlyArray<string>, around: Partial<Around> = {}) =>
      Effect.promise(() => vaulthouse(args, { cwd, ...around }))
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const opened = new Client({ connectionString: server.url(database) })
        await opened.connect()
        return opened
      }),
      (opened) => Effect.promise(() => opened.end()),
    )
    const rows = (sql: string) =>
      Effect.promise(async () => (await client.query<Record<string, unknown>>(sql)).rows)
    const psql = (sql: string) =>
      execFileSync("psql", ["-XAtqc", sql, server.url(database)], { encoding: "utf8" })
    return { cwd, dataDir: join(cwd, "data"), database, configure, run, client, rows, psql }
  })

  /** Publishes the last published copy, without looking for news. */
  const publishThere = (dataDir: string, database: string) =>
    publishPostgres(
      { postgres: { address: Redacted.make(server.url(database)), prefix: "", role: undefined } },
      {},
    ).pipe(
      Effect.provide(existingWarehouse("Publishing", { dataDir, runId: "test" })),
      Effect.scoped,
    )

  const published = (stdout: string) => {
    const { postgres } = JSON.parse(stdout) as {
      postgres: { schema: string; rows: number; rows_copied: number }
    }
    return postgres
  }

  it.live("holds every table and mart with the values of the published copy", () =>
    Effect.gen(function* () {
      const { cwd, dataDir, run, client, rows } = yield* prepared
      const ids = {
        "core.otc_positions": "position_id",
        "core.loans": "loan_id",
        "core.allocation_history": "protocol",
      }
      yield* change(
        dataDir,
        // What PostgreSQL's types can't hold as it is.
        `update core.vaults set vault_name = 'a"b\\N' || chr(10) || chr(0) || ',', extra = '{"a":"\\u0000","b":1e99999}'
         where is_current`,
        // Longer than a row of an index may be, and not to be compressed to less.
        ...Object.entries(ids).map(
          ([table, id]) =>
            `update ${table} set ${id} = (select string_agg(md5(n::varchar), '') from range(200) t(n))
             where ${id} = (select min(${id}) from ${table})`,
        ),
        "checkpoint",
      )
      const ended = yield* run(["publish", "--json"])
      expect(ended.stderr).toBe("")
      expect(published(ended.stdout)).toMatchObject({ schema: "run_1" })
      const copy = join(cwd, "copy.duckdb")
      copyFileSync(join(dataDir, "published/vaulthouse.duckdb"), copy)
      const [clock] = yield* rows(
        "select to_char(now_at, 'YYYY-MM-DD HH24:MI:SS.US') as now from mart.clock",
      )
      yield* Effect.promise(async () => {
        const instance = await DuckDBInstance.create(copy)
        const connection = await instance.connect()
        await connection.run("SET TimeZone = 'UTC'")
        await stopClock(connection, "mart", String(clock?.["now"]))
        // The stored mart has the names too.
        for (const table of ["core.vaults", "mart_tables.vault_hourly"]) {
          await connection.run(
            `update ${table} set vault_name = replace(vault_name, chr(0), chr(65533))`,
          )
        }
        const found = await connection.runAndReadAll(
          `select table_schema || '.' || table_name from information_schema.tables
           where table_schema in ('core', 'mart', 'meta', 'ops') and table_catalog = current_database() order by all`,
        )
        const names = found.getRows().map(([name]) => String(name))
        expect(names.length).toBeGreaterThan(100)
        const wrong: Array<string> = []
        for (const name of names) {
          // The odd values are compared below.
          const columns = (await columnsOf(connection, name)).filter(
            (column) => name !== "core.vaults" || column.name !== "extra",
          )
          const differs = difference(
            await inDuckdb(connection, name, columns),
            await inPostgres(client, name, columns),
            columns,
          )
          if (differs !== undefined) wrong.push(`${name}: ${differs}`)
        }
        expect(wrong).toEqual([])
        connection.closeSync()
        instance.closeSync()
      })
      // As a string, since jsonb holds neither.
      const odd = yield* rows(
        "select distinct jsonb_typeof(extra) as type, extra #>> '{}' as text from core.vaults where is_current",
      )
      expect(odd).toEqual([{ type: "string", text: '{"a":"\\u0000","b":1e99999}' }])
      for (const [table, id] of Object.entries({ ...ids, "mart.loan_book": "loan_id" })) {
        const longest = yield* rows(`select max(length(${id})) as characters from ${table}`)
        expect({ table, longest }).toEqual({ table, longest: [{ characters: 6400 }] })
      }

      // A number that jsonb has no room for is in a string, an array for which it has none is left out.
      yield* change(
        dataDir,
        `update core.vaults set extra = case
           when vault_address = (select min(vault_address) from core.vaults)
           then '{"n":' || repeat('7', 140000) || '}' else '[' || repeat('0,', 17000000) || '0]' end
         where is_current`,
        "checkpoint",
      )
      expect((yield* run(["publish"])).stderr).toBe("")
      const large = yield* rows(
        "select distinct jsonb_typeof(extra) as type, length(extra #>> '{}') as characters from core.vaults where is_current order by 2",
      )
      expect(large).toEqual([
        { type: "string", characters: 140_006 },
        { type: null, characters: null },
      ])
    }),
  )

  it.live("is typed, described and readable by one role, as psql shows it", () =>
    Effect.gen(function* () {
      const { configure, run, psql, database, rows } = yield* prepared
      configure(["postgresRole: analysts"])
      yield* run(["publish"])
      const types = psql(
        `select format_type(atttypid, null) from pg_attribute where attrelid = 'core.withdrawal_requests'::regclass
         and attname in ('requested_at', 'amount_raw', 'amount', 'extra', 'is_current', 'chain_id') order by attnum`,
      )
      expect(types.trim().split("\n")).toEqual([
        "bigint",
        "timestamp with time zone",
        "numeric",
        "double precision",
        "jsonb",
        "boolean",
      ])
      expect(psql("select obj_description('mart.vault_daily'::regclass)")).toMatch(/One row per/)
      const undescribed = psql(
        `select c.oid::regclass || '.' || a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
         where c.relnamespace::regnamespace::text in ('core', 'mart', 'meta', 'ops') and a.attnum > 0
         and (col_description(c.oid, a.attnum) is null or obj_description(c.oid) is null)`,
      )
      expect(undescribed).toBe("")
      const plan = psql("explain select * from core.ratio_history where vault_address = 'a'")
      expect(plan).toContain("Index")
      yield* rows(`create role reader login password 'reader'`)
      yield* rows(`grant analysts to reader`)
      const asReader = (sql: string) => {
        const url = `postgres://reader:reader@127.0.0.1:${server.port}/${database}`
        try {
          return execFileSync("psql", ["-XAtqc", sql, url], {
            encoding: "utf8",
            stdio: "pipe",
          }).trim()
        } catch (error) {
          return (error as { stderr: string }).stderr
        }
      }
      expect(
        asReader("select count(*) > 0 from core.vaults, mart.vault_latest, meta.tables, ops.runs"),
      ).toBe("t")
      expect(asReader("select count(*) > 0 from run_1.mart_vault_daily")).toBe("t")
      expect(asReader("delete from core.vaults")).toContain("permission denied")
      expect(asReader("select * from vaulthouse.part_1")).toContain("permission denied")
      yield* rows("drop owned by reader, analysts")
      yield* rows("drop role reader")
      yield* rows("drop role analysts")
    }),
  )

  it.live("takes the time it needs, however short a statement of the user may be", () =>
    Effect.gen(function* () {
      const { database, run, rows } = yield* prepared
      yield* rows(`alter database "${database}" set statement_timeout = '1ms'`)
      yield* rows(`alter database "${database}" set idle_in_transaction_session_timeout = '1ms'`)
      const others = yield* rows(
        "select name from pg_settings where name in ('idle_session_timeout', 'transaction_timeout')",
      )
      for (const { name } of others) {
        yield* rows(`alter database "${database}" set ${String(name)} = '300ms'`)
      }
      const { code, stderr } = yield* run(["publish"])
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    }),
  )

  it.live("gives the role its rights again where they are gone, as after a restore", () =>
    Effect.gen(function* () {
      const { configure, run, rows } = yield* prepared
      configure(["postgresRole: auditors"])
      const rights = `select has_schema_privilege('auditors', 'mart', 'usage') as schema,
        has_table_privilege('auditors', 'mart.vault_daily', 'select') as view`
      yield* run(["publish"])
      expect(yield* rows(rights)).toEqual([{ schema: true, view: true }])
      yield* rows("drop owned by auditors")
      expect(yield* rows(rights)).toEqual([{ schema: false, view: false }])
      expect((yield* run(["publish"])).code).toBe(0)
      expect(yield* rows(rights)).toEqual([{ schema: true, view: true }])
      // What somebody has revoked on a view alone stays revoked.
      yield* rows("revoke select on mart.vault_daily from auditors")
      expect((yield* run(["publish"])).code).toBe(0)
      expect(yield* rows(rights)).toEqual([{ schema: true, view: false }])
      yield* rows("drop owned by auditors")
      yield* rows("drop role auditors")
    }),
  )

  it.live(
    "copies what changed, keeps as many publications as set, and what users made on its views",
    () =>
      Effect.gen(function* () {
        const { dataDir, run, rows } = yield* prepared
        // Three years by the hour for each vault, so that the table is large.
        yield* change(
          dataDir,
          `insert into core.ratio_history by name select h.* replace (observed_at - interval (60 * n) day as observed_at)
         from core.ratio_history h, range(1, 45) t(n)`,
          "update ops.partition_changes set changed_at = now() where table_name = 'ratio_history'",
          "checkpoint",
        )
        const first = published((yield* run(["publish", "--json"])).stdout)
        expect(first.rows_copied).toBe(first.rows)
        const periods = yield* rows(
          "select period, rows::int from vaulthouse.parts where relation = 'core.ratio_history' order by 1",
        )
        const names = periods.map(({ period }) => String(period))
        expect(names.filter((name) => name.length === 4).length).toBeGreaterThan(1)
        expect(names.filter((name) => name.length === 7).length).toBeGreaterThan(12)
        yield* rows(
          "create view public.mine as select vault_address, max(observed_at) as at from core.ratio_history group by 1",
        )
        yield* rows("create role somebody")
        yield* rows("grant select on core.ratio_history to somebody")

        const month = names.at(-3)
        yield* change(
          dataDir,
          `update core.ratio_history set actual_tvl = actual_tvl + 1 where strftime(observed_at, '%Y-%m') = '${month}'`,
          "checkpoint",
        )
        const second = published((yield* run(["publish", "--json"])).stdout)
        const ofMonth = Number(periods.find(({ period }) => period === month)?.["rows"])
        const again = yield* rows(
          `select period, rows::int from vaulthouse.parts p where relation = 'core.ratio_history'
         and not exists (select from vaulthouse.publication_parts where part_id = p.id and number = 1)`,
        )
        expect(again).toEqual([{ period: month, rows: ofMonth }])
        // Marts with figures of that month, and those that show the present time.
        expect(second.rows_copied).toBeLessThan(first.rows / 4)
        expect(yield* rows("select * from public.mine limit 1")).toHaveLength(1)
        expect(
          yield* rows(
            "select has_table_privilege('somebody', 'core.ratio_history', 'select') as may",
          ),
        ).toEqual([{ may: true }])

        // However old the newest one is, readers had it until it was replaced.
        yield* rows(
          "update vaulthouse.publications set switched_at = switched_at - interval '30 days'",
        )
        yield* run(["publish"])
        const schemas = yield* rows(
          "select nspname from pg_namespace where nspname ~ '^run_' order by 1",
        )
        expect(schemas.map(({ nspname }) => nspname)).toEqual(["run_2", "run_3"])
        const tables = yield* rows(
          "select count(*)::int as n from pg_class where relnamespace = 'vaulthouse'::regnamespace and relkind = 'r' and relname ~ '^part_'",
        )
        const parts = yield* rows(
          "select count(distinct part_id)::int as n, (select count(*)::int from vaulthouse.parts) as stored from vaulthouse.publication_parts",
        )
        expect(parts).toEqual([{ n: tables[0]?.["n"], stored: tables[0]?.["n"] }])
        yield* rows("drop owned by somebody")
        yield* rows("drop role somebody")
      }),
  )

  it.live("replaces a view whose columns changed, unless views of others depend on it", () =>
    Effect.gen(function* () {
      const { dataDir, run, rows } = yield* prepared
      yield* run(["publish"])
      // As an earlier version may have left it.
      const asBefore = (columns: string) =>
        rows(`drop view core.fees; create view core.fees as select ${columns} from run_1.core_fees`)
      yield* asBefore("vault_address, chain_id::text as chain_id, 1 as gone")
      yield* rows("grant select on core.fees to public")
      yield* rows("grant update (vault_address, gone) on core.fees to pg_monitor")
      yield* rows("create view public.mine as select chain_id from core.fees")
      const refused = yield* run(["publish"])
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain("other columns in a view that others depend on")
      expect(refused.stderr).toContain("view public.mine depends on view core.fees")
      expect(refused.stderr).toContain("Drop those views, run `vaulthouse publish`")
      expect(yield* rows("select number::int from vaulthouse.publications")).toEqual([
        { number: 1 },
      ])
      // However often it fails, it leaves no more than what the last attempt copied.
      const ratios = rows(
        "select count(*)::int as n from vaulthouse.parts where relation = 'core.ratio_history'",
      )
      for (const _attempt of ["second", "third"]) {
        yield* change(
          dataDir,
          "update core.ratio_history set actual_tvl = actual_tvl + 1",
          "checkpoint",
        )
        expect((yield* run(["publish"])).code).toBe(1)
        expect(yield* ratios).toEqual([{ n: 2 }])
      }
      yield* rows("drop view public.mine")
      expect((yield* run(["publish"])).code).toBe(0)
      const [granted] = yield* rows(
        `select has_table_privilege('pg_monitor', 'core.fees', 'select') as view,
           has_column_privilege('pg_monitor', 'core.fees', 'vault_address', 'update') as column,
           has_column_privilege('pg_monitor', 'core.fees', 'chain_id', 'update') as another`,
      )
      expect(granted).toEqual({ view: true, column: true, another: false })
      const [type] = yield* rows("select pg_typeof(chain_id)::text as type from core.fees limit 1")
      expect(type).toEqual({ type: "bigint" })
      const [comment] = yield* rows("select obj_description('core.fees'::regclass) as text")
      expect(comment?.["text"]).toMatch(/One row per/)

      // New columns go to the end, without a drop.
      yield* asBefore("chain_id, vault_address")
      yield* rows("create view public.mine as select chain_id from core.fees")
      expect((yield* run(["publish"])).code).toBe(0)
      const columns = yield* rows(
        "select attname from pg_attribute where attrelid = 'core.fees'::regclass and attnum > 0 order by attnum limit 3",
      )
      expect(columns.map(({ attname }) => attname).slice(0, 2)).toEqual([
        "chain_id",
        "vault_address",
      ])
      expect(columns).toHaveLength(3)
    }),
  )

  it.live("that fails again and again while it copies leaves what the last attempt copied", () =>
    Effect.gen(function* () {
      const { dataDir, run, rows } = yield* prepared
      expect((yield* run(["publish"])).code).toBe(0)
      const last = String(
        (yield* rows("select relation from vaulthouse.parts order by id desc limit 1"))[0]?.[
          "relation"
        ],
      )
      // As where the disk is full, or a statement takes longer than it may.
      yield* rows(`create function public.refuse() returns trigger language plpgsql as
        $$ begin raise exception 'no room for %', new.relation; end $$`)
      yield* rows(`create trigger refuse before insert on vaulthouse.parts for each row
        when (new.relation = '${last}') execute function public.refuse()`)
      // So that it is copied.
      yield* rows(`update vaulthouse.parts set fingerprint = 'other' where relation = '${last}'`)
      const stored = rows(`select count(*)::int as parts,
          count(*) filter (where relation = 'core.ratio_history')::int as ratios,
          (select count(*)::int from pg_class where relnamespace = 'vaulthouse'::regnamespace
             and relkind = 'r' and relname ~ '^part_') as tables
        from vaulthouse.parts`)
      const attempts: Array<unknown> = []
      for (const _attempt of ["first", "second", "third"]) {
        yield* change(
          dataDir,
          "update core.ratio_history set actual_tvl = actual_tvl + 1",
          "checkpoint",
        )
        const failed = yield* run(["publish"])
        expect(failed.stderr).toContain(`no room for ${last}`)
        attempts.push(...(yield* stored))
      }
      const [first, second, third] = attempts
      expect(first).toMatchObject({ ratios: 2 })
      expect([second, third]).toEqual([first, first])
      yield* rows("drop trigger refuse on vaulthouse.parts")
      expect((yield* run(["publish"])).code).toBe(0)
    }),
  )

  it.live("has nothing of a program that has opened the published copy to write", () =>
    Effect.gen(function* () {
      const { dataDir, database } = yield* prepared
      const current = yield* Effect.promise(() => readCurrent(dataDir))
      writeFileSync(join(dataDir, "published", `${current?.file}.wal`), "")
      const failed = yield* Effect.flip(publishThere(dataDir, database))
      expect(failed.message).toContain(".wal of a program that has opened it to write")
      expect(failed.message).toContain("the next run publishes what is missing")
    }),
  )

  it.live("leaves the schemas of others alone", () =>
    Effect.gen(function* () {
      const { configure, run, rows } = yield* prepared
      yield* rows("create schema core; create table core.orders (id int)")
      const refused = yield* run(["publish"])
      expect(refused).toMatchObject({ code: 1 })
      expect(refused.stderr).toContain(
        "the database has core.orders already, which vaulthouse did not make",
      )
      const own = "select nspname from pg_namespace where nspname in ('vaulthouse', 'mart')"
      expect(yield* rows(own)).toEqual([])
      configure(["postgresPrefix: vh_"])
      expect((yield* run(["publish"])).code).toBe(0)
      expect(
        yield* rows(
          "select count(*)::int as n from vh_core.vaults v, vh_run_1.ops_runs, vh_mart.clock where v.is_current",
        ),
      ).toEqual([{ n: 3 }])
    }),
  )

  it.live("names the owner of a schema in which the user may not create", () =>
    Effect.gen(function* () {
      const { configure, run, rows, database } = yield* prepared
      yield* rows("create role weak")
      yield* rows("create role other login password 'other'")
      yield* rows(`grant create on database ${database} to other`)
      yield* rows("create schema vaulthouse authorization weak")
      const url = `postgres://other:other@127.0.0.1:${server.port}/${database}`
      configure([], url)
      const refused = yield* run(["publish"])
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain(
        "schema vaulthouse belongs to weak, and other may not create tables and views in it",
      )
      expect(refused.stderr).toContain("Publish as weak, or set publish.postgresPrefix")
      configure(["postgresPrefix: vh_"], url)
      expect((yield* run(["publish"])).code).toBe(0)
      yield* rows("drop owned by other, weak cascade")
      yield* rows("drop role other, weak")
    }),
  )

  it.live(
    "says what an administrator is to run, whatever the database and the role are called",
    () =>
      Effect.gen(function* () {
        const { configure, run, rows, database } = yield* prepared
        const named = database.replace("_", "-")
        const role = database.toUpperCase()
        yield* rows(`create database "${named}"`)
        yield* rows(`create role "ETL-1" login password 'etl'`)
        configure(
          [`postgresRole: ${role}`],
          `postgres://ETL-1:etl@127.0.0.1:${server.port}/${named}`,
        )
        const asked = (text: string) =>
          /administrator run `(.*?)`/.exec(text.replaceAll(/\s+/g, " "))?.[1]
        const toGrant = asked((yield* run(["doctor"])).stdout)
        expect(toGrant).toBe(`grant create on database "${named}" to "ETL-1"`)
        yield* rows(String(toGrant))
        const toMake = asked((yield* run(["publish"])).stderr)
        expect(toMake).toBe(`create role "${role}" nologin`)
        yield* rows(String(toMake))
        const { code, stderr } = yield* run(["publish"])
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
        yield* rows(`drop database "${named}"`)
        yield* rows(`drop role "ETL-1", "${role}"`)
      }),
  )

  it.live("has no part in a database without some of the characters", () =>
    Effect.gen(function* () {
      const { configure, run, rows, database } = yield* prepared
      const make = (name: string, encoding: string) =>
        rows(
          `create database ${name} encoding '${encoding}' template template0 lc_collate 'C' lc_ctype 'C'`,
        )
      const latin = `${database}_latin1`
      yield* make(latin, "LATIN1")
      configure([], server.url(latin))
      const why = `the encoding of the database ${latin} is LATIN1`
      const doctor = yield* run(["doctor"])
      expect(doctor.stdout.replaceAll(/\s+/g, " ")).toContain(why)
      const refused = yield* run(["publish"])
      expect(refused.code).toBe(1)
      expect(refused.stderr.replaceAll(/\s+/g, " ")).toContain(why)
      const left = "select nspname from pg_namespace where nspname in ('vaulthouse', 'core')"
      expect(yield* Effect.promise(() => server.query(left, latin))).toEqual([])

      const bytes = `${database}_bytes`
      yield* make(bytes, "SQL_ASCII")
      configure([], server.url(bytes))
      const ended = yield* run(["publish"])
      expect(ended).toMatchObject({ code: 0, stderr: "" })
      const whole = "select count(*) > 0 as found from pg_description where description like '%…%'"
      expect(yield* Effect.promise(() => server.query(whole, bytes))).toEqual([{ found: true }])
    }),
  )

  it.live("keeps a later publication of the warehouse, unless the warehouse has none such", () =>
    Effect.gen(function* () {
      const { dataDir, database, run, rows } = yield* prepared
      const before = `${dataDir}-before`
      yield* run(["publish"])
      cpSync(dataDir, before, { recursive: true })
      yield* run(["publish"])
      const newest = () =>
        rows(
          `select number::int, p.run_id = (select run_id from ops.publications order by published_at desc limit 1) as shown
           from vaulthouse.publications p order by number desc limit 1`,
        )
      // The copy before, as on a machine that was slower.
      rmSync(join(dataDir, "published"), { recursive: true })
      cpSync(join(before, "published"), join(dataDir, "published"), { recursive: true })
      for (const folder of [dataDir, before]) rmSync(join(folder, "postgres.json"))
      expect(yield* publishThere(dataDir, database)).toBe(undefined)
      expect(yield* newest()).toEqual([{ number: 2, shown: true }])
      // The warehouse as it was then, as after a restore.
      expect(yield* publishThere(before, database)).toMatchObject({ schema: "run_3" })
      expect(yield* newest()).toEqual([{ number: 3, shown: true }])
    }),
  )

  it.live(
    "that is down fails the publication, not what landed, and the next run catches up without news",
    () =>
      Effect.gen(function* () {
        const { configure, dataDir, run, rows, database } = yield* prepared
        const simulator = yield* simulated({
          now: "2026-06-01T12:00:00Z",
          vaults: 3,
          subaccounts: 4,
          days: 60,
        })
        const sync = ["sync", "ratio_history", "--base-url", simulator.url]
        const closed = server.url(database).replace(`:${server.port}/`, ":9/")
        configure([], closed)
        const failed = yield* run([...sync, "--full", "--json"])
        expect(failed.code).toBe(1)
        expect(failed.stderr).toContain(
          `Publishing to postgres://127.0.0.1:9/${database} failed: nothing listens there`,
        )
        const summary = JSON.parse(failed.stdout) as Record<string, unknown>
        const kinds = (of: Record<string, unknown>) =>
          (of["problems"] as ReadonlyArray<{ kind: string }>).map(({ kind }) => kind)
        expect(summary["outcome"]).toBe("complete")
        expect(kinds(summary)).toContain("publication_failed")
        // Where the settings publish nothing, nothing fails; --no-publish is of one run alone.
        const failures = Effect.map(run(["status"]), ({ stdout }) =>
          stdout.includes("1 failed publication"),
        )
        yield* run([...sync, "--no-publish"])
        expect(yield* failures).toBe(true)
        configure(["enabled: false"], closed)
        expect((yield* run(sync)).code).toBe(0)
        expect(yield* failures).toBe(false)
        configure([], closed)
        expect((yield* run(sync)).code).toBe(1)
        const doctor = yield* run(["doctor"])
        expect(doctor.stdout).toMatch(/PostgreSQL\s+failed\s+nothing listens there/)
        const status = yield* run(["status"])
        expect(status.stdout).toContain("1 failed publication")
        configure()
        expect((yield* run(["doctor"])).stdout).toMatch(/PostgreSQL\s+ok\s+PostgreSQL 18/)
        const caught = yield* run([...sync, "--json"])
        expect(caught.code).toBe(0)
        const news = JSON.parse(caught.stdout) as Record<string, unknown>
        expect(news["nothing_new"]).toBe(true)
        expect(kinds(news)).not.toContain("publication_failed")
        expect(yield* rows("select count(*)::int as n from vaulthouse.publications")).toEqual([
          { n: 1 },
        ])
        // And a run without news after that leaves the database alone.
        yield* run(sync)
        expect(yield* rows("select count(*)::int as n from vaulthouse.publications")).toEqual([
          { n: 1 },
        ])

        // One that a variable now leads to is published to, with or without news.
        const other = `${database}_other`
        yield* Effect.promise(() => server.query(`create database ${other}`))
        configure([], "${DATABASE_URL}")
        for (const name of [database, other]) {
          yield* run(sync, { env: { DATABASE_URL: server.url(name) } })
        }
        const inOther = "select count(*)::int as n from vaulthouse.publications"
        expect(yield* Effect.promise(() => server.query(inOther, other))).toEqual([{ n: 1 }])

        // What a replay publishes reaches the database too.
        yield* change(
          dataDir,
          "update core.ratio_history set adjusted_redeem_ratio = 7 where adjusted_redeem_ratio is not null",
          "checkpoint",
        )
        configure([], closed)
        const replayed = yield* run(["replay"])
        expect(replayed.code).toBe(1)
        expect(replayed.stdout).toContain("Published.")
        expect(replayed.stderr).toContain("nothing listens there")
        configure()
        expect((yield* run(["replay"])).code).toBe(0)
        expect(yield* rows("select count(*)::int as n from vaulthouse.publications")).toEqual([
          { n: 2 },
        ])

        // No secret anywhere, whatever fails.
        configure(["postgresRole: analysts"], "${DATABASE_URL}")
        const unset = yield* run(["publish"])
        expect(unset.stderr).toContain("the environment variable DATABASE_URL is not set")
        const wrong = server.url(database).replace(encodeURIComponent(password), "secret-7")
        const env = { DATABASE_URL: wrong }
        const refused = yield* run(["publish", "--log-level", "debug"], { env })
        expect(refused.stderr).toContain("password authentication failed")
        const shown = yield* run(["config"], { env })
        configure([], wrong)
        const config = yield* run(["config", "--json"])
        const texts = [refused, shown, config].map(({ stdout, stderr }) => stdout + stderr).join("")
        expect(texts).not.toContain("secret-7")
        const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
        const telling = files.filter((file) => {
          const content = readFileSync(file)
          return ["secret-7", password, encodeURIComponent(password)].some((text) =>
            content.includes(text),
          )
        })
        expect(telling).toEqual([])
      }),
  )
})
