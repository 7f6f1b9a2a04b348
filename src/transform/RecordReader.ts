// Reads records column by column. Each column takes the first of its fields that can be read; fields that no column
// keeps whole go to `extra`. The points of a history usually have the same fields, so their columns can be read faster.
import type { Column, Value } from "../domain/table/column.ts"
import { asNumber, type JsonObject, stableStringify, typeOfJson } from "../domain/values/json.ts"
import type { Table } from "../domain/table/table.ts"
import { isErrorObject } from "../domain/wire/errorObject.ts"
import type { Drift, RejectedRecord } from "../domain/wire/violation.ts"
import {
  columnViolation,
  firstSeen,
  type SeenField,
  unrelatedViolation,
} from "./fields/columnViolation.ts"
import { readField, valueOf } from "./fields/readField.ts"
import { configuredColumn, configuredNames } from "./fields/settings.ts"
import { UnknownFields } from "./fields/UnknownFields.ts"
import { fieldsOf, lookupOf, valueAt } from "./fields/wireNames.ts"
import { FieldsByRow } from "./FieldsByRow.ts"
import { plainValues, repeated } from "./plainValues.ts"
import type { Source } from "./Source.ts"

export interface RecordOptions {
  readonly table: Table
  /** The records as received, because a rejected record is reported with all its fields. */
  readonly records: ReadonlyArray<JsonObject>
  readonly source: Pick<Source<unknown>, "lineage" | "fields" | "contracts">
  /** Fields that the caller has already read (times, nested tables), which `extra` omits. */
  readonly consumed?: ReadonlyArray<string>
  /** The wire names found in this response, by column. */
  readonly fields?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Whether they are records whatever fields they have, because of where they are in a response that has others. */
  readonly isOpen?: boolean
  /** The path of a record in the response; by default `$[0]`, `$[1]`, … */
  readonly at?: (row: number) => string
}

/** Reads the columns of a table from the records of one response, and collects rejected records and drift. */
export class RecordReader {
  private readonly options: RecordOptions
  private readonly records: ReadonlyArray<JsonObject>
  private readonly fieldsByColumn = new Map<string, ReadonlyArray<string>>()
  private readonly known: ReadonlySet<string>
  /** The fields of every record, if all records have the same ones, like the points of a history. */
  private readonly allFields: ReadonlyArray<string> | undefined
  /** Fields that several columns read; it is enough if one of them keeps the whole field. */
  private readonly shared = new Set<string>()
  /** Shared fields that a column keeps whole. */
  private readonly takenShared = new FieldsByRow()
  /** Fields that a column reads but does not keep whole, so that `extra` keeps them. */
  private readonly kept = new FieldsByRow()
  private readonly unread: Array<{ row: number; field: string; detail: string }> = []
  private readonly unknown: UnknownFields
  /** Fields without a column that the setting names for `extra`, which are no drift. */
  private readonly named: ReadonlySet<string>
  /** Whether the table reads fields of its own: those of an envelope are all unknown. */
  private readonly readsFields: boolean
  /** With the contract `discard`, `extra` has no other fields. */
  private readonly isDiscarded: boolean
  private readonly rejections = new Map<number, RejectedRecord>()

  /** `records` are those of `options` without the fields that no column may read. */
  constructor(options: RecordOptions, records: ReadonlyArray<JsonObject>) {
    this.options = options
    this.records = records
    const known = new Set(options.consumed)
    const read = new Set<string>()
    let readsFields = false
    for (const column of options.table.columns) {
      const names = options.fields?.[column.name] ?? fieldsOf(options.table, column, options.source)
      if (names === undefined) continue
      readsFields ||= column.isIncidental !== true
      this.fieldsByColumn.set(column.name, names)
      for (const name of names) {
        known.add(name)
        if (read.has(name)) this.shared.add(name)
        read.add(name)
      }
    }
    this.known = known
    this.readsFields = readsFields
    const { table, source } = options
    this.named = new Set(configuredNames(table, "extra", source))
    this.unknown = new UnknownFields(new Set([...known, ...this.named]))
    this.isDiscarded = source.contracts?.[table.name] === "discard"
    const fields = Object.keys(records[0] ?? {})
    this.allFields = records.every((record) => hasFields(record, fields)) ? fields : undefined
  }

