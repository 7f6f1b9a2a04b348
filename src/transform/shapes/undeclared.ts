// Describes records in a shape that nobody declared: what they look like, and which lines of the setting `fields` would
// declare it. It only proposes; the user decides what the fields mean.
import { isJsonObject, type JsonObject, typeOfJson } from "../../domain/values/json.ts"
import type { Rows, Table } from "../../domain/table/table.ts"
import type { RejectedRecord, Violation } from "../../domain/wire/violation.ts"
import { numberOf } from "../fields/numbers.ts"
import { namesOf, valueAt } from "../fields/wireNames.ts"
import type { Mapped, Source } from "../Source.ts"
import type { Found } from "./recordsIn.ts"

const SHOWN_FIELDS = 20

/** The fields of a record with their types: `date (string), aave (number)`. */
export const shapeOf = (record: JsonObject): string => {
  const fields = Object.entries(record).map(
    ([name, value]) => `${name} (${isJsonObject(value) ? "record" : typeOfJson(value)})`,
  )
  const more = fields.length - SHOWN_FIELDS
  return `${fields.slice(0, SHOWN_FIELDS).join(", ") || "no fields"}${more > 0 ? ` and ${more} more` : ""}`
}

/** A violation by records that are in no declared shape of the table; `read` are fields that are read otherwise. */
export const undeclared = (
  table: Table,
  record: JsonObject,
  at: string,
  source: Pick<Source<unknown>, "fields">,
  read: ReadonlyArray<string> = [],
): Violation => {
  const names = [...new Set((table.shapes ?? []).map(({ name }) => name))].join(", ")
  const lines = linesFor(table, record, source, new Set(read))
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
  source: Pick<Source<unknown>, "fields">,
): ReadonlyArray<RejectedRecord> =>
  others.map(({ index, record }) => ({
    ...undeclared(table, isJsonObject(record) ? record : {}, `${at}.${field}[${index}]`, source),
    record,
  }))

/** Adds, as rejected, the elements of a list of the response that are in another shape than the others: the set is then incomplete. */
export const otherRecords = (
  mapped: Mapped,
  table: Table,
  found: Pick<Found, "field" | "others"> | undefined,
  source: Pick<Source<unknown>, "fields">,
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

const linesFor = (
  table: Table,
  record: JsonObject,
  source: Pick<Source<unknown>, "fields">,
  read: ReadonlySet<string>,
): ReadonlyArray<string> => {
  const shapes = table.shapes ?? []
  const isRead = (name: string): boolean => read.has(name)
  const others = Object.entries(record).filter(([name]) => !isRead(name))
  const places = shapes.some((shape) => shape.in !== undefined)
    ? others.filter(([, value]) => isPlace(value)).map(([name]) => `${table.name}: ${yaml(name)}`)
    : []
  const numbers = others.filter(([, value]) => numberOf(value) !== undefined).map(([name]) => name)
  const keyed = shapes.find(({ holds }) => holds === "figures")
  const keys =
    keyed === undefined || numbers.length === 0
      ? []
      : [
          `${table.name}: { keys: [${numbers.map(yaml).join(", ")}] } # if these are the ${keyed.key}s`,
        ]
  return [...places, ...keys, ...columnLines(table, record, source, others)]
}

const isPlace = (value: unknown): boolean =>
  isJsonObject(value) || (Array.isArray(value) && value.some(isJsonObject))

/** Lines for the columns that a shape requires and the record lacks, if it has the others. */
const columnLines = (
  table: Table,
  record: JsonObject,
  source: Pick<Source<unknown>, "fields">,
  others: ReadonlyArray<readonly [string, unknown]>,
): ReadonlyArray<string> => {
  const has = (column: string): boolean =>
    namesOf(table, column, source).some((name) => valueAt(record, name) !== undefined)
  const lines = new Set<string>()
  const taken = (name: string): boolean =>
    table.columns.some(({ name: column }) => namesOf(table, column, source).includes(name))
  for (const { requires = [], holds } of table.shapes ?? []) {
    if (holds !== "record" && holds !== "list") continue
    const missing = requires.filter((columns) => !columns.some(has))
    if (missing.length === 0 || missing.length === requires.length) continue
    for (const column of missing.flat()) {
      const type = table.columns.find(({ name }) => name === column)?.type
      for (const [name, value] of others) {
        const isFigure = numberOf(value) !== undefined
        const isFitting = type === "text" ? typeof value === "string" && !isFigure : isFigure
        if (isFitting && !taken(name)) lines.add(`${table.name}.${column}: ${yaml(name)}`)
      }
    }
  }
  return [...lines]
}
