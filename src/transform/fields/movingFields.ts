// Separates the figures that change with every reading from the rest of a description. Their names are declared: those
// of the columns of a table of figures, and those that the setting `fields` names for its `extra`.
import { isJsonObject, type JsonObject } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import { configuredNames, type Fields } from "./settings.ts"
import { namesOf } from "./wireNames.ts"

/** The names of the moving fields, by the table of figures they belong to. */
export const movingNames = (table: Table, source: Fields): ReadonlySet<string> =>
  new Set([
    ...table.columns.flatMap(({ name }) => namesOf(table, name, source)),
    ...configuredNames(table, "extra", source),
  ])

/** The names of those in nested records. */
export const nestedNames = (names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...names].filter((name) => name.includes(".")))

interface Separated {
  readonly fixed: JsonObject
  readonly moving: JsonObject
}

/** A nested record is split, too: `a.b` is its field `b`. One with nothing but moving fields is left out of `fixed`. */
export const separateMoving = (record: JsonObject, names: ReadonlySet<string>): Separated =>
  separate(record, names, nestedNames(names).size > 0, "")

const separate = (
  record: JsonObject,
  names: ReadonlySet<string>,
  hasNested: boolean,
  within: string,
): Separated => {
  const fixed: Array<[name: string, value: unknown]> = []
  const moving: Array<[name: string, value: unknown]> = []
  for (const [name, value] of Object.entries(record)) {
    const path = `${within}${name}`
    if (names.has(path)) {
      moving.push([name, value])
      continue
    }
    const parts =
      hasNested && isJsonObject(value) ? separate(value, names, hasNested, `${path}.`) : undefined
    if (parts === undefined || isEmpty(parts.moving)) {
      fixed.push([name, value])
      continue
    }
    moving.push([name, parts.moving])
    if (!isEmpty(parts.fixed)) fixed.push([name, parts.fixed])
  }
  // Unlike assignments, this keeps a field named `__proto__`.
  return { fixed: Object.fromEntries(fixed), moving: Object.fromEntries(moving) }
}

const isEmpty = (record: JsonObject): boolean => Object.keys(record).length === 0