  /** The values of a column, one for each record. */
  column(declared: Column): ReadonlyArray<Value> {
    const names = this.fieldsByColumn.get(declared.name)
    if (names === undefined) return repeated(this.records.length, null)
    const column = configuredColumn(this.options.table, declared, this.options.source)
    const [name, ...others] = this.presentOf(names)
    const plain =
      name === undefined || others.length > 0 || this.shared.has(name)
        ? undefined
        : plainValues(column, name, this.records)
    if (plain !== undefined) return plain
    const valueOfField = lookupOf(names)
    return this.records.map((record, row) => this.take(column, names, record, row, valueOfField))
  }

  /**
   * The values of a computed column, given as one for all records or one for each. `extra` omits fields with the same
   * value.
   */
  computed(column: Column, given: Value | ReadonlyArray<Value>): ReadonlyArray<Value> {
    const values = isList(given) ? given : repeated(this.records.length, given)
    const names = this.fieldsByColumn.get(column.name) ?? []
    for (const name of this.presentOf(names)) {
      for (const [row, record] of this.records.entries()) {
        const value = valueAt(record, name)
        if (value === undefined || value === null) continue
        if (valueOf(readField(column, value, name)) !== values[row]) this.kept.add(row, name)
        else if (this.shared.has(name)) this.takenShared.add(row, name)
      }
    }
    if (column.required === true && values.includes(null)) {
      for (const [row, value] of values.entries()) {
        if (value === null) this.reject(column, names, row, firstSeen(this.records[row], names))
      }
    }
    return column.type === "double" ? values.map((value) => asNumber(value) ?? value) : values
  }

  /** The fields that no column keeps, as a JSON object for each record; null if there are none. */
  extra(): ReadonlyArray<Value> {
    const { records, known } = this
    if (this.kept.isEmpty && this.allFields?.every((field) => known.has(field)) === true) {
      return repeated(records.length, null)
    }
    return records.map((record, row) => this.extraOf(record, row))
  }

  /**
   * Rejects what is no record of the table: it would become a row without values, and end the one stored before. The
   * document leaves the fields of many records open, so unknown fields alone are no reason.
   */
  rejectUnrelated(): void {
    const { at = (place) => `$[${place}]`, isOpen = false, table } = this.options
    if (!this.readsFields || isOpen) return
    const isDocumented = table.columns.some((column) => column.isDocumented === true)
    for (const [row, record] of this.options.records.entries()) {
      if (this.rejections.has(row) || this.isRelated(record)) continue
      if (isDocumented || isEmpty(record) || isErrorObject(record))
        this.rejections.set(row, { ...unrelatedViolation(table, record, at(row)), record })
    }
  }

  private isRelated(record: JsonObject): boolean {
    for (const field in record) if (this.known.has(field) || this.named.has(field)) return true
    // Fields of a record within it.
    return [...this.known].some((name) => name.includes(".") && valueAt(record, name) !== undefined)
  }

  get rejected(): ReadonlyArray<RejectedRecord> {
    return [...this.rejections.values()]
  }

  isRejected(row: number): boolean {
    return this.rejections.has(row)
  }

  /** With the contract `freeze`, each change is noted again by table and field, for its check. */
  drift(): ReadonlyArray<Drift> {
    const drift = this.changes()
    const { table, source } = this.options
    if (source.contracts?.[table.name] !== "freeze") return drift
    return drift.flatMap((each) => [
      each,
      {
        ...each,
        kind: each.kind === "unknown_field" ? ("frozen_field" as const) : ("frozen_type" as const),
        path: `${table.name}.${each.path.slice("$.".length)}`,
      },
    ])
  }

