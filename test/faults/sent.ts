// Whether rows that differ after a changed body are what that body says.
import { storedTables, type Table, tableName } from "../../src/domain/table/table.ts"
import type { Column, Value } from "../../src/domain/table/column.ts"
import { coreTables } from "../../src/pipelines/pipelines.ts"
import { type Place, placesIn, unheld } from "../fuzz/held.ts"
import type { Sent } from "./faultyService.ts"
import type { Difference } from "./stored.ts"

const tables = new Map(
  coreTables.flatMap((table) =>
    storedTables(table).map((each) => [tableName(each), table] as const),
  ),
)

const MILLIS_PER_DAY = 86_400_000

/** As a mapping makes it, of what DuckDB's JSON has. */
const valueOf = ({ type }: Column, stored: unknown): Value => {
  if (stored === null || stored === undefined) return null
  const millis = (): number => Date.parse(`${String(stored).replace(" ", "T")}Z`)
  if (type === "timestamp") return millis() * 1000
  if (type === "date") return Date.parse(String(stored)) / MILLIS_PER_DAY
  return typeof stored === "object" ? JSON.stringify(stored) : (stored as Value)
}

const missing = (
  table: Table,
  row: string,
  places: ReadonlyArray<Place>,
): ReadonlyArray<string> => {
  const stored = JSON.parse(row.replace(/ ×\d+$/, "")) as Readonly<Record<string, unknown>>
  // Most requests name no chain: it is known from the list of vaults.
  const isOfSubject = ({ name, fields }: Column) => name === "chain_id" && fields === undefined
  const columns = table.columns.map((column) => [
    isOfSubject(column) ? null : valueOf(column, stored[column.name]),
  ])
  return unheld({ table, columns, length: 1 }, places)
}

const problemsIn = (
  differences: ReadonlyArray<Difference>,
  places: ReadonlyArray<Place>,
  what: string,
): ReadonlyArray<string> =>
  differences.flatMap(({ table: name, more }) => {
    const table = tables.get(name)
    if (table === undefined) return [`no table ${name}`]
    return more.flatMap((row) => {
      const found = missing(table, row, places)
      return found.length === 0
        ? []
        : [`${what} holds not ${found.join(", ")} of ${row.slice(0, 300)}`]
    })
  })

const wellFormed = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed() : value

/**
 * A key twice counts as its last value, as JSON's readers do, and half of a surrogate pair as U+FFFD, since UTF-8 has no halves.
 */
const placesOf = (text: string, request: ReadonlyArray<string>) =>
  placesIn(JSON.parse(text, wellFormed), request)

/** Rows that no body holds. */
export const notSent = (
  differences: ReadonlyArray<Difference>,
  sent: ReadonlyArray<Sent>,
): ReadonlyArray<string> =>
  problemsIn(
    differences,
    sent.flatMap(({ body, request }) => placesOf(body, request)),
    "the response",
  )

/** Rows that stay different and are not of a record that changed, or are gone without another in their place. */
export const notOfTheRecord = (
  differences: ReadonlyArray<Difference>,
  sent: ReadonlyArray<Sent>,
  isOutOfReach: boolean,
): ReadonlyArray<string> => [
  ...problemsIn(
    differences,
    sent.flatMap(({ body, record = body, request }) => placesOf(record, request)),
    "the changed record",
  ),
  ...differences
    .filter(({ more, less }) => !isOutOfReach && less.length > more.length)
    .map(({ table, less }) => `rows of ${table} are gone: ${less[0]?.slice(0, 300)}`),
]
