// Separates the figures that change with every reading from the rest of a description. Their names are declared: those
// of the columns of a table of figures, and those that the setting `fields` names for its `extra`.
import type { JsonObject } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import { configuredNames, type Fields } from "./settings.ts"
import { namesOf } from "./wireNames.ts"

/** The names of the moving fields, by the table of figures they belong to. */
export const movingNames = (table: Table, source: Fields): ReadonlySet<string> =>
  new Set([
    ...table.columns.flatMap(({ name }) => namesOf(table, name, source)),
    ...configuredNames(table, "extra", source),
  ])

interface Separated {
  readonly fixed: JsonObject
  readonly moving: JsonObject
}

export const separateMoving = (record: JsonObject, names: ReadonlySet<string>): Separated => {
  const entries = Object.entries(record)
  return {
    fixed: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
    moving: Object.fromEntries(entries.filter(([name]) => names.has(name))),
  }
}
