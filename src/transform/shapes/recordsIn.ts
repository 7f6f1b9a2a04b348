// Finds the records of a table in what is read, by the shapes that the table declares and the setting `fields`. What is
// in none of them is not read: nothing is inferred from the name of a field.
import { spellings } from "../../domain/table/column.ts"
import { isJsonObject, type JsonObject } from "../../domain/values/json.ts"
import type { Shape } from "../../domain/table/shape.ts"
import type { Table } from "../../domain/table/table.ts"
import { numberOf } from "../fields/numbers.ts"
import { configuredKeys, configuredPlaces } from "../fields/settings.ts"
import { columnReader, lookupOf, namesOf } from "../fields/wireNames.ts"
import type { Source } from "../Source.ts"

export interface Found {
  readonly shape: Shape
  /** The field with the records; `undefined` if the record that is read is one, or contains them by key. */
  readonly field: string | undefined
  readonly records: ReadonlyArray<JsonObject>
  /** Elements of a list that are in another shape than the others, by their place in it. */
  readonly others: ReadonlyArray<{ readonly index: number; readonly record: unknown }>
  /** The record that is read, without the fields that the records hold. */
  readonly rest: JsonObject
}

/** Finds the records in a record; `undefined` if it is in no declared shape. */
export type FindRecords = (holder: JsonObject) => Found | undefined

/** `read` are fields of the record that are read otherwise, such as its day. */
export const recordsIn = (
  table: Table,
  source: Pick<Source<unknown>, "fields">,
  read: ReadonlyArray<string> = [],
): FindRecords => {
  const { shapes: declared = [] } = table
  const shapes = [...declared, ...keyedShapes(table, source)]
  const finders = shapes.map((shape) => finderOf(shape, table, source, read))
  const all = [...finders, nullFinderOf(declared, table, source)]
  const places = placesIn(table, source, ...declared)
  return (holder) => {
    for (const find of all) {
      const found = find(holder)
      if (found === "ambiguous") return undefined
      if (found === undefined) continue
      // An empty list or a null says that there are no records only where no other place may have them.
      const isOther = (name: string) => name !== found.field && isPlace(holder[name])
      if (found.records.length > 0 || !places.some(isOther)) return found
    }
    return undefined
  }
}

/** The numbers under keys of the record itself, which only the setting can declare. */
const keyedShapes = (
  { shapes = [], ...table }: Table,
  source: Pick<Source<unknown>, "fields">,
): ReadonlyArray<Shape> => {
  const figures = shapes.find(({ holds }) => holds === "figures")
  if (figures === undefined || configuredKeys(table, source) === undefined) return []
  const { in: _field, ...byKey } = figures
  return [{ ...byKey, name: "the keys in the setting fields" }]
}

const finderOf = (
  shape: Shape,
  table: Table,
  source: Pick<Source<unknown>, "fields">,
  read: ReadonlyArray<string>,
): ((holder: JsonObject) => Found | "ambiguous" | undefined) => {
  const fits = fitsIn(shape, table, source)
  const recordsOf = readerOf(shape, fits)
  if (shape.in !== undefined) {
    const places = placesIn(table, source, shape)
    return (holder) => {
      let empty: Found | undefined
      for (const field of places) {
        const value = holder[field]
        const held = value === undefined ? undefined : recordsOf(value)
        if (held === undefined) continue
        const found = { shape, field, ...held, rest: without(holder, [field]) }
        // An empty list may stand beside the one with the records.
        if (held.records.length > 0) return found
        empty ??= found
      }
      return empty
    }
  }
  if (shape.holds === "record") {
    const whole = { shape, field: undefined, others: [], rest: {} }
    const places = placesIn(table, source, ...(table.shapes ?? []))
    const hasPlace = (holder: JsonObject) => places.some((field) => isPlace(holder[field]))
    return (holder) => {
      if (!fits(holder)) return undefined
      return hasPlace(holder) ? "ambiguous" : { ...whole, records: [holder] }
    }
  }
  const keysOf =
    shape.keys === undefined
      ? keysIn(table, source, read)
      : (holder: JsonObject) => shape.keys?.filter((name) => holder[name] !== undefined)
  return (holder) => {
    const keys = keysOf(holder)
    const chosen = keys === undefined ? undefined : recordsOf(pick(holder, keys))
    if (chosen === undefined || keys === undefined || keys.length === 0) return undefined
    return { shape, field: undefined, ...chosen, rest: without(holder, keys) }
  }
}

/**
 * Finds a null in a place of records: some services write an empty list or map as one. Where what is read may be a record
 * itself, null may be a figure of it that is not known.
 */
const nullFinderOf = (
  shapes: ReadonlyArray<Shape>,
  table: Table,
  source: Pick<Source<unknown>, "fields">,
): FindRecords => {
  const [shape] = shapes
  if (shape === undefined || shapes.some(({ holds }) => holds === "record")) return () => undefined
  const places = placesIn(table, source, ...shapes)
  return (holder) => {
    const field = places.find((name) => holder[name] === null)
    return field === undefined
      ? undefined
      : { shape, field, records: [], others: [], rest: without(holder, [field]) }
  }
}

/** The names of the fields with records: those of the setting, then those of the shapes. */
export const placesIn = (
  table: Table,
  source: Pick<Source<unknown>, "fields">,
  ...shapes: ReadonlyArray<Shape>
): ReadonlyArray<string> => {
  const declared = shapes.flatMap(({ in: names = [] }) => spellings(...names))
  return [...new Set([...configuredPlaces(table, source), ...declared])]
}

