// What a warehouse or a published copy holds, as one number for each table.
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { DuckDBInstance } from "@duckdb/node-api"
import { allColumns, tableName, storedTables } from "../../src/domain/table/table.ts"
import { literal } from "../../src/load/sql/sql.ts"
import { coreTables } from "../../src/pipelines/pipelines.ts"

const tables = coreTables.flatMap(storedTables)

/** When and by which response a row was read: it differs from run to run. */
const isOfRun = (column: string): boolean =>
  column.startsWith("_") || column === "valid_from" || column === "valid_to"

export interface Content {
  /** `rows content` by table; tables without rows are left out. */
  readonly facts: Readonly<Record<string, string>>
  /** The same with every column. */
  readonly rows: Readonly<Record<string, string>>
  /** Definitions and rows of all tables, those that are not of `core` too. */
  readonly everything: string
  /** Rows that name no response, or one that is not in the index. */
  readonly withoutResponse: number
  /** Requests of each task that was read, by run, pipeline and entity. */
  readonly requests: ReadonlyArray<{
    readonly run: string
    readonly task: string
    readonly sent: number
  }>
  readonly runs: number
  /** The runs that are known, and the segments that the index of the archive names. */
  readonly archived: ReadonlyArray<string>
}

const instance = DuckDBInstance.create(":memory:", { threads: "1" })

const contents = (names: ReadonlyArray<string>, isWanted: (column: string) => boolean): string =>
  tables
    .filter((table) => names.includes(tableName(table)))
    .map((table) => {
      const columns = allColumns(table).filter(({ name }) => isWanted(name))
      const list = columns.map(({ name }) => `"${name}"`).join(", ")
      return `select '${tableName(table)}' as name, count(*)::varchar || ' ' || sum(hash(t))::varchar as content
        from (select ${list} from ${tableName(table)}) t`
    })
    .join(" union all ")

export const contentOf = async (file: string): Promise<Content> => {
  const connection = await (await instance).connect()
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
  try {
    await connection.run(`ATTACH ${literal(file)} AS proven (READ_ONLY)`)
    await connection.run("USE proven")
    const filled = await read(
      "select schema_name || '.' || table_name as name from duckdb_tables() where database_name = 'proven' and schema_name = 'core' and estimated_size > 0",
    )
    const names = filled.map(({ name }) => String(name))
    const all = await read(
      "select schema_name || '.' || table_name as name, sql, estimated_size as size from duckdb_tables() where database_name = 'proven' order by all",
    )
    const ofAll = all
      .filter(({ size }) => Number(size) > 0)
      .map(
        ({ name }) =>
          `select '${String(name)}' as name, count(*)::varchar || ' ' || sum(hash(t))::varchar as content from ${String(name)} t`,
      )
      .join(" union all ")
    const byTable = async (isWanted: (column: string) => boolean) => {
      const sql = contents(names, isWanted)
      const rows = sql === "" ? [] : await read(sql)
      return Object.fromEntries(
        rows
          .map(({ name, content }) => [String(name), String(content)] as const)
          .filter(([, content]) => !content.startsWith("0 "))
          .toSorted(([one], [other]) => (one < other ? -1 : 1)),
      )
    }
    const missing = names
      .map(
        (name) =>
          `select count(*) as n from ${name} where _response_id is null or _response_id not in (select response_id from raw.responses)`,
      )
      .join(" union all ")
    return {
      facts: await byTable((column) => !isOfRun(column)),
      rows: await byTable(() => true),
      everything: createHash("sha1")
        .update(
          JSON.stringify([
            all.map(({ name, sql }) => [name, sql]),
            ofAll === "" ? [] : await read(`${ofAll} order by name`),
          ]),
        )
        .digest("hex"),
      withoutResponse:
        missing === "" ? 0 : (await read(missing)).reduce((sum, { n }) => sum + Number(n), 0),
      requests: (
        await read(
          "select run_id, pipeline || ' ' || entity as task, sum(requests)::integer as sent from ops.tasks where outcome not in ('failed', 'deferred', 'quarantined') group by all",
        )
      ).map((row) => ({
        run: String(row["run_id"]),
        task: String(row["task"]),
        sent: Number(row["sent"]),
      })),
      runs: Number((await read("select count(*) as n from ops.runs"))[0]?.["n"]),
      archived: (
        await read(
          "select run_id as name from ops.runs union select unnest([run_id, archive_file]) from raw.responses order by all",
        )
      ).map(({ name }) => String(name)),
    }
  } finally {
    await connection.run("USE memory")
    await connection.run("DETACH DATABASE IF EXISTS proven")
    connection.closeSync()
  }
}

/** How many rows there are of `from`, which is what follows `from` in SQL; 0 without a warehouse. */
export const countIn = async (file: string, from: string): Promise<number> => {
  if (!existsSync(file)) return 0
  const connection = await (await instance).connect()
  try {
    await connection.run(`ATTACH ${literal(file)} AS proven (READ_ONLY)`)
    await connection.run("USE proven")
    const found = await connection.runAndReadAll(`select count(*)::integer from ${from}`)
    return Number(found.getRows()[0]?.[0])
  } finally {
    await connection.run("USE memory")
    await connection.run("DETACH DATABASE IF EXISTS proven")
    connection.closeSync()
  }
}
