// What readers get of a lake is what they get of a file, whichever machine publishes and whatever others commit
// meanwhile; and every command works on a lake, or its error has what to do instead.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Client } from "pg"
import { afterAll, beforeAll } from "vitest"
import { startSimulator, type Simulator } from "../../simulator/index.ts"
import { tableName, storedTables } from "../../src/domain/table/table.ts"
import { marts } from "../../src/load/marts/marts.ts"
import { publishedFile } from "../../src/load/published/read/PublishedCopy.ts"
import { verify } from "../../src/load/published/verify/verify.ts"
import { type Place, openWarehouse } from "../../src/pipelines/publication/warehouse.ts"
import { publishPostgres, readPostgresState } from "../../src/pipelines/publication/postgres.ts"
import { publishAnyway } from "../../src/pipelines/publication/publish.ts"
import { coreTables } from "../../src/pipelines/pipelines.ts"
import { vaulthouse } from "../cli/command.ts"
import { batchOf, commit, type RowValues, rowsOf } from "../load/sample.ts"
import { asAdmin } from "../support/simulated.ts"
import { changeFile, queryFile, runOnce } from "../support/warehouseRun.ts"
import { extensions, lake, newCatalog } from "./lake.ts"

const published = {
  parquet: { marts: true },
  keep: { copies: 0, days: 0 },
} as const

/** Columns with the time at which vaulthouse read something, or that the service makes anew for each response. */
const differs = (column: string): boolean =>
  /^_|^valid_(from|to)$|(^|_)(read|since|listed_from|attempted|responded|reported|calculated|seen|compared|now|as_of)_at$|^health_factor_(id|low_at)$|age_(hours|days)$|^newest_at$|^difference$/.test(
    column,
  )

const COLUMNS = `
  SELECT schema_name || '.' || table_name AS name, column_name, data_type, comment
  FROM duckdb_columns()
  WHERE database_name = current_database() AND schema_name IN ('core', 'mart', 'meta') ORDER BY ALL`

const DEFINITIONS = `
  SELECT view_name AS name, sql, comment FROM duckdb_views()
  WHERE database_name = current_database() AND NOT internal
  UNION ALL SELECT table_name, NULL, comment FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name <> 'mart_tables'
  UNION ALL SELECT function_name, macro_definition, comment FROM duckdb_functions()
    WHERE database_name = current_database() AND NOT internal
  ORDER BY ALL`