const isPlace = (value: unknown): boolean =>
  isJsonObject(value) ? Object.keys(value).length > 0 : Array.isArray(value) && value.length > 0

/** The chosen keys of a record; `undefined` if it has numbers that the setting does not mention. */
const keysIn = (
  table: Table,
  source: Pick<Source<unknown>, "fields">,
  read: ReadonlyArray<string>,
): ((holder: JsonObject) => ReadonlyArray<string> | undefined) => {
  const { keys = [], except = [] } = configuredKeys(table, source) ?? {}
  const others = new Set([...except, ...read])
  const chosen = keys === "*" ? undefined : new Set(keys)
  return (holder) => {
    const names = Object.keys(holder).filter((name) => !others.has(name))
    if (chosen === undefined) return names
    const isMentioned = names.every(
      (name) => chosen.has(name) || numberOf(holder[name]) === undefined,
    )
    return isMentioned ? names.filter((name) => chosen.has(name)) : undefined
  }
}

/** Whether a record has the columns that the shape requires, each null or of its type. */
const fitsIn = (
  { requires = [] }: Shape,
  table: Table,
  source: Pick<Source<unknown>, "fields">,
): ((record: JsonObject) => boolean) => {
  const groups = requires.map((columns) =>
    columns.map((column) => {
      const names = namesOf(table, column, source)
      const valueOfField = lookupOf(names)
      const valueIn = columnReader(table, column, source)
      const isNull = (record: JsonObject) =>
        names.some((name) => valueOfField(record, name) === null)
      return { isIn: (record: JsonObject) => valueIn(record) !== null, isNull }
    }),
  )
  return (record) =>
    groups.every((columns) => columns.some(({ isIn, isNull }) => isIn(record) || isNull(record)))
}

type Read = Pick<Found, "records" | "others">

/** Reads the value of the field with the records; `undefined` if it is in another shape. */
const readerOf = (
  shape: Shape,
  fits: (record: JsonObject) => boolean,
): ((value: unknown) => Read | undefined) => {
  switch (shape.holds) {
    case "record":
      return (value) =>
        isJsonObject(value) && fits(value) ? { records: [value], others: [] } : undefined
    case "list":
      return (value) => (Array.isArray(value) ? listOf(value, fits) : undefined)
    case "lists":
      return (value) => (isJsonObject(value) ? listsOf(value, shape, fits) : undefined)
    case "map":
      return (value) => (isJsonObject(value) ? mapOf(value, shape, fits) : undefined)
    case "figures":
      return (value) => (isJsonObject(value) ? figuresOf(value, shape) : undefined)
  }
}

/** The records that a field would hold in the shape, whatever their fields are called; `undefined` if it can hold none. */
export const recordsHeld = (shape: Shape, value: unknown): ReadonlyArray<JsonObject> | undefined =>
  readerOf(shape, () => true)(value)?.records

/** Elements in another shape are left out, unless all are. */
const listOf = (
  list: ReadonlyArray<unknown>,
  fits: (record: JsonObject) => boolean,
): Read | undefined => {
  const records: Array<JsonObject> = []
  const others: Array<Found["others"][number]> = []
  for (const [index, record] of list.entries()) {
    if (isJsonObject(record) && fits(record)) records.push(record)
    else others.push({ index, record })
  }
  return records.length === 0 && others.length > 0 ? undefined : { records, others }
}

const listsOf = (
  lists: JsonObject,
  { key = "", keys = [] }: Shape,
  fits: (record: JsonObject) => boolean,
): Read | undefined => {
  const records: Array<JsonObject> = []
  for (const [name, list] of Object.entries(lists)) {
    const isFitting = Array.isArray(list) && list.every((each) => isJsonObject(each) && fits(each))
    if (!keys.includes(name) || !isFitting) return undefined
    for (const record of list as ReadonlyArray<JsonObject>) records.push({ [key]: name, ...record })
  }
  return { records, others: [] }
}

const mapOf = (
  map: JsonObject,
  { key = "", totals = [] }: Shape,
  fits: (record: JsonObject) => boolean,
): Read | undefined => {
  const records: Array<JsonObject> = []
  for (const [name, record] of Object.entries(map)) {
    // Next to records, a number under such a name is no record.
    if (totals.includes(name) && numberOf(record) !== undefined) continue
    if (!isJsonObject(record) || Object.hasOwn(record, key)) return undefined
    const keyed = { ...record, [key]: name }
    if (!fits(keyed)) return undefined
    records.push(keyed)
  }
  return { records, others: [] }
}

const figuresOf = (
  map: JsonObject,
  { key = "", value = "", totals = [] }: Shape,
): Read | undefined => {
  const entries = Object.entries(map)
  if (!entries.every(([, figure]) => figure === null || numberOf(figure) !== undefined)) {
    return undefined
  }
  const named = entries.filter(([name]) => totals.includes(name))
  const parts = entries.filter(([name]) => !totals.includes(name))
  const sum = parts.reduce((all, [, figure]) => all + (numberOf(figure) ?? 0), 0)
  const isTotal = ([, total]: readonly [string, unknown]): boolean =>
    Math.abs((numberOf(total) ?? Number.NaN) - sum) <= 1e-6 * Math.abs(sum)
  if (!named.every(isTotal)) return undefined
  return {
    records: parts.map(([name, figure]) => ({ [key]: name, [value]: figure })),
    others: [],
  }
}

const without = (record: JsonObject, names: ReadonlyArray<string>): JsonObject => {
  const left = new Set(names)
  return Object.fromEntries(Object.entries(record).filter(([name]) => !left.has(name)))
}

const pick = (record: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(names.map((name) => [name, record[name]]))
