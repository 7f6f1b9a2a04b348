// A table as a value, from which its DDL, row mapping, comments, dictionary, keys and Parquet layout are derived.
import { boolean, type Column, text, timestamp, type Value } from "./column.ts"
import type { Lineage } from "../wire/response.ts"
import type { Shape } from "./shape.ts"

/**
 * What happens to a row whose key is already stored:
 * - `history`: equal values change nothing; other values replace the row, and the old row moves to
 *   `<table>_versions` with the time at which it was superseded. So does a row that is missing from a newer
 *   reading of its set (`Table.mergeKey`).
 * - `slowly_changing`: other content ends the current row (`valid_to`) and starts a new one.
 * - `replace`: the new row replaces the old one (bookkeeping of runs).
 * - `first`: the first row stays.
 */
export type WriteMode = "history" | "slowly_changing" | "replace" | "first"

export interface Table {
  readonly schema: "core" | "meta" | "ops" | "raw"
  readonly name: string
  readonly mode: WriteMode
  /** What one row is of: "one row per …". */
  readonly grain: string
  readonly comment: string
  /** The endpoint and the paragraphs of the API document, or the part of vaulthouse that writes the table. */
  readonly source: string
  /** The columns with the source's data; `allColumns` adds those of the write mode. */
  readonly columns: ReadonlyArray<Column>
  /** Where its records may be within what is read, in the order in which the shapes are tried. */
  readonly shapes?: ReadonlyArray<Shape>
  readonly key: ReadonlyArray<string>
  /**
   * In a history table of sets (the protocols of a day): the key columns that identify the set, including its time.
   * A response with rows of a set contains the whole set; stored rows missing from it move to `<table>_versions`.
   */
  readonly mergeKey?: ReadonlyArray<string>
  /**
   * The event-time column (timestamp or date, required). Parquet files are partitioned by its month. If it is part of
   * the key, or rows never change, only stored rows of the same time are compared.
   */
  readonly time?: string
  /** A useful query that can be run as it is. */
  readonly example: string
}

/** Rows of one table, by column: `columns[i][row]` is a value of `table.columns[i]`. */
export interface Rows {
  readonly table: Table
  readonly columns: ReadonlyArray<ReadonlyArray<Value>>
  readonly length: number
  /** The event time of each row, in microseconds since 1970 UTC (for a day, its start), if the table has a `time`. */
  readonly times?: ReadonlyArray<number>
  /** The response that the rows were read from; `null` for vaulthouse's own records. */
  readonly lineage: Lineage | null
  /**
   * In a slowly changing table: the columns and values that identify the set of which these are all rows; current rows
   * of the set that are not among them are retired. An empty object is the whole table.
   */
  readonly mergeKey?: Readonly<Record<string, Value>>
  /**
   * Set if these rows are not the data that was requested; a response without other rows is empty. `warning`: the
   * service could not read something, so the response may be incomplete.
   */
  readonly secondary?: "warning" | "total"
  /** Sets (by `Table.mergeKey`) that are empty in the response. */
  readonly emptySets?: ReadonlyArray<Readonly<Record<string, Value>>>
  /** Set if the sets (by `Table.mergeKey`) of these rows may be incomplete, so that missing rows are not retired. */
  readonly isPartial?: true
  /** Of vaulthouse's own tables: no row with one of these keys is stored, but for those that this process has written. */
  readonly haveNewKeys?: true
}

const runId = text("_run_id", "Run that wrote this row (ops.runs)", { required: true })
const responseId = text(
  "_response_id",
  "Archived response that this row was read from (raw.responses)",
)
const firstSeenAt = timestamp("_first_seen_at", "When the service first sent this key", {
  required: true,
})
const updatedAt = timestamp(
  "_updated_at",
  "When the service first sent these values; the same values again leave it unchanged",
  { required: true },
)
const validFrom = timestamp("valid_from", "When this content was first observed", {
  required: true,
})
const validTo = timestamp("valid_to", "When other content was first observed; null while current")
const isCurrent = boolean("is_current", "Whether this is the newest content observed", {
  required: true,
})
const supersededAt = timestamp(
  "_superseded_at",
  "When a revision replaced this version, or its set was read without it",
  { required: true },
)
const supersededBy = text(
  "_superseded_by_run_id",
  "Run that loaded the revision, or the set without it",
  { required: true },
)

const lineageColumns = [runId, responseId, firstSeenAt, updatedAt]

/** The columns as stored: those of the source, then those of the write mode. */
export const allColumns = (table: Table): ReadonlyArray<Column> => {
  switch (table.mode) {
    case "history":
      return [...table.columns, ...lineageColumns]
    case "slowly_changing":
      return [...table.columns, validFrom, validTo, isCurrent, ...lineageColumns]
    case "replace":
    case "first":
      return table.columns
  }
}

/** The columns that identify a stored row; a slowly changing table has one row per key and `valid_from`. */
export const storedKey = (table: Table): ReadonlyArray<string> =>
  table.mode === "slowly_changing" ? [...table.key, validFrom.name] : table.key

/** `core.<table>_versions`: the superseded versions of a history table, which never change. */
export const versionsOf = (table: Table): Table => ({
  schema: table.schema,
  name: `${table.name}_versions`,
  mode: "first",
  grain: `${table.grain}, and superseded version`,
  comment: `Superseded versions of ${table.schema}.${table.name}: what was known until _superseded_at.`,
  source: table.source,
  columns: [...allColumns(table), supersededAt, supersededBy],
  key: [...table.key, supersededAt.name],
  ...(table.time === undefined ? {} : { time: table.time }),
  example: `select * from ${table.schema}.${table.name}_versions order by _superseded_at desc limit 10`,
})

/** The table itself and, if its mode keeps superseded versions, the table that holds them. */
export const storedTables = (table: Table): ReadonlyArray<Table> =>
  table.mode === "history" ? [table, versionsOf(table)] : [table]

/** The qualified name, as users type it. */
export const tableName = (table: Table): string => `${table.schema}.${table.name}`
