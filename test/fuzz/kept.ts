// Whether a changed response still becomes what its unchanged part became before, and whether each record becomes
// something. The place that a row came from is the smallest one that holds all values of the row.
import type { Rows } from "../../src/domain/table/table.ts"
import type { MappedResponse } from "../../src/transform/Source.ts"
import { asSent, heldBy, isHeld, type Place, readColumns } from "./held.ts"

interface Row {
  readonly fits: (place: Place) => boolean
  /** Its values as text; a key without its number among equal ones, which depends on the other records. */
  readonly text: string
}

const rowsOf = ({ table, columns, length }: Rows): ReadonlyArray<Row> => {
  const read = readColumns(table)
    .filter(({ type }) => type !== "json")
    .map((column) => ({
      column,
      values: columns[table.columns.indexOf(column)] ?? [],
      isKey: table.key.includes(column.name),
    }))
  return Array.from({ length }, (_, row) => ({
    fits: ({ held }) =>
      read.every(({ column, values, isKey }) => isHeld(column, values[row] ?? null, held, isKey)),
    text: `${table.name} ${read
      .map(({ column, values, isKey }) => {
        const text = String(values[row])
        return `${column.name}: ${isKey ? text.replace(/#\d+$/, "") : text}`
      })
      .join(", ")}`,
  }))
}

export interface Before {
  readonly rows: ReadonlyArray<{ readonly text: string; readonly places: ReadonlyArray<Place> }>
  /** Of lists all of whose elements are in rows. */
  readonly lists: ReadonlySet<string>
}

const jsonOf = (value: unknown): string => JSON.stringify(value)

const isElement = ({ path }: Place): boolean => path.endsWith("[]")

/** All that the place is in. */
const around = ({ parent }: Place): ReadonlyArray<Place> =>
  parent === undefined ? [] : [parent, ...around(parent)]

/** What a response became, and of what. */
export const madeOf = ({ rows }: MappedResponse, places: ReadonlyArray<Place>): Before => {
  const possible = places.filter((place) => place.parent === undefined || isElement(place))
  const unused = new Set(possible.slice(1))
  const found = rows.flatMap(rowsOf).map(({ text, fits }) => {
    const fitting = possible.filter(fits)
    for (const place of fitting) unused.delete(place)
    const larger = new Set(fitting.flatMap(around))
    return { text, places: fitting.filter((place) => !larger.has(place)) }
  })
  const lists = new Set(places.filter(isElement).map(({ path }) => path))
  for (const { path } of unused) lists.delete(path)
  return { rows: found, lists }
}

/** Rows that are gone although the response still has all that they were made of, and records that became nothing. */
export const lost = (
  before: Before,
  { rows, rejected, drift }: MappedResponse,
  places: ReadonlyArray<Place>,
): ReadonlyArray<string> => {
  const made = rows.flatMap(rowsOf)
  const texts = new Set(made.map(({ text }) => text))
  const kept = new Set(places.map(({ text }) => text))
  // A list that is not of what is documented is kept as it was sent.
  const whole = new Set(
    drift.filter(({ kind }) => kind === "unknown_field").map(({ path }) => path),
  )
  // Another record has its key, or it is a text among records.
  const sent = rejected.map((each) => ({ ...each, record: asSent(jsonOf(each.record)) }))
  const replaced = new Set(
    sent
      .filter(({ isRepeated, record }) => isRepeated === true || typeof record !== "object")
      .map(({ record }) => jsonOf(record)),
  )
  const isExcused = (place: Place): boolean =>
    [place, ...around(place)].some(
      ({ path, value }) => whole.has(path) || replaced.has(jsonOf(value)),
    )
  const gone = before.rows.filter(
    (row) =>
      row.places.length > 0 &&
      !texts.has(row.text) &&
      row.places.every((place) => kept.has(place.text) && !isExcused(place)),
  )
  // A rejected record may have fields of what it is in, or be a part of one that was sent.
  const reported = heldBy(...sent.map(({ record }) => record))
  const isReported = ({ held: [own] }: Place): boolean =>
    sent.length > 0 &&
    [...own!.texts].every((text) => reported.texts.has(text)) &&
    [...own!.numbers].every((number) => reported.numbers.has(number))
  const records = places.filter(({ path }) => before.lists.has(path))
  const larger = new Set(records.flatMap(around))
  // Its rows may be of a list in it that is empty now.
  const hasList = ({ path }: Place): boolean =>
    [...before.lists].some((list) => list.startsWith(`${path}.`))
  const ignored = records.filter(
    (place) =>
      !larger.has(place) &&
      !hasList(place) &&
      !made.some(({ fits }) => fits(place)) &&
      !isExcused(place) &&
      !isReported(place),
  )
  return [
    ...gone.map(({ text }) => `no longer a row: ${text}`),
    ...ignored.map(({ path, value }) => `neither a row nor rejected: ${path} ${jsonOf(value)}`),
  ]
}
