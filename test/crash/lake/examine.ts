// What must hold after every cut, once a plain sync has ended: the rows of the lake, its archive, and what a replay makes.
import { cpSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import { storedTables } from "../../../src/domain/table/table.ts"
import { allColumns, type Table, tableName } from "../../../src/domain/table/table.ts"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { replay } from "../../../src/pipelines/archive/replay.ts"
import { pipelines } from "../../../src/pipelines/pipelines.ts"
import { loadExtensions } from "../../../src/load/storage/lake/extensions.ts"
import { objectVariables } from "../../support/servers/objectStore.ts"
import { extensions } from "./world.ts"

/** The rows of each table, without what any two runs differ in. */
export type Content = ReadonlyMap<string, string>

const read = new Set(["vaults", "ratio_history"])

const tables: ReadonlyArray<Table> = [
  ...new Set(pipelines.filter(({ name }) => read.has(name)).flatMap((each) => each.tables)),
].flatMap(storedTables)

/** What differs between any two runs. */
const ofRun = /^(_.*|valid_from|valid_to)$/

const contentSql = (catalog: string): string =>
  tables
    .map((table) => {
      const columns = allColumns(table)
        .map(({ name }) => name)
        .filter((name) => !ofRun.test(name))
      return `SELECT '${tableName(table)}' AS name, count(*) || ' rows, ' || coalesce(sum(hash(t))::VARCHAR, '') AS content
        FROM (SELECT ${columns.map((name) => `"${name}"`).join(", ")} FROM ${catalog}.${tableName(table)}) t`
    })
    .join(" UNION ALL ")

const others = (catalog: string): string => `
  SELECT 'rows without a response' AS name, count(*)::VARCHAR AS content FROM (
    ${tables.map((table) => `SELECT _response_id FROM ${catalog}.${tableName(table)}`).join(" UNION ALL ")}
  ) WHERE _response_id IS NULL OR _response_id NOT IN (SELECT response_id FROM ${catalog}.raw.responses)
  UNION ALL SELECT 'cursors', string_agg(pipeline || ' ' || entity || ' ' || regexp_replace(cursor::VARCHAR, '"lastFullScan":"[^"]*"', ''), ' ' ORDER BY pipeline, entity) FROM ${catalog}.ops.cursors
  UNION ALL SELECT 'gaps', count(*)::VARCHAR FROM ${catalog}.ops.gaps
  UNION ALL SELECT 'quarantine', count(*)::VARCHAR FROM ${catalog}.ops.quarantine
  UNION ALL SELECT 'runs in progress', count(*)::VARCHAR FROM ${catalog}.ops.runs WHERE outcome IS NULL
  UNION ALL SELECT 'duplicate responses', (count(*) - count(DISTINCT response_id))::VARCHAR FROM ${catalog}.raw.responses`

const contentOf = async (connection: DuckDBConnection, sql: string): Promise<Content> => {
  const found = await connection.runAndReadAll(sql)
  return new Map(
    found.getRowObjectsJson().map(({ name, content }) => [String(name), String(content)]),
  )
}

export interface Examiner {
  readonly ofLake: (catalog: string, data: string) => Promise<Content>
  readonly ofFile: (file: string, whole?: boolean) => Promise<Content>
  /** Of a warehouse that a replay of the archive alone makes. */
  readonly ofReplay: (dataDir: string, into: string) => Promise<Content>
  /** Tasks whose requests need not be repeated. */
  readonly committed: (catalog: string, data: string) => Promise<ReadonlyArray<CommittedTask>>
}

export interface CommittedTask {
  readonly run: string
  /** Its pipeline, entity and window. */
  readonly task: string
  readonly requests: number
}

/** `store` is the port of the object store. */
export const startExaminer = async (store: number): Promise<Examiner> => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
  const attached = async <A>(
    attach: (connection: DuckDBConnection) => Promise<unknown>,
    work: (connection: DuckDBConnection) => Promise<A>,
  ): Promise<A> => {
    const connection = await instance.connect()
    try {
      await attach(connection)
      return await work(connection)
    } finally {
      await connection.run("DETACH examined").catch(() => undefined)
      connection.closeSync()
    }
  }
  const first = await instance.connect()
  await loadExtensions(first, ["ducklake", "postgres_scanner", "httpfs"], extensions)
  const variables = objectVariables(store)
  await first.run(
    `CREATE SECRET (TYPE s3, KEY_ID '${variables.AWS_ACCESS_KEY_ID}', SECRET '${variables.AWS_SECRET_ACCESS_KEY}',
       ENDPOINT '127.0.0.1:${store}', USE_SSL false, URL_STYLE 'path')`,
  )
  const lake = (catalog: string, data: string) => async (connection: DuckDBConnection) => {
    const { hostname, port, username, password, pathname } = new URL(catalog)
    await connection.run(
      `CREATE OR REPLACE SECRET examined (TYPE postgres, HOST '${hostname}', PORT ${port}, USER '${username}',
         PASSWORD '${decodeURIComponent(password)}', DATABASE '${pathname.slice(1)}')`,
    )
    await connection.run(
      `ATTACH 'ducklake:postgres:' AS examined (DATA_PATH '${data}', METADATA_SCHEMA 'vaulthouse_lake', META_SECRET 'examined', READ_ONLY)`,
    )
  }
  const file = (name: string) => (connection: DuckDBConnection) =>
    connection.run(`ATTACH '${name}' AS examined (READ_ONLY)`)
  const whole = `${contentSql("examined")} UNION ALL ${others("examined")}`
  return {
    ofLake: (catalog, data) =>
      attached(lake(catalog, data), (connection) => contentOf(connection, whole)),
    committed: (catalog, data) =>
      attached(lake(catalog, data), async (connection) => {
        const present = await connection.runAndReadAll(
          "SELECT 1 FROM duckdb_tables() WHERE database_name = 'examined' AND schema_name = 'ops' AND table_name = 'tasks'",
        )
        if (present.currentRowCount === 0) return []
        const found = await connection.runAndReadAll(
          `SELECT run_id, concat_ws(' ', pipeline, entity, "window"), requests::INTEGER
           FROM examined.ops.tasks WHERE outcome IN ('loaded', 'unchanged', 'empty')`,
        )
        return found.getRows().map(([run, task, requests]) => ({
          run: String(run),
          task: String(task),
          requests: Number(requests),
        }))
      }),
    ofFile: (name, isWhole = true) =>
      attached(file(name), (connection) =>
        contentOf(connection, isWhole ? whole : contentSql("examined")),
      ),
    ofReplay: async (dataDir, into) => {
      rmSync(into, { recursive: true, force: true })
      mkdirSync(into, { recursive: true })
      cpSync(join(dataDir, "raw"), join(into, "raw"), { recursive: true })
      await Effect.runPromise(
        replay({
          dataDir: into,
          timeFields: defaultTimeFields,
          publish: undefined,
          onResponse: () => undefined,
        }),
      )
      return attached(file(join(into, "vaulthouse.duckdb")), (connection) =>
        contentOf(connection, contentSql("examined")),
      )
    },
  }
}

/** What does not hold after a cut. */
export interface Problem {
  readonly kind: "lost" | "doubled" | "unclear" | "other"
  readonly what: string
}

const rowsIn = (content: string): number => Number(/^\d+/.exec(content)?.[0])

const kindOf = (name: string, expected: string, found: string): Problem["kind"] => {
  if (name === "rows without a response") return "lost"
  if (name === "duplicate responses") return "doubled"
  if (!name.startsWith("core.") || rowsIn(expected) === rowsIn(found)) return "other"
  return rowsIn(found) < rowsIn(expected) ? "lost" : "doubled"
}

/** What of `found` is not as in `expected`. */
export const differences = (
  expected: Content,
  found: Content,
  where = "",
): ReadonlyArray<Problem> =>
  [...expected].flatMap(([name, content]) => {
    const here = found.get(name)
    return here === undefined || here === content
      ? []
      : [
          {
            kind: kindOf(name, content, here),
            what: `${where}${name}: ${here} instead of ${content}`,
          },
        ]
  })
