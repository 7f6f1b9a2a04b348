// The shapes in which a response may hold the records of a table, as data: what is in no declared shape never becomes a
// row.

/** One layout. Only fields that it or a column of the table names become values of a row. */
export interface Shape {
  /** The layout in words, for messages: `a list of records`. */
  readonly name: string
  /**
   * `record`: the record that is read is one itself, and contains no others. `list`: a list of records. `map`: records by key. `figures`:
   * numbers by key. `lists`: lists of records by key, which is one of `keys`.
   */
  readonly holds: "record" | "list" | "map" | "figures" | "lists"
  /** The names of the field with the records; without any, they are in the record that is read. */
  readonly in?: ReadonlyArray<string>
  /** The column of the keys of a `map`, of `figures` or of `lists`. */
  readonly key?: string
  /** The keys of `lists`. */
  readonly keys?: ReadonlyArray<string>
  /** The column of the numbers of `figures`. */
  readonly value?: string
  /** Columns of which a record must have at least one, for each of these lists; otherwise it is in another shape. */
  readonly requires?: ReadonlyArray<ReadonlyArray<string>>
  /** Keys of a `map` or of `figures` that hold the sum of the others; any other number there is ambiguous. */
  readonly totals?: ReadonlyArray<string>
}

/**
 * What the setting `fields` says of a column or of a table's records: names of fields, or for a figure its field and
 * scale, or which keys of the record that is read are the keys of the table's records.
 */
export type FieldSetting = string | ReadonlyArray<string> | FieldMapping

export interface FieldMapping {
  readonly field?: string | undefined
  /** The value of the column is the number in the field multiplied by this. */
  readonly scale?: number | undefined
  /** `*` for all keys except those in `except` and the fields that are read otherwise. */
  readonly keys?: "*" | ReadonlyArray<string> | undefined
  /** Fields that are no keys; they are kept in `extra`. */
  readonly except?: ReadonlyArray<string> | undefined
}

/** What becomes of fields that no column and no setting names, as in dlt. */
export const contracts = ["evolve", "freeze", "discard"] as const

export type Contract = (typeof contracts)[number]
