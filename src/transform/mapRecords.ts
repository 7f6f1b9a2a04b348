// Records to rows, driven by the table value: each column takes the first of its fields that is present
// and of its type; whatever is left of the record goes to `extra` whole.
import {
  asDigits,
  asNumber,
  isLongNumber,
  type JsonObject,
  stableStringify,
  typeOfJson,
} from "../domain/json.ts"
import type { Origin } from "../domain/response.ts"
import type { Column, Rows, Table, Value } from "../domain/table.ts"
import { parseDay, parseInstant } from "../domain/time.ts"
import type { Drift } from "../domain/violation.ts"

/**
 * Columns a mapping fills itself: the same value for all rows, or one value a row. A number may be one of more
 * digits than a double, as the answer held it.
 */
export type Computed = Readonly<Record<string, Value | ReadonlyArray<Value>>>

export interface Mapped {
  readonly rows: Rows
  readonly drift: ReadonlyArray<Drift>
}

export interface MapOptions {
  readonly table: Table
  readonly records: ReadonlyArray<JsonObject>
  readonly origin: Origin
  readonly computed: Computed
  /** Fields the mapping has read itself (keys, times, tables of their own): not for `extra`. */
  readonly consumed?: ReadonlyArray<string>
}

const converters: Record<Column["type"], (value: unknown) => Value | undefined> = {
  text: (value) => (typeof value === "string" ? value : undefined),
  integer: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined),
  double: (value) => {
    const number = asNumber(value)
    return number !== undefined && Number.isFinite(number) ? number : undefined
  },
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  timestamp: parseInstant,
  date: parseDay,
  json: stableStringify,
  amount: asDigits,
}

export const mapRecords = (options: MapOptions): Mapped => {
  const { table, records, computed } = options
  const drift = new Map<string, Drift>()
  const leftOver = new LeftOver(table, options.consumed ?? [], drift)
  const columns = table.columns.map((column) => {
    const given = computed[column.name]
    if (given !== undefined) {
      if (!Array.isArray(given)) {
        return Array.from<Value>({ length: records.length }).fill(given as Value)
      }
      const values = given as ReadonlyArray<Value>
      return column.type === "double" ? values.map((value) => asNumber(value) ?? value) : values
    }
    return column.fields === undefined
      ? Array.from<Value>({ length: records.length }).fill(null)
      : records.map((record, row) => leftOver.take(column, record, row))
  })
  const extraAt = table.columns.findIndex((column) => column.name === "extra")
  if (extraAt >= 0) columns[extraAt] = records.map((record, row) => leftOver.rest(record, row))
  return {
    rows: { table, columns, length: records.length, origin: options.origin },
    drift: [...drift.values()],
  }
}

/** What of each record no column has taken. */
class LeftOver {
  private readonly known: ReadonlySet<string>
  /** Fields a column could not take in the rows where they are of another type. */
  private readonly refused = new Map<number, Set<string>>()
  private readonly drift: Map<string, Drift>

  constructor(table: Table, consumed: ReadonlyArray<string>, drift: Map<string, Drift>) {
    this.known = new Set([...table.columns.flatMap((column) => column.fields ?? []), ...consumed])
    this.drift = drift
  }

  take(column: Column, record: JsonObject, row: number): Value {
    let taken: Value = null
    for (const field of column.fields ?? []) {
      const value = record[field]
      if (value === undefined || value === null) continue
      // A second spelling of the same field is no reason to lose what it holds.
      if (taken !== null) {
        this.refuse(row, field)
        continue
      }
      const converted = converters[column.type](value)
      if (converted === undefined) {
        this.refuse(row, field)
        this.note(field, "other_type", `${typeOfJson(value)}; expected ${column.type}`)
      } else {
        taken = converted
        // The column holds a double; the digits beyond it stay where nothing is lost.
        if (column.type === "double" && isLongNumber(value)) this.refuse(row, field)
      }
    }
    return taken
  }

  rest(record: JsonObject, row: number): Value {
    const refused = this.refused.get(row)
    let rest: Record<string, unknown> | undefined
    for (const field in record) {
      if (this.known.has(field)) {
        if (refused === undefined || !refused.has(field)) continue
      } else {
        this.note(field, "unknown_field", typeOfJson(record[field]))
      }
      rest ??= {}
      rest[field] = record[field]
    }
    return rest === undefined ? null : stableStringify(rest)
  }

  private refuse(row: number, field: string): void {
    const fields = this.refused.get(row)
    if (fields === undefined) this.refused.set(row, new Set([field]))
    else fields.add(field)
  }

  private note(field: string, kind: Drift["kind"], detail: string): void {
    const key = `${kind} ${field}`
    if (!this.drift.has(key)) this.drift.set(key, { path: `$.${field}`, kind, detail })
  }
}
