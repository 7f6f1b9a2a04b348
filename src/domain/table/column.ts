// Columns of tables. Each is declared once: `double(…)` is computed by the table's mapping, `field.double(…)` is read
// from a record, and `documented.double(…)` from a field that the API document names.

/**
 * How a column is stored. The loader expects these JavaScript values:
 * `text`, `json`, `amount` string · `integer`, `double` number · `boolean` boolean ·
 * `timestamp` whole microseconds since 1970-01-01 UTC as a number (exact until the year 2255) ·
 * `date` whole days since 1970-01-01 as a number · `null` for an absence.
 * `amount` is an integer of any size in decimal digits, kept as text because a uint256 fits neither DOUBLE nor HUGEINT
 * nor DECIMAL(38, 0).
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

/** The value that a column reads from a field. */
export interface Reading {
  readonly value: Value
  /** Whether the value keeps the whole field, so that `extra` can omit it. */
  readonly isWhole: boolean
}

/** Returns `undefined` for a value that the column can't store. */
export type Reader = (value: unknown, name: string) => Reading | undefined

/** Bounds of a value, both included. */
export interface Range {
  readonly from?: number
  readonly to?: number
}

/** Rows that a value must be found in: another is an error. */
export interface Reference {
  /** The rule's name: the check is `<schema>.<table>.<name>`. */
  readonly name: string
  /** Columns of this table; a row in which one of them is null refers to nothing. */
  readonly columns: ReadonlyArray<string>
  /**
   * Tables that together have every value, in any version, with the columns to compare in the same order. Only where a
   * row can't be read without what it refers to: what a record merely names may be in no list that the key shows.
   */
  readonly to: ReadonlyArray<{ readonly table: string; readonly columns: ReadonlyArray<string> }>
}

/**
 * What is known of a column's values, as data: the checks (`load/checks`), dbt's tests and the dictionary derive from it.
 * In a table with versions, current rows keep it.
 */
export interface Constraints {
  /** The values it can have: another is an error. */
  readonly range?: Range
  /** The values it usually has: another is a warning. */
  readonly plausible?: Range
  /** The values it can have by the document, in any case; another is a warning, since the service may add one. */
  readonly accepted?: ReadonlyArray<string>
  /** Of an instant: whether it is past when the service sends it; a later one is a warning. */
  readonly isPast?: true
  readonly references?: Reference
}

export interface Column extends Constraints {
  readonly name: string
  readonly type: ColumnType
  /** The meaning of the column; becomes the COMMENT, the dictionary entry and Parquet metadata. */
  readonly comment: string
  /** For example `USD`, `fraction`, `percent`, `UTC`; part of the COMMENT. */
  readonly unit?: string
  /** Whether the column is never null; then a record without a value is rejected. */
  readonly required?: boolean
  /**
   * The wire names of the column, of which the first that can be read is used; `a.b` is a field of a nested record. A
   * column without names is computed by the table's mapping (a key from the request, a resolved time).
   */
  readonly fields?: ReadonlyArray<string>
  /** Reads a value that needs more than a conversion to the type. */
  readonly read?: Reader
  /** Whether the API document names the field (§2); then a record without it, or with another type, is rejected. */
  readonly isDocumented?: true
  /** The column of the same amount in its other unit, of which the name of a field may not say which it is. */
  readonly otherUnit?: string
  /** Whether the column changes with every response, like a time; a change of it alone does not make a new version. */
  readonly isIncidental?: true
}

export type Value = string | number | boolean | null

type Options = Omit<Column, "name" | "type" | "comment" | "fields" | "read" | "isDocumented">

interface FieldOptions extends Options, Pick<Column, "read"> {
  /** Wire names instead of the column's name; the first that can be read is used. Each is also tried in camelCase. */
  readonly names?: ReadonlyArray<string>
}

/** The names in snake_case and in camelCase; `a.b` is a field of a nested record. */
export const spellings = (...names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(names.flatMap((name) => bothCases(name.split(".")))),
]

/** All combinations of snake_case and camelCase for the parts of a path. */
const bothCases = ([first = "", ...inner]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const camel = first.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return inner.length === 0
    ? [first, camel]
    : [first, camel].flatMap((part) => bothCases(inner).map((rest) => `${part}.${rest}`))
}

const units: Partial<Record<ColumnType, string>> = { timestamp: "UTC", date: "UTC day" }

const unitOf = (type: ColumnType): Pick<Column, "unit"> => {
  const unit = units[type]
  return unit === undefined ? {} : { unit }
}

const computed =
  (type: ColumnType) =>
  (name: string, comment: string, options: Options = {}): Column => ({
    name,
    type,
    comment,
    ...unitOf(type),
    ...options,
  })

const read =
  (type: ColumnType) =>
  (name: string, comment: string, { names = [name], ...options }: FieldOptions = {}): Column => ({
    name,
    type,
    comment,
    ...unitOf(type),
    fields: spellings(...names),
    ...options,
  })

export const text = computed("text")
export const integer = computed("integer")
export const double = computed("double")
export const boolean = computed("boolean")
export const timestamp = computed("timestamp")
export const date = computed("date")
export const json = computed("json")
export const amount = computed("amount")

/** Columns that are read from a record. */
export const field = {
  text: read("text"),
  integer: read("integer"),
  double: read("double"),
  boolean: read("boolean"),
  timestamp: read("timestamp"),
  date: read("date"),
  json: read("json"),
  amount: read("amount"),
}

const documentedColumn =
  (type: ColumnType) =>
  (name: string, comment: string, options?: FieldOptions): Column => ({
    ...read(type)(name, comment, options),
    isDocumented: true,
  })

/** Columns that are read from a field that the API document names. */
export const documented = {
  text: documentedColumn("text"),
  integer: documentedColumn("integer"),
  double: documentedColumn("double"),
  boolean: documentedColumn("boolean"),
  timestamp: documentedColumn("timestamp"),
  date: documentedColumn("date"),
  json: documentedColumn("json"),
}
