// The content of a relation in both databases as texts and numbers that can be compared. Types and values come from each
// database itself, not from the code that publishes.
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Client } from "pg"

export type Content = ReadonlyArray<ReadonlyArray<unknown>>

interface Column {
  readonly name: string
  readonly type: string
}

const quoted = (name: string): string => `"${name}"`

/** Columns as DuckDB has them. */
export const columnsOf = async (
  connection: DuckDBConnection,
  relation: string,
): Promise<ReadonlyArray<Column>> => {
  const found = await connection.runAndReadAll(`DESCRIBE ${relation}`)
  return found
    .getRows()
    .map(([name, type]) => ({ name: String(name), type: String(type).toLowerCase() }))
}

const fromDuckdb: Readonly<Record<string, (name: string) => string>> = {
  timestamp: (name) => `epoch_us(${name})::VARCHAR`,
  double: (name) => name,
  boolean: (name) => name,
}

const fromPostgres: Readonly<Record<string, (name: string) => string>> = {
  timestamp: (name) => `(extract(epoch from ${name}) * 1000000)::bigint::text`,
  double: (name) => name,
  boolean: (name) => name,
}

const list = (columns: ReadonlyArray<Column>, by: typeof fromDuckdb, otherwise: string): string =>
  columns
    .map(({ name, type }) => by[type]?.(quoted(name)) ?? `${quoted(name)}::${otherwise}`)
    .map((value, at) => `${value} AS c${at}`)
    .join(", ")

const valueOf = (value: unknown, { type }: Column | { type: undefined }): unknown =>
  type === "json" && typeof value === "string" ? JSON.stringify(sorted(JSON.parse(value))) : value

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, held]) => [name, sorted(held)]),
  )
}

/** Without the last digits of doubles, which may differ, so that equal rows are in the same place. */
const place = (row: ReadonlyArray<unknown>): string =>
  JSON.stringify(row, (_, value: unknown) =>
    typeof value === "number" ? value.toPrecision(6) : value,
  )

const ordered = (rows: Content, columns: ReadonlyArray<Column>): Content =>
  rows
    .map((row) => row.map((value, at) => valueOf(value, columns[at] ?? { type: undefined })))
    .toSorted((one, other) => (place(one) < place(other) ? -1 : 1))

export const inDuckdb = async (
  connection: DuckDBConnection,
  relation: string,
  columns: ReadonlyArray<Column>,
): Promise<Content> => {
  const found = await connection.runAndReadAll(
    `SELECT ${list(columns, fromDuckdb, "VARCHAR")} FROM ${relation}`,
  )
  return ordered(found.getRowsJson(), columns)
}

export const inPostgres = async (
  client: Client,
  relation: string,
  columns: ReadonlyArray<Column>,
): Promise<Content> => {
  const { rows } = await client.query<ReadonlyArray<unknown>>({
    text: `SELECT ${list(columns, fromPostgres, "text")} FROM ${relation}`,
    rowMode: "array",
  } as never)
  return ordered(rows, columns)
}

const isSame = (one: unknown, other: unknown): boolean =>
  typeof one === "number" && typeof other === "number"
    ? Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other))
    : one === other

/** The first difference; `undefined` where there is none. */
export const difference = (
  expected: Content,
  found: Content,
  columns: ReadonlyArray<Column>,
): string | undefined => {
  if (expected.length !== found.length) return `${found.length} rows, not ${expected.length}`
  for (const [row, values] of expected.entries()) {
    for (const [at, value] of values.entries()) {
      const other = found[row]?.[at]
      if (!isSame(value, other)) {
        return `row ${row}: ${columns[at]?.name} is ${JSON.stringify(other)}, not ${JSON.stringify(value)}`
      }
    }
  }
  return undefined
}
