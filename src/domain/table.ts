// A table is a value: its DDL, row mapping, comments, dictionary, keys and Parquet layout all derive
// from what is written here once.
import type { Origin } from "./response.ts"

/**
 * How a column is stored. JavaScript values handed to the loader are, by type:
 * `text`, `json`, `amount` string · `integer`, `double` number · `boolean` boolean ·
 * `timestamp` whole microseconds since 1970-01-01 UTC as a number (exact until the year 2255) ·
 * `date` whole days since 1970-01-01 as a number · `null` for an absence.
 * `amount` is an integer of any size in decimal digits, kept as text so that no digit is lost:
 * a uint256 fits neither DOUBLE nor HUGEINT nor DECIMAL(38, 0).
 */
export type ColumnType =
  | "text"
  | "integer"
  | "double"
  | "boolean"
  | "timestamp"
  | "date"
  | "json"
  | "amount"

export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** Meaning in one sentence; becomes the COMMENT, the dictionary entry and Parquet metadata. */
  readonly comment: string
  /** For example `USD`, `fraction`, `percent`, `UTC`; stands in the comment. */
  readonly unit?: string
  readonly required?: boolean
  /**
   * JSON fields this column is filled from, the first present wins. Columns without fields are
   * computed by the table's mapping (a key taken from the request, a resolved time).
   */
  readonly fields?: ReadonlyArray<string>
  /** Moves with every reading (the time of the answer, say): a change in it alone is no other content. */
  readonly isIncidental?: true
  /**
   * SQL over the row's other columns: what rows stored before there was this column get when it is added.
   * Without it they get null.
   */
  readonly backfill?: string
}

/**
 * What happens to a row whose key is already there:
 * - `history`: the same values change nothing; other values replace the row, and the old one moves to
 *   `<table>_versions` with the time it was superseded. So does a row that a newer reading of its set
 *   (`Table.setKey`) leaves out.
 * - `slowly_changing`: other content ends the current row (`valid_to`) and starts a new one.
 * - `replace`: the new row takes the old one's place (bookkeeping of the runs).
 * - `first`: the row that came first stays.
 */
export type WriteMode = "history" | "slowly_changing" | "replace" | "first"

export interface Table {
  readonly schema: "core" | "ops" | "raw"
  readonly name: string
  readonly mode: WriteMode
  /** One row per … */
  readonly grain: string
  readonly comment: string
  /** The endpoint and the API document's paragraph, or the part of vaulthouse that writes it. */
  readonly source: string
  /** Columns of the source's own; the housekeeping of the mode is added by `allColumns`. */
  readonly columns: ReadonlyArray<Column>
  readonly key: ReadonlyArray<string>
  /**
   * In a history table of sets (the protocols of a day): the columns of the key that tell the set, its time among
   * them. An answer that has rows of a set has all there are of it: those it leaves out are gone, and move to
   * `<table>_versions`.
   */
  readonly setKey?: ReadonlyArray<string>
  /**
   * Event-time column (timestamp or date, required): Parquet is partitioned by its month, and a merge
   * looks only at stored rows of the same time where the column is part of the key or rows never change.
   */
  readonly time?: string
  /** A question this table answers, as runnable SQL. */
  readonly example: string
}

/** Rows of one table in columns: `columns[i][row]` belongs to `table.columns[i]`. */
export interface Rows {
  readonly table: Table
  readonly columns: ReadonlyArray<ReadonlyArray<Value>>
  readonly length: number
  /** The response they were read from; `null` for rows vaulthouse itself writes. */
  readonly origin: Origin | null
  /**
   * Set where these rows are all there is of an entity, in a slowly changing table: the columns and values
   * that tell the entity. Current rows of it that are not among them have ended. An empty object is the
   * whole table.
   */
  readonly scope?: Readonly<Record<string, Value>>
  /**
   * Set where these rows are beside what was asked for: an answer that holds nothing else is empty. `warning`: what
   * the service could not read, so that it does not stand for what the answer lacks.
   */
  readonly beside?: "warning" | "total"
  /** Sets (by the columns of `Table.setKey`) that the answer names and says to have no member. */
  readonly emptySets?: ReadonlyArray<Readonly<Record<string, Value>>>
  /** Set where the sets (by `Table.setKey`) of these rows may lack members: what they don't hold is not gone. */
  readonly isPart?: true
}

export type Value = string | number | boolean | null

const runId: Column = {
  name: "_run_id",
  type: "text",
  required: true,
  comment: "Run that wrote this row (ops.runs)",
}
const responseId: Column = {
  name: "_response_id",
  type: "text",
  comment: "Archived response this row was read from (raw.responses)",
}
const firstSeenAt: Column = {
  name: "_first_seen_at",
  type: "timestamp",
  unit: "UTC",
  required: true,
  comment: "When the service first gave this key",
}
const updatedAt: Column = {
  name: "_updated_at",
  type: "timestamp",
  unit: "UTC",
  required: true,
  comment: "When the service gave these values; the same values again leave it as it is",
}
const validFrom: Column = {
  name: "valid_from",
  type: "timestamp",
  unit: "UTC",
  required: true,
  comment: "When this content was first observed",
}
const validTo: Column = {
  name: "valid_to",
  type: "timestamp",
  unit: "UTC",
  comment: "When other content was first observed; null while current",
}
const isCurrent: Column = {
  name: "is_current",
  type: "boolean",
  required: true,
  comment: "Whether this is the newest content observed",
}
const supersededAt: Column = {
  name: "_superseded_at",
  type: "timestamp",
  unit: "UTC",
  required: true,
  comment: "When a revision replaced this version, or its set was read without it",
}
const supersededBy: Column = {
  name: "_superseded_by_run_id",
  type: "text",
  required: true,
  comment: "Run that loaded the revision, or the set without it",
}

const housekeeping = [runId, responseId, firstSeenAt, updatedAt]

/** The columns as stored: the source's own, then those the write mode adds. */
export const allColumns = (table: Table): ReadonlyArray<Column> => {
  switch (table.mode) {
    case "history":
      return [...table.columns, ...housekeeping]
    case "slowly_changing":
      return [...table.columns, validFrom, validTo, isCurrent, ...housekeeping]
    case "replace":
    case "first":
      return table.columns
  }
}

/** What identifies a stored row; a slowly changing entity has one row per `valid_from`. */
export const storedKey = (table: Table): ReadonlyArray<string> =>
  table.mode === "slowly_changing" ? [...table.key, validFrom.name] : table.key

/** `core.<table>_versions`: superseded versions of a history table, never changed once written. */
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

/** Qualified name as users type it. */
export const tableName = (table: Table): string => `${table.schema}.${table.name}`
