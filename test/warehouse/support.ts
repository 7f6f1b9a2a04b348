// A real warehouse file with the real tables, and rows put into it as the marts' YAML files write them.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type DuckDBConnection, DuckDBInstance, type Json } from "@duckdb/node-api"
import * as demo from "../../demo/stoppedClock.ts"
import type { Column } from "../../src/domain/table/column.ts"
import { allColumns, type Table, tableName, storedTables } from "../../src/domain/table/table.ts"
import { createMarts } from "../../src/load/marts/createMarts.ts"
import { alone } from "../../src/load/duckdb/transaction.ts"
import type { Mart } from "../../src/load/marts/marts.ts"
import { CATALOG, identifier, literal, qualified, storedType } from "../../src/load/sql/sql.ts"
import { operationTables } from "../../src/load/tables/index.ts"
import type { WarehouseTest } from "../../src/load/sql/warehouseFile.ts"
import { copyTemplate } from "../../src/load/storage/template.ts"
import { coreTables } from "../../src/pipelines/pipelines.ts"

export const declaredTables: ReadonlyArray<Table> = [...coreTables, ...operationTables]

/** Every table there is, versions included. */
export const tables: ReadonlyArray<Table> = declaredTables.flatMap(storedTables)

export interface TestWarehouse {
  readonly directory: string
  readonly connection: DuckDBConnection
  readonly close: () => void
}

/** A warehouse file with empty tables and the marts. */
export const openWarehouse = async (): Promise<TestWarehouse> => {
  const directory = mkdtempSync(join(tmpdir(), "vaulthouse-marts-"))
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  const file = join(directory, "writer.duckdb")
  await copyTemplate(file, declaredTables)
  await connection.run(`ATTACH ${literal(file)} AS ${CATALOG}`)
  // Made already, unless one of them can't be: then this says why.
  await createMarts(alone(connection), tables)
  const close = () => {
    connection.closeSync()
    instance.closeSync()
    rmSync(directory, { recursive: true, force: true })
  }
  return { directory, connection, close }
}

const tableNamed = (name: string): Table => {
  const found = tables.find((table) => tableName(table) === name)
  if (found === undefined) throw new Error(`There is no table ${name}`)
  return found
}

type Row = WarehouseTest["expect"][number]
type Cell = Row[string]

const cell = (value: Cell | undefined): string =>
  value === null || value === undefined ? "NULL" : literal(String(value))

const fillers: Record<Column["type"], string> = {
  text: "-",
  json: "{}",
  integer: "0",
  double: "0",
  amount: "0",
  boolean: "false",
  timestamp: "1970-01-01",
  date: "1970-01-01",
}

const rowValues = (table: Table, row: Row): string => {
  const columns = allColumns(table)
  const stray = Object.keys(row).filter((name) => !columns.some((column) => column.name === name))
  if (stray.length > 0) throw new Error(`${tableName(table)} has no column ${stray.join(", ")}`)
  const values = columns.map((column) => {
    const value = row[column.name]
    const filled = value === undefined && column.required === true ? fillers[column.type] : value
    return `${cell(filled)}::${storedType[column.type]}`
  })
  return `(${values.join(", ")})`
}

const insertsOf = (given: WarehouseTest["given"]): ReadonlyArray<string> =>
  Object.entries(given).flatMap(([name, rows]) => {
    const table = tableNamed(name)
    const values = rows.map((row) => rowValues(table, row))
    return values.length === 0
      ? []
      : [`INSERT INTO ${qualified(table)} VALUES ${values.join(", ")}`]
  })

/** Required columns that a row leaves out are filled with something that stands for nothing. */
export const addRows = async (
  connection: DuckDBConnection,
  given: WarehouseTest["given"],
): Promise<void> => {
  await connection.run(insertsOf(given).join(";\n"))
}

/** Empties the tables that have rows, then puts the given rows in. */
export const putGiven = async (
  connection: DuckDBConnection,
  given: WarehouseTest["given"],
): Promise<void> => {
  const filled = await connection.runAndReadAll(
    `SELECT schema_name || '.' || table_name FROM duckdb_tables()
     WHERE database_name = ${literal(CATALOG)} AND estimated_size > 0`,
  )
  const deletes = filled.getRows().map(([name]) => `DELETE FROM ${CATALOG}.${String(name)}`)
  await connection.run([...deletes, ...insertsOf(given)].join(";\n"))
}

/** From here on the marts' clock stands at an instant, UTC. */
export const stopClock = (connection: DuckDBConnection, now: string): Promise<void> =>
  demo.stopClock(connection, `${CATALOG}.mart`, now)

// Further digits of a division say nothing about the mart.
const rounded = (value: Json): Json =>
  typeof value === "number" ? Number(value.toPrecision(12)) : value

export const readRows = async (
  connection: DuckDBConnection,
  sql: string,
): Promise<ReadonlyArray<Record<string, Json>>> => {
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, rounded(value)])),
  )
}

/** The rows of a mart in the order of its key; a macro is called with arguments in SQL. */
export const martRows = async (
  connection: DuckDBConnection,
  { name, key }: Pick<Mart, "name" | "key">,
  call?: ReadonlyArray<string>,
): Promise<ReadonlyArray<Record<string, Json>>> => {
  const order = `ORDER BY ${key.map(identifier).join(", ")}`
  if (call === undefined) {
    return readRows(connection, `SELECT * FROM ${CATALOG}.mart.${identifier(name)} ${order}`)
  }
  // A macro looks its tables up in the catalog in use.
  await connection.run(`USE ${CATALOG}`)
  try {
    return await readRows(
      connection,
      `SELECT * FROM mart.${identifier(name)}(${call.join(", ")}) ${order}`,
    )
  } finally {
    await connection.run("USE memory")
  }
}

/** An expected row as DuckDB gives it back: the cells written in YAML take their columns' types. */
export const typedRow = async (
  connection: DuckDBConnection,
  mart: Mart,
  row: Row,
): Promise<Record<string, Json>> => {
  const cells = Object.entries(row).map(([name, value]) => {
    const column = mart.columns.find((each) => each.name === name)
    if (column === undefined) throw new Error(`mart.${mart.name} has no column ${name}`)
    return `${cell(value)}::${column.type} AS ${identifier(name)}`
  })
  const [typed] = await readRows(connection, `SELECT ${cells.join(", ")}`)
  return typed ?? {}
}
