// How one Parquet file is written: types that every reader understands, rows in the order most queries want, comments as
// key-value metadata. See docs/decisions/0004-duckdb-writes-parquet.md.
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, storedKey, type Table } from "../../../domain/table/table.ts"
import { fingerprint } from "../../../domain/values/fingerprint.ts"
import { columnComment, tableComment } from "../../tables/ddl.ts"
import { identifier, identifiers, literal, qualified } from "../../sql/sql.ts"

export interface ParquetOptions {
  /** Whether to write the marts too. */
  readonly marts: boolean
}

export interface Stamp {
  readonly runId: string
  /** As-of time, ISO-8601 UTC. */
  readonly publishedAt: string
  /** The same, microseconds since 1970: after a clock was set back, publications of one millisecond follow each other. */
  readonly publishedMicros: number
}

/** A table or a mart to be written to files. */
export interface Exportable {
  readonly schema: string
  readonly name: string
  /** Where the rows are, as SQL. */
  readonly source: string
  readonly comment: string
  readonly columns: ReadonlyArray<{
    readonly name: string
    /** `timestamp` and `json` are converted for Parquet. */
    readonly type: string
    readonly comment: string
  }>
  /** Column whose months have a file each; without it there is one file. */
  readonly time: string | undefined
  readonly order: ReadonlyArray<string>
  /** Fingerprint of the definition that makes the rows, if it may change. */
  readonly definition?: string
}

/** The rows of one file: a month, or all rows. */
export interface FileContent {
  readonly exportable: Exportable
  readonly month: string | null
  /**
   * When its rows last changed, microseconds since 1970; if the manifest has another time, the file is written again.
   */
  readonly changedAt: number
}

export const exportableTable = (table: Table): Exportable => ({
  schema: table.schema,
  name: table.name,
  source: qualified(table),
  comment: tableComment(table),
  columns: allColumns(table).map((column) => ({
    name: column.name,
    type: column.type,
    comment: columnComment(table, column),
  })),
  time: table.time,
  order: sortOrder(table),
})

/** The vault first, then time: a vault's history is stored together, and readers skip the rest. */
const sortOrder = (table: Table): ReadonlyArray<string> => {
  const rank = (name: string) => (name === "vault_address" ? 0 : name === table.time ? 1 : 2)
  return storedKey(table).toSorted((left, right) => rank(left) - rank(right))
}

export const fullName = ({ schema, name }: Exportable): string => `${schema}.${name}`

const selectList = ({ columns }: Exportable): string =>
  columns
    .map(({ name, type }) => `${valueOf(identifier(name), type)} AS ${identifier(name)}`)
    .join(", ")

const valueOf = (column: string, type: string): string => {
  // Parquet's JSON type is refused by Trino, and parsed by readers in JavaScript, which rounds large integers.
  if (type === "json") return `${column}::VARCHAR`
  if (type !== "timestamp") return column
  // Marked as UTC: readers would take a TIMESTAMP for local time. AT TIME ZONE would take 38 times as long.
  return `make_timestamptz(epoch_us(${column}))`
}

const ENCODING = "FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION V1"

/** Fingerprint of how files are written; if it differs from the manifest, they are written again. */
export const layoutOf = (exportable: Exportable): string =>
  fingerprint(ENCODING, selectList(exportable), exportable).slice(0, 16)

/** CREATE TABLE AS and Parquet lose comments, so they travel as key-value metadata. */
const metadata = (exportable: Exportable, { runId, publishedAt }: Stamp): string => {
  const entries = {
    table: fullName(exportable),
    comment: exportable.comment,
    columns: JSON.stringify(
      Object.fromEntries(exportable.columns.map(({ name, comment }) => [name, comment])),
    ),
    run_id: runId,
    published_at: publishedAt,
  }
  return Object.entries(entries)
    .map(([name, value]) => `${literal(name)}: ${literal(value)}`)
    .join(", ")
}

/** Writes the rows that satisfy `condition` (SQL) to `file`; resolves to their number. */
export const writeRows = async (
  connection: DuckDBConnection,
  file: string,
  exportable: Exportable,
  condition: string,
  stamp: Stamp,
): Promise<number> => {
  const written = await connection.runAndReadAll(
    `COPY (
       SELECT ${selectList(exportable)} FROM ${exportable.source}
       WHERE ${condition} ORDER BY ${identifiers(exportable.order)}
     ) TO ${literal(file)} (${ENCODING}, KV_METADATA {${metadata(exportable, stamp)}})`,
  )
  return Number(written.getRows()[0]?.[0])
}
