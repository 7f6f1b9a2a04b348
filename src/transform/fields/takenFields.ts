// Reads fields that mean more than their JSON type says: addresses, chains, amounts, and what lies in a
// record within the record. Whatever a reading does not keep whole stays in the record, and so in `extra`.
import { canonicalAddress } from "../../domain/address.ts"
import { asDigits, asNumber, isJsonObject, type JsonObject } from "../../domain/json.ts"
import type { Value } from "../../domain/table.ts"
import { parseInstant } from "../../domain/time.ts"
import { mapCurrent } from "../mapCurrent.ts"
import type { Mapped, MapOptions } from "../mapRecords.ts"

/** `whole`: the value tells all that was served, so that the field need not be kept beside it. */
interface Taken {
  readonly value: Value
  readonly whole: boolean
}

/** Fields to look in, the first that can be read wins; `undefined` for a value that is something else. */
export interface Reading {
  readonly fields: ReadonlyArray<string>
  readonly read: (value: unknown) => Taken | undefined
}

/** `snake_case` names and the same in camelCase. */
export const spellings = (...names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(
    names.flatMap((name) => [
      name,
      name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
    ]),
  ),
]

const whole = (value: Value): Taken => ({ value, whole: true })

/** The spelling joins use, or the text itself where it is no address this API has an endpoint for. */
export const canonicalSpelling = (served: string): string =>
  canonicalAddress(served)?.canonical ?? served

/** An address, or the address in a record; another spelling than the canonical stays in `extra`. */
export const address = (...names: ReadonlyArray<string>): Reading => ({
  fields: spellings(...names),
  read: (value) => {
    if (isJsonObject(value)) {
      const inner = value["address"]
      return typeof inner === "string"
        ? { value: canonicalSpelling(inner), whole: false }
        : undefined
    }
    if (typeof value !== "string" || value === "") return undefined
    const canonical = canonicalSpelling(value)
    return { value: canonical, whole: canonical === value }
  },
})

/** The text as served. */
export const served = (...names: ReadonlyArray<string>): Reading => ({
  fields: spellings(...names),
  read: (value) => (typeof value === "string" && value !== "" ? whole(value) : undefined),
})

/** A chain id as an integer, in digits, or inside a chain record. */
export const chainIdOf = (value: unknown): number | undefined => {
  if (isJsonObject(value)) return chainIdOf(value["chain_id"] ?? value["chainId"] ?? value["id"])
  if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value)
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

export const chain = (...names: ReadonlyArray<string>): Reading => ({
  fields: spellings(...names),
  read: (value) => {
    const id = chainIdOf(value)
    return id === undefined ? undefined : { value: id, whole: !isJsonObject(value) }
  },
})

const decimal = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/

/** Every digit of a number, whether it was served as a number or as text. */
const digitsOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return decimal.test(value) ? value : undefined
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined
  return asDigits(value)
}

/** A number, also one served as text, as a double. */
export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && decimal.test(value) ? Number(value) : asNumber(value)
  return number !== undefined && Number.isFinite(number) ? number : undefined
}

/** A number as a double; as text it can hold more digits than that, which then stay in `extra`. */
export const double = (...names: ReadonlyArray<string>): Reading => ({
  fields: spellings(...names),
  read: (value) => {
    const number = numberOf(value)
    if (number === undefined) return undefined
    return { value: number, whole: digitsOf(value) === String(number) }
  },
})

/** `USD` where a name among `names` that says so holds a number. */
export const unitNamed = (names: ReadonlyArray<string>): Reading => ({
  fields: names.filter((name) => /usd/i.test(name)),
  read: (value) => (numberOf(value) === undefined ? undefined : { value: "USD", whole: false }),
})

/** A number as text that keeps every digit. */
export const digits = (...names: ReadonlyArray<string>): Reading => ({
  fields: spellings(...names),
  read: (value) => {
    const text = digitsOf(value)
    return text === undefined ? undefined : whole(text)
  },
})

/** An instant in microseconds since 1970 UTC. */
export const instant = (...names: ReadonlyArray<string>): Reading => ({
  fields: spellings(...names),
  read: (value) => {
    const micros = parseInstant(value)
    return micros === undefined ? undefined : whole(micros)
  },
})

/** What another reading finds in a record within the record; that record stays as it is. */
export const within = (outer: ReadonlyArray<string>, reading: Reading): Reading => ({
  fields: outer,
  read: (value) => {
    if (!isJsonObject(value)) return undefined
    const taken = takeOne(value, reading)
    return taken === undefined ? undefined : { value: taken.value, whole: false }
  },
})

/** The first of several readings that finds something. */
const takeOne = (
  record: JsonObject,
  { fields, read }: Reading,
): (Taken & { readonly field: string }) | undefined => {
  for (const field of fields) {
    const value = record[field]
    if (value === undefined || value === null) continue
    const taken = read(value)
    if (taken !== undefined) return { ...taken, field }
  }
  return undefined
}

export type Readings = Readonly<Record<string, Reading | ReadonlyArray<Reading>>>

export interface TakenFields {
  /** Values by column, one a record. */
  readonly columns: Readonly<Record<string, ReadonlyArray<Value>>>
  /** The records without what the columns tell whole. */
  readonly rest: ReadonlyArray<JsonObject>
}

/** A column's readings are tried in order; several columns may read the same field. */
export const takeFields = (records: ReadonlyArray<JsonObject>, readings: Readings): TakenFields => {
  const columns: Record<string, Array<Value>> = {}
  const told = records.map(() => new Set<string>())
  for (const [column, tried] of Object.entries(readings)) {
    const each: ReadonlyArray<Reading> = "fields" in tried ? [tried] : tried
    columns[column] = records.map((record, row) => {
      for (const reading of each) {
        const taken = takeOne(record, reading)
        if (taken === undefined) continue
        if (taken.whole) told[row]?.add(taken.field)
        return taken.value
      }
      return null
    })
  }
  const rest = records.map((record, row) => {
    const gone = told[row]
    return gone === undefined || gone.size === 0
      ? record
      : Object.fromEntries(Object.entries(record).filter(([field]) => !gone.has(field)))
  })
  return { columns, rest }
}

/** `mapCurrent` with columns read by `readings`; what those know is no unknown field. */
export const mapTaken = (options: MapOptions & { readonly readings: Readings }): Mapped => {
  const { readings, ...others } = options
  const { columns, rest } = takeFields(options.records, readings)
  const known = new Set(
    Object.values(readings)
      .flatMap((tried): ReadonlyArray<Reading> => ("fields" in tried ? [tried] : tried))
      .flatMap(({ fields }) => fields.map((field) => `$.${field}`)),
  )
  const mapped = mapCurrent({
    ...others,
    records: rest,
    computed: { ...columns, ...options.computed },
  })
  const drift = mapped.drift.filter(
    ({ kind, path }) => kind !== "unknown_field" || !known.has(path),
  )
  return { ...mapped, drift }
}