/** Compares two published copies, marts and macros included. */
const expectAlike = async (copy: string, other: string) => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  const rowsOfBoth = async (sql: string) => {
    const rowsIn = async (catalog: string) => {
      await connection.run(`USE ${catalog}`)
      return (await connection.runAndReadAll(sql)).getRowObjectsJson()
    }
    return [await rowsIn("copy"), await rowsIn("other")] as const
  }
  try {
    await connection.run(
      `ATTACH '${copy}' AS copy (READ_ONLY); ATTACH '${other}' AS other (READ_ONLY)`,
    )
    const [columns, otherColumns] = await rowsOfBoth(COLUMNS)
    expect(columns).toEqual(otherColumns)
    const [definitions, otherDefinitions] = await rowsOfBoth(DEFINITIONS)
    expect(definitions).toEqual(otherDefinitions)
    const byName = Map.groupBy(columns, ({ name }) => String(name))
    const past = coreTables.filter(({ mode }) => mode === "history" || mode === "slowly_changing")
    const sources = [
      ...coreTables.flatMap(storedTables).map(tableName),
      ...marts.map(({ name }) => `mart.${name}`),
    ].map((name) => [name, name] as const)
    const macros = past.map(
      (table) => [tableName(table), `mart.${table.name}_as_of(TIMESTAMP '2100-01-01')`] as const,
    )
    for (const [name, source] of [...sources, ...macros]) {
      const compared = (byName.get(name) ?? [])
        .map(({ column_name }) => String(column_name))
        .filter((column) => !differs(column))
      if (compared.length === 0) continue
      const [rows, others] = await rowsOfBoth(
        `SELECT ${compared.map((column) => `"${column}"`).join(", ")} FROM ${source} ORDER BY ALL`,
      )
      expect(rows, source).toEqual(others)
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const rowsIn = (name: string, row: RowValues) => {
  const table = coreTables.find((each) => tableName(each) === `core.${name}`)
  if (table === undefined) throw new Error(`There is no table core.${name}`)
  return rowsOf(table, [row])
}

describe.skipIf(lake === undefined)("a lake", () => {
  let folder = ""
  let simulator: Simulator
  let place: Place
  const dataDir = (name: string) => join(folder, name)
  const copyOn = (name: string) => publishedFile(dataDir(name))

  const sync = (at: Place, pipelines: ReadonlyArray<string> = []) =>
    Effect.runPromise(
      Effect.scoped(
        runOnce(simulator.url, at.dataDir, { ...at, pipelines, api: asAdmin, publish: published }),
      ),
    )

  /** By the machine of this name, with a data directory of its own. */
  const publishOn = (name: string) =>
    publishAnyway({ ...published, ...place, dataDir: dataDir(name), rebuildAll: false })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vaulthouse-readers-"))
    simulator = await startSimulator({ slowReadMs: 0, vaults: 2, days: 35, subaccounts: 2 })
    const [catalog, data] = [await newCatalog(), dataDir("lake")]
    mkdirSync(data)
    place = {
      dataDir: dataDir("one"),
      warehouse: Redacted.make(`ducklake:${catalog}`, { label: "the lake" }),
      lake: { data, extensions },
    }
    mkdirSync(dataDir("cwd"))
    writeFileSync(
      join(dataDir("cwd"), "vaulthouse.config.yaml"),
      `baseUrl: ${simulator.url}
warehouse: ducklake:${catalog}
lake: { data: ${data}, extensions: ${extensions} }
dataDir: ${dataDir("one")}
`,
    )
    await sync({ dataDir: dataDir("file") })
    await sync(place)
  })

  afterAll(async () => {
    await simulator.close()
    await rm(folder, { recursive: true, force: true })
  })

  it.live("gives readers what a file gives them, from whichever machine publishes", () =>
    Effect.gen(function* () {
      const first = yield* publishOn("two")
      expect(first.parquetWritten).toBe(first.parquetFiles)
      const refreshed = "select name, refreshed_at::varchar as at from ops.stored_marts"
      const positions = `${refreshed} where name = 'position_days'`
      const before = yield* queryFile(copyOn("two"), positions)
      expect(before).toHaveLength(1)
      // What was restated since is news for both, each of which has an older copy.
      simulator.patch({ revision: 1 })
      const histories = ["ratio_history", "pnl_history"]
      yield* Effect.promise(() => sync({ dataDir: dataDir("file") }, histories))
      yield* Effect.promise(() => sync(place, histories))
      const again = yield* publishOn("two")
      expect(again.parquetWritten).toBeLessThan(again.parquetFiles)
      // A mart is stored again where its rows changed.
      expect(yield* queryFile(copyOn("two"), positions)).toEqual(before)
      for (const machine of ["one", "two"]) {
        yield* Effect.promise(() => expectAlike(copyOn(machine), copyOn("file")))
        // A second publication begins with the copy before, which has rows that the lake has not.
        const twice = "select name from ops.stored_marts group by name having count(*) > 1"
        expect(yield* queryFile(copyOn(machine), twice)).toEqual([])
      }
      for (const name of ["one", "two"]) expect(yield* verify(dataDir(name))).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.live("is not replaced in PostgreSQL by what another machine published before", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(newCatalog)
      const postgres = { address: Redacted.make(url), prefix: "", role: undefined }
      const everywhere = { ...published, ...place, postgres, rebuildAll: false }
      const inPostgres = Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        await client.connect()
        const { rows } = await client.query<{ run_id: string }>(
          "select run_id from ops.publications order by published_at desc limit 1",
        )
        await client.end()
        return rows[0]?.run_id
      })
      const slower = yield* publishOn("slower")
      const later = yield* publishAnyway({ ...everywhere, dataDir: dataDir("faster") })
      const slowerPlace = { ...place, dataDir: dataDir("slower") }
      const ended = yield* publishPostgres({ postgres }, {}).pipe(
        Effect.provide(openWarehouse({ ...slowerPlace, runId: "slower" })),
      )
      expect(ended).toBe(undefined)
      expect(yield* inPostgres).toBe(later.runId)
      // Nothing is left to be made up for.
      expect(yield* readPostgresState(dataDir("slower"))).toMatchObject({
        run_id: slower.runId,
        error: null,
      })
      const latest = yield* publishAnyway({ ...everywhere, dataDir: dataDir("slower") })
      expect(yield* inPostgres).toBe(latest.runId)
    }).pipe(Effect.scoped),
  )

  it.live("runs every command, or says what to do instead", () =>
    Effect.promise(async () => {
      const run = (...args: ReadonlyArray<string>) =>
        vaulthouse(args, {
          cwd: dataDir("cwd"),
          env: { VAULTHOUSE_API_KEY: "demo-admin-key" },
        })
      const vault = "select vault_address from mart.vault_latest order by all limit 1"
      const [{ vault_address }] = JSON.parse(
        (await run("query", vault, "--format", "json")).stdout,
      ) as [{ vault_address: string }]
      const expected = [
        [["status"], "Published"],
        [["runs"], "sync"],
        [["diff", "last"], "core.ratio_history"],
        [["tables", "core.vaults"], "valid_from"],
        [["fields"], "field"],
        [["trace", "vault_latest", "--vault", vault_address], "raw/"],
        [["report", "--days", "7", "--out", "report.html"], "report.html"],
        [["check"], "0 failed"],
        [["check", "--against-archive"], "bit for bit"],
        [["sync", "--plan"], "Nothing was sent"],
        [["replay", "--quarantine"], "empty"],
        [["prune", "--older-than", "30"], "Nothing to delete"],
        [["compact"], "archive file"],
        [["swap", "--list"], "No swap"],
        [["publish", "--all"], "Published in"],
        [["verify"], "matches"],
        [["backup", "backup"], "Backed up"],
      ] as const
      for (const [args, text] of expected) {
        const ended = await run(...args)
        expect(ended, args.join(" ")).toMatchObject({ code: 0, stderr: "" })
        expect(ended.stdout, args.join(" ")).toContain(text)
      }
      const restored = await run("restore", "backup")
      expect(restored.code).toBe(1)
      expect(restored.stderr).toContain("vaulthouse move")
    }),
  )

  it.live("is published as it was at one moment, while another process commits", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      // Each commit has a row for both tables, and its task.
      const commits = Effect.gen(function* () {
        for (let hour = 0; ; hour++) {
          const at = Date.UTC(2026, 0, 1, hour) * 1000
          yield* commit(
            batchOf([
              rowsIn("ratio_history", { vault_address: "0xwritten", observed_at: at }),
              rowsIn("pnl_history", { vault_address: "0xwritten", snapshot_at: at }),
            ]),
          )
          yield* Deferred.succeed(begun, undefined)
        }
      })
      const writer = openWarehouse({ ...place, dataDir: dataDir("three"), runId: "writer" })
      yield* Effect.forkScoped(Effect.provide(commits, writer))
      yield* Deferred.await(begun)
      let before = 0
      for (let publication = 0; publication < 2; publication++) {
        yield* publishOn("two")
        const [found] = yield* queryFile(
          copyOn("two"),
          `SELECT (SELECT count(*) FROM core.ratio_history WHERE vault_address = '0xwritten')::INTEGER AS ratios,
               (SELECT count(*) FROM core.pnl_history WHERE vault_address = '0xwritten')::INTEGER AS figures,
               (SELECT count(*) FROM ops.tasks WHERE run_id = 'writer')::INTEGER AS tasks`,
        )
        const commitsFound = Number(found?.["ratios"])
        expect(found).toEqual({
          ratios: commitsFound,
          figures: commitsFound,
          tasks: commitsFound,
        })
        expect(commitsFound).toBeGreaterThan(before)
        before = commitsFound
      }
    }).pipe(Effect.scoped),
  )

  /** Changes the copy, and its record, as whoever does that would. */
  const tamperWith = Effect.fnUntraced(function* (name: string, ...statements: Array<string>) {
    yield* changeFile(copyOn(name), ...statements)
    const path = join(dataDir(name), "published/current.json")
    const current = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>
    writeFileSync(path, JSON.stringify({ ...current, header: undefined }))
  })

  const secretFile = (): string => {
    const file = join(folder, "secret")
    writeFileSync(file, "nobody may read this")
    return file
  }

  it.live("runs no SQL of a copy that somebody has changed with access to other files", () =>
    Effect.gen(function* () {
      yield* publishOn("four")
      yield* tamperWith(
        "four",
        `CREATE OR REPLACE VIEW mart.clock AS
         SELECT TIMESTAMP '2026-06-01' AS now_at FROM read_text('${secretFile()}')`,
      )
      const failure = yield* Effect.flip(publishOn("four"))
      expect(String(failure)).toMatch(/Cannot access file ".*secret"/)
    }),
  )

  it.live("makes the copy anew where SQL of somebody's is what would be read", () =>
    Effect.gen(function* () {
      yield* publishOn("five")
      yield* tamperWith(
        "five",
        "CREATE TABLE main.kept AS FROM ops.layout",
        "DROP TABLE ops.layout",
        `CREATE VIEW ops.layout AS SELECT kept.* FROM main.kept, read_text('${secretFile()}')`,
      )
      yield* publishOn("five")
      const found = `SELECT schema_name FROM duckdb_tables() WHERE table_name IN ('layout', 'kept')`
      expect(yield* queryFile(copyOn("five"), found)).toEqual([{ schema_name: "ops" }])
    }),
  )
})
