// The wire names of a column: first those in the setting `fields`, then the built-in ones.
import type { Column, Value } from "../../domain/table/column.ts"
import { isJsonObject, type JsonObject } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import { readField, valueOf } from "./readField.ts"
import { configuredColumn, configuredNames, type Fields } from "./settings.ts"

/** The names of a column; `undefined` for a computed column. */
export const fieldsOf = (
  table: Table,
  { name, fields }: Column,
  source: Fields,
): ReadonlyArray<string> | undefined => {
  if (fields === undefined) return undefined
  const configured = configuredNames(table, name, source)
  return configured.length === 0 ? fields : [...new Set([...configured, ...fields])]
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

/** The field of a record that holds what is under the name: `a` of `a.b`. */
export const outerField = (name: string): string => name.split(".")[0] ?? name

/** Reads a column of records, for mappings that need its value before the row exists. */
export const columnReader = (
  table: Table,
  columnName: string,
  source: Fields,
): ((record: JsonObject) => Value) => {
  const column = configuredColumn(table, columnOf(table, columnName), source)
  const names = namesOf(table, columnName, source)
  const valueOfField = lookupOf(names)
  return (record) => {
    for (const name of names) {
      const value = valueOfField(record, name)
      if (value === undefined || value === null) continue
      const read = valueOf(readField(column, value, name))
      if (read !== undefined) return read
    }
    return null
  }
}

/** The value of a column in one record. */
export const readColumn = (
  record: JsonObject,
  table: Table,
  columnName: string,
  source: Fields,
): Value => columnReader(table, columnName, source)(record)
