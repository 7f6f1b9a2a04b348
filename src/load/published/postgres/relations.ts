// The relations that are published to PostgreSQL: the marts and the tables of core, ops and meta, with their columns
// as PostgreSQL has them.
import type { Table } from "../../../domain/table/table.ts"
import {
  type DictionaryColumn,
  type DictionaryEntry,
  dictionaryOf,
  isRelation,
} from "../../marts/dictionary.ts"
import { identifier } from "../../sql/sql.ts"
import { relationComment, unitComment } from "../../tables/comment.ts"

export interface RelationColumn {
  readonly name: string
  /** As PostgreSQL spells it. */
  readonly type: string
  /** Its value in DuckDB's SQL, as a text that PostgreSQL reads as that type. */
  readonly value: string
  readonly comment: string
}

export interface Relation {
  /** `core.ratio_history` */
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<RelationColumn>
  /** The column that decides the month of a row; never null. */
  readonly time: string | undefined
  /** Columns of each index. */
  readonly indexes: ReadonlyArray<ReadonlyArray<string>>
  readonly isView: boolean
}

export const relationsOf = (tables: ReadonlyArray<Table>): ReadonlyArray<Relation> =>
  dictionaryOf(tables)
    .filter(({ name }) => !name.startsWith("raw."))
    .filter(isRelation)
    .map(relationOf)

const relationOf = ({ name, comment, grain, key, columns }: DictionaryEntry): Relation => {
  const time = columns.find(
    ({ required, databaseType }) =>
      required && (databaseType === "timestamp" || databaseType === "date"),
  )?.name
  const entity = ["vault_address", ...key].find(
    (wanted) => wanted !== time && columns.some((column) => column.name === wanted),
  )
  return {
    name,
    comment: relationComment(comment, grain),
    columns: columns.map(columnOf),
    time,
    indexes:
      time === undefined
        ? entity === undefined
          ? []
          : [[entity]]
        : [...(entity === undefined ? [] : [[entity, time]]), [time]],
    isView: name.startsWith("mart."),
  }
}

const types: Readonly<Record<string, string>> = {
  varchar: "text",
  bigint: "bigint",
  integer: "integer",
  double: "double precision",
  boolean: "boolean",
  timestamp: "timestamp with time zone",
  date: "date",
  json: "jsonb",
}

/** Amounts are digits, stored as text in DuckDB, which has no type for them. */
const isNumeric = ({ name, type }: DictionaryColumn): boolean =>
  type === "amount" || (type === "varchar" && name.endsWith("_raw"))

const columnOf = (column: DictionaryColumn): RelationColumn => {
  const { name, databaseType, comment, unit } = column
  const type = isNumeric(column) ? "numeric" : types[databaseType]
  if (type === undefined) throw new Error(`PostgreSQL has no type for ${name} (${databaseType})`)
  return {
    name,
    type,
    value: valueOf(identifier(name), type),
    comment: unitComment(comment, unit),
  }
}

// An array in jsonb has at most 2^24 values, for each of which the JSON has two characters.
const JSON_BYTES = 2 ** 25

/** PostgreSQL refuses NUL in text, NUL, huge numbers and huge arrays in jsonb, and numbers beyond the limits of numeric. */
const valueOf = (column: string, type: string): string => {
  switch (type) {
    case "text":
      return `replace(${column}, chr(0), chr(65533))`
    case "jsonb":
      return `CASE WHEN strlen(${column}::VARCHAR) >= ${JSON_BYTES} THEN NULL WHEN regexp_matches(${column}::VARCHAR, '\\\\u0000|(^|[:,\\[])\\s*-?([\\d.]{1000}|[\\d.]+[eE][+-]?\\d{5})') THEN to_json(${column}::VARCHAR)::VARCHAR ELSE ${column}::VARCHAR END`
    case "numeric":
      return `CASE WHEN regexp_full_match(${column}, '-?\\d{1,1000}(\\.\\d{1,1000})?([eE][+-]?\\d{1,4})?') THEN ${column} END`
    default:
      return column
  }
}