  private changes(): ReadonlyArray<Drift> {
    const otherTypes = new Map<string, Drift>()
    for (const { row, field, detail } of this.unread) {
      if (
        otherTypes.has(field) ||
        this.named.has(field) ||
        this.takenShared.get(row)?.has(field) === true
      )
        continue
      otherTypes.set(field, { path: `$.${field}`, kind: "other_type", detail })
    }
    return [...otherTypes.values(), ...this.unknown.drift]
  }

  /** Those of the names that some record may have. */
  private presentOf(names: ReadonlyArray<string>): ReadonlyArray<string> {
    const { allFields } = this
    if (allFields === undefined) return names
    return names.filter((name) => name.includes(".") || allFields.includes(name))
  }

  /** The value of a column in one record, from the first field that can be read. */
  private take(
    column: Column,
    names: ReadonlyArray<string>,
    record: JsonObject,
    row: number,
    valueOfField: typeof valueAt,
  ): Value {
    let taken: Value | undefined
    let isPresent = false
    for (const name of names) {
      const value = valueOfField(record, name)
      if (value === undefined) continue
      isPresent = true
      if (value === null) continue
      const read = taken === undefined ? this.read(column, name, value, row) : undefined
      // `extra` keeps further spellings of the same field.
      if (read === undefined) this.kept.add(row, name)
      else taken = read
    }
    if (taken !== undefined && (taken !== null || column.required !== true)) return taken
    if (column.required === true || (column.isDocumented === true && taken === undefined)) {
      const seen = isPresent ? firstSeen(record, names) : undefined
      if (column.required === true || seen === undefined || seen.value !== null) {
        this.reject(column, names, row, seen)
      }
    }
    return null
  }

  /** The value of a field; `undefined` if the column can't read it. */
  private read(column: Column, name: string, value: unknown, row: number): Value | undefined {
    const converted = readField(column, value, name)
    if (converted === undefined) {
      const detail = `${typeOfJson(value)}; expected ${column.type}`
      this.unread.push({ row, field: name, detail })
      return undefined
    }
    if (typeof converted !== "object" || converted === null) {
      if (this.shared.has(name)) this.takenShared.add(row, name)
      return converted
    }
    if (!converted.isWhole) this.kept.add(row, name)
    else if (this.shared.has(name)) this.takenShared.add(row, name)
    return converted.value
  }

  private reject(
    column: Column,
    names: ReadonlyArray<string>,
    row: number,
    seen: SeenField | undefined,
  ): void {
    if (this.rejections.has(row)) return
    const { at = (place) => `$[${place}]`, records, table } = this.options
    const record = records[row] ?? {}
    const violation = columnViolation(table, column, names, record, at(row), seen)
    this.rejections.set(row, { ...violation, record })
  }

  private extraOf(record: JsonObject, row: number): Value {
    let rest: Array<[field: string, value: unknown]> | undefined
    const kept = this.kept.get(row)
    for (const field in record) {
      if (!this.known.has(field)) {
        this.unknown.add(field, record[field])
        if (this.isDiscarded && !this.named.has(field)) continue
      } else if (kept?.has(field) !== true || this.takenShared.get(row)?.has(field) === true) {
        continue
      }
      rest ??= []
      rest.push([field, record[field]])
    }
    // Unlike assignments, this keeps a field named `__proto__`.
    return rest === undefined ? null : stableStringify(Object.fromEntries(rest))
  }
}

const isEmpty = (record: JsonObject): boolean => Object.keys(record).length === 0

const isList = (given: Value | ReadonlyArray<Value>): given is ReadonlyArray<Value> =>
  Array.isArray(given)

/** Whether the record has exactly these fields, in this order. */
const hasFields = (record: JsonObject, fields: ReadonlyArray<string>): boolean => {
  let at = 0
  for (const field in record) {
    if (field !== fields[at]) return false
    at += 1
  }
  return at === fields.length
}
