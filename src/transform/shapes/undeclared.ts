// Describes records in a shape that nobody declared: what they look like, and which lines of the setting `fields` would
// declare it. It only proposes; the user decides what the fields mean.
import { isJsonObject, type JsonObject, typeOfJson } from "../../domain/values/json.ts"
import type { Shape } from "../../domain/table/shape.ts"
import type { Rows, Table } from "../../domain/table/table.ts"
import type { RejectedRecord, Violation } from "../../domain/wire/violation.ts"
import { numberOf } from "../fields/numbers.ts"
import { namesOf, valueAt } from "../fields/wireNames.ts"
import type { Mapped, Source } from "../Source.ts"
import { type Found, placesIn, recordsHeld } from "./recordsIn.ts"

const SHOWN_FIELDS = 20

/** The fields of a record with their types: `date (string), aave (number)`. */
const shapeOf = (record: JsonObject): string => {
  const fields = Object.entries(record).map(
    ([name, value]) => `${name} (${isJsonObject(value) ? "record" : typeOfJson(value)})`,
  )
  const more = fields.length - SHOWN_FIELDS
  return `${fields.slice(0, SHOWN_FIELDS).join(", ") || "no fields"}${more > 0 ? ` and ${more} more` : ""}`
}

type Fields = Pick<Source<unknown>, "fields">

/** A violation by records that are in no declared shape of the table; `read` are fields that are read otherwise. */
export const undeclared = (
  table: Table,
  record: JsonObject,
  at: string,
  source: Fields,
  read: ReadonlyArray<string> = [],
): Violation => violationOf(table, record, at, linesFor(table, record, source, new Set(read)))

const violationOf = (
  table: Table,
  record: JsonObject,
  at: string,
  lines: ReadonlyArray<string>,
): Violation => {
  const names = [...new Set((table.shapes ?? []).map(({ name }) => name))].join(", ")
  return {
    path: at,
    detail: `is in no declared shape of ${table.name} (${names}): it has ${shapeOf(record)}. ${
      lines.length === 0
        ? "No setting can declare it"
        : "The setting fields can declare it; `vaulthouse fields` proposes how"
    }`,
    ...(lines.length === 0 ? {} : { proposal: lines.join("\n") }),
  }
}

/** The elements of a list that are in another shape than the others; `at` is the path of what is read. */
export const rejectedIn = (
  table: Table,
  { field = "", others }: Pick<Found, "field" | "others"> = { field: "", others: [] },
  at: string,
  source: Fields,
): ReadonlyArray<RejectedRecord> => {
  const lists = (table.shapes ?? []).filter(({ holds }) => holds === "list")
  return others.map(({ index, record }) => {
    const element = isJsonObject(record) ? record : {}
    const lines = columnLines(table, lists, element, source)
    return { ...violationOf(table, element, `${at}.${field}[${index}]`, lines), record }
  })
}

/** Adds, as rejected, the elements of a list of the response that are in another shape than the others: the set is then incomplete. */
export const otherRecords = (
  mapped: Mapped,
  table: Table,
  found: Pick<Found, "field" | "others"> | undefined,
  source: Fields,
): Mapped => {
  const rejected = rejectedIn(table, found, "$", source)
  if (rejected.length === 0) return mapped
  const { mergeKey: _mergeKey, ...part }: Rows = mapped.rows
  const rows = table.mergeKey === undefined ? part : { ...part, isPartial: true as const }
  return { ...mapped, rows, rejected: [...rejected, ...mapped.rejected] }
}

/** A name as YAML; in quotes if it would be something else. */
export const yaml = (name: string): string =>
  /^[A-Za-z_][\w.-]*$/.test(name) ? name : JSON.stringify(name)

/** A place of records, keys of the record itself, or columns: each line changes how the record is read. */
const linesFor = (
  table: Table,
  record: JsonObject,
  source: Fields,
  read: ReadonlySet<string>,
): ReadonlyArray<string> => {
  const { shapes = [] } = table
  const own = Object.fromEntries(Object.entries(record).filter(([name]) => !read.has(name)))
  const numbers = Object.entries(own).filter(([, value]) => numberOf(value) !== undefined)
  const whole = shapes.filter(({ holds }) => holds === "record")
  const keyed = shapes.find(({ holds }) => holds === "figures")
  const keys = numbers.map(([name]) => yaml(name)).join(", ")
  return [
    ...Object.entries(own).flatMap(([name, value]) => placeLines(table, name, value, source)),
    ...(keyed === undefined || numbers.length === 0
      ? []
      : [`${table.name}: { keys: [${keys}] } # if these are the ${keyed.key}s`]),
    ...columnLines(table, whole, record, source, { own }),
  ]
}

/** The line that makes a field the place of the records, or if it is one already, those for the columns of its records. */
const placeLines = (
  table: Table,
  name: string,
  value: unknown,
  source: Fields,
): ReadonlyArray<string> => {
  if (!isPlace(value)) return []
  const fitting = (table.shapes ?? []).flatMap((shape) => {
    const records = shape.in === undefined ? undefined : recordsHeld(shape, value)
    return records === undefined ? [] : [{ shape, records }]
  })
  const open = fitting.find(({ shape }) => !placesIn(table, source, shape).includes(name))?.shape
  if (open !== undefined) {
    const meaning = open.holds === "figures" ? ` # if its keys are the ${open.key}s` : ""
    return [`${table.name}: ${yaml(name)}${meaning}`]
  }
  return fitting
    .slice(0, 1)
    .flatMap(({ shape, records }) =>
      records
        .slice(0, 1)
        .flatMap((first) => columnLines(table, [shape], first, source, { isSurelyOne: true })),
    )
}

const isPlace = (value: unknown): boolean =>
  isJsonObject(value) || (Array.isArray(value) && value.some(isJsonObject))

interface ColumnOptions {
  /** The fields that may be those of the columns; default: all. */
  readonly own?: JsonObject
  /** Whether it is one of the table's records whatever it has, as in a place of them. */
  readonly isSurelyOne?: boolean
}

/** Lines for the columns that a shape requires and the record lacks, if it has one of the others or is surely one. */
const columnLines = (
  table: Table,
  shapes: ReadonlyArray<Shape>,
  record: JsonObject,
  source: Fields,
  { own = record, isSurelyOne = false }: ColumnOptions = {},
): ReadonlyArray<string> => {
  const has = (column: string): boolean =>
    namesOf(table, column, source).some((name) => valueAt(record, name) !== undefined)
  const lines = new Set<string>()
  const taken = (name: string): boolean =>
    table.columns.some(({ name: column }) => namesOf(table, column, source).includes(name))
  for (const { requires = [] } of shapes) {
    const missing = requires.filter((columns) => !columns.some(has))
    if (missing.length === requires.length && requires.length > 1 && !isSurelyOne) continue
    for (const column of missing.flat()) {
      const type = table.columns.find(({ name }) => name === column)?.type
      for (const [name, value] of Object.entries(own)) {
        const isFigure = numberOf(value) !== undefined
        const isFitting = type === "text" ? typeof value === "string" && !isFigure : isFigure
        if (isFitting && !taken(name)) lines.add(`${table.name}.${column}: ${yaml(name)}`)
      }
    }
  }
  return [...lines]
}
