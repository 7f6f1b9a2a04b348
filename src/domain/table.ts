// A table is a value: its DDL, row mapping, comments, dictionary, keys and Parquet layout all derive from it.
import { boolean, type Column, text, timestamp, type Value } from "./column.ts"
import type { Lineage } from "./response.ts"

/**
 * What happens to a row whose key is already there:
 * - `history`: the same values change nothing; other values replace the row, and the old one moves to
 *   `<table>_versions` with the time it was superseded. So does a row that a newer reading of its set
 *   (`Table.mergeKey`) leaves out.
 * - `slowly_changing`: other content ends the current row (`valid_to`) and starts a new one.
 * - `replace`: the new row replaces the old one (bookkeeping of the runs).
 * - `first`: the first row stays.
 */
export type WriteMode = "history" | "slowly_changing" | "replace" | "first"

export interface Table {
  readonly schema: "core" | "meta" | "ops" | "raw"
  readonly name: string
  readonly mode: WriteMode
  /** One row per … */
  readonly grain: string
  readonly comment: string
  /** The endpoint and the API document's paragraph, or the part of vaulthouse that writes it. */
  readonly source: string
  /** Columns with the source's data; `allColumns` adds those of the write mode. */
  readonly columns: ReadonlyArray<Column>
  readonly key: ReadonlyArray<string>
  /**
   * In a history table of sets (the protocols of a day): the key columns that identify the set, its time among them.
   * A response with rows of a set holds the whole set: stored rows it leaves out move to `<table>_versions`.
   */
  readonly mergeKey?: ReadonlyArray<string>
  /**
   * Event-time column (timestamp or date, required). Parquet is partitioned by its month. Where it is part of the key
   * or rows never change, a merge looks only at stored rows of the same time.
   */
  readonly time?: string
  /** A useful query, as runnable SQL. */
  readonly example: string
}

/** Rows of one table in columns: `columns[i][row]` belongs to `table.columns[i]`. */
export interface Rows {
  readonly table: Table
  readonly columns: ReadonlyArray<ReadonlyArray<Value>>
  readonly length: number
  /** Event time of each row, microseconds since 1970 UTC, a day from its start; absent where the table has no `time`. */
  readonly times?: ReadonlyArray<number>
  /** The response they were read from; `null` for rows vaulthouse itself writes. */
  readonly lineage: Lineage | null
  /**
   * In a slowly changing table: these rows are the whole set that these columns and values identify, and its current
   * rows that are not among them are retired. An empty object is the whole table.
   */
  readonly mergeKey?: Readonly<Record<string, Value>>
  /**
   * These rows are not what the request was for: a response that holds nothing else is empty. `warning`: the service
   * could not read something, so the response may lack it.
   */
  readonly secondary?: "warning" | "total"
  /** Sets (by `Table.mergeKey`) that the response declares empty. */
  readonly emptySets?: ReadonlyArray<Readonly<Record<string, Value>>>
  /** The sets (by `Table.mergeKey`) of these rows may lack members, so nothing they leave out is retired. */
  readonly isPartial?: true
  /** Of vaulthouse's own tables: no row with one of these keys is stored, but for those that this process has written. */
  readonly haveNewKeys?: true
}

const runId = text("_run_id", "Run that wrote this row (ops.runs)", { required: true })
const responseId = text("_response_id", "Archived response this row was read from (raw.responses)")
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

const housekeeping = [runId, responseId, firstSeenAt, updatedAt]

/** The columns as stored: the source's, then those the write mode adds. */
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
