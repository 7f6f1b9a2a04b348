// The wire names of a column: first the one in the setting `fields`, then the built-in ones.
import type { Column, Value } from "../../domain/column.ts"
import { isJsonObject, type JsonObject } from "../../domain/json.ts"
import type { Table } from "../../domain/table.ts"
import type { Source } from "../Source.ts"
import { readField, valueOf } from "./readField.ts"

type Fields = Pick<Source<unknown>, "fields">

/** The names of a column; `undefined` for a computed column. */
export const fieldsOf = (
  table: Table,
  { name, fields }: Column,
  source: Fields,
): ReadonlyArray<string> | undefined => {
  const configured = source.fields?.[`${table.name}.${name}`]
  return configured === undefined || fields === undefined ? fields : [configured, ...fields]
}

const columnOf = (table: Table, name: string): Column => {
  const column = table.columns.find((each) => each.name === name)
  if (column === undefined) throw new Error(`${table.name} has no column ${name}`)
  return column
}

/** The names of a column, for mappings that read the field themselves. */
export const namesOf = (table: Table, column: string, source: Fields): ReadonlyArray<string> =>
  fieldsOf(table, columnOf(table, column), source) ?? []

/** The function that looks up these names: a faster one, unless one of them is a path. */
export const lookupOf = (names: ReadonlyArray<string>) =>
  names.some((name) => name.includes(".")) ? valueAt : ownValue

const ownValue = (record: JsonObject, name: string): unknown => record[name]

/** The field of a record; `a.b` is the field `b` of the record in field `a`. */
export const valueAt = (record: JsonObject, name: string): unknown => {
  const value = record[name]
  if (value !== undefined || !name.includes(".")) return value
  return name
    .split(".")
    .reduce<unknown>((inner, part) => (isJsonObject(inner) ? inner[part] : undefined), record)
}

/** The value of a column, for mappings that need it before the row exists. */
export const readColumn = (
  record: JsonObject,
  table: Table,
  columnName: string,
  source: Fields,
): Value => {
  const column = columnOf(table, columnName)
  for (const name of namesOf(table, columnName, source)) {
    const value = valueAt(record, name)
    if (value === undefined || value === null) continue
    const read = valueOf(readField(column, value, name))
    if (read !== undefined) return read
  }
  return null
}
