// What the setting `fields` says of a table: the fields of its columns, where its records are, and the fields that are
// known to be in `extra`.
import type { Column, Reader } from "../../domain/table/column.ts"
import type { FieldMapping, FieldSetting } from "../../domain/table/shape.ts"
import type { Table } from "../../domain/table/table.ts"
import type { Source } from "../Source.ts"
import { numberOf } from "./numbers.ts"

export type Fields = Pick<Source<unknown>, "fields">

/** The names of fields in a setting. */
export const namesIn = (setting: FieldSetting | undefined): ReadonlyArray<string> => {
  if (setting === undefined) return []
  if (typeof setting === "string") return [setting]
  if (isList(setting)) return setting
  return setting.field === undefined ? [] : [setting.field]
}

const isList = (setting: FieldSetting): setting is ReadonlyArray<string> => Array.isArray(setting)

const mappingIn = (setting: FieldSetting | undefined): FieldMapping =>
  setting === undefined || typeof setting === "string" || isList(setting) ? {} : setting

/** Names of fields that the setting gives to a column. */
export const configuredNames = (
  table: Table,
  column: string,
  { fields }: Fields,
): ReadonlyArray<string> => (fields === undefined ? [] : namesIn(fields[`${table.name}.${column}`]))

/** The names of the field with a table's records. */
export const configuredPlaces = (table: Table, { fields }: Fields): ReadonlyArray<string> =>
  namesIn(fields?.[table.name])

/** Which keys of a record are the keys of the table's records, if the setting says so. */
export const configuredKeys = (
  table: Table,
  { fields }: Fields,
): Required<Pick<FieldMapping, "keys" | "except">> | undefined => {
  const { keys, except = [] } = mappingIn(fields?.[table.name])
  return keys === undefined ? undefined : { keys, except }
}

/** The column with the scale that the setting gives to its field. */
export const configuredColumn = (table: Table, column: Column, { fields }: Fields): Column => {
  const { field, scale } = mappingIn(fields?.[`${table.name}.${column.name}`])
  return scale === undefined ? column : { ...column, read: scaled(column, field, scale) }
}

/** `extra` keeps the field as sent. */
const scaled =
  ({ read }: Column, field: string | undefined, scale: number): Reader =>
  (value, name) => {
    const number = numberOf(value)
    if (name === field) {
      return number === undefined ? undefined : { value: number * scale, isWhole: false }
    }
    if (read !== undefined) return read(value, name)
    return number === undefined ? undefined : { value: number, isWhole: true }
  }
