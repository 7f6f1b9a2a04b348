// Describes why a record can't become a row: which of its fields is missing or wrong, and what to do.
import type { Column } from "../../domain/table/column.ts"
import type { JsonObject } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import type { Violation } from "../../domain/wire/violation.ts"
import { expected } from "./readField.ts"
import { valueAt } from "./wireNames.ts"

export interface SeenField {
  readonly name: string
  readonly value: unknown
}

/** The first of the fields that has a value, or else the first that is present. */
export const firstSeen = (
  record: JsonObject = {},
  names: ReadonlyArray<string>,
): SeenField | undefined => {
  const seen = names
    .map((name): SeenField => ({ name, value: valueAt(record, name) }))
    .filter(({ value }) => value !== undefined)
  return seen.find(({ value }) => value !== null) ?? seen[0]
}

/** Describes a record at the path `at` without a value for the column, or with a wrong value in the field `seen`. */
export const columnViolation = (
  table: Table,
  column: Column,
  names: ReadonlyArray<string>,
  record: JsonObject,
  at: string,
  seen: SeenField | undefined,
): Violation =>
  seen === undefined
    ? missing(table, column, names, record, at)
    : {
        path: `${at}.${seen.name}`,
        detail: `is ${shortened(seen.value)}; expected ${expected[column.type]}`,
      }

/** Describes a record without any field of its table. */
export const unrelatedViolation = (table: Table, record: JsonObject, at: string): Violation => {
  const present = Object.keys(record).join(", ")
  return {
    path: at,
    detail:
      present === ""
        ? "is a record without fields"
        : `has no field of ${table.schema}.${table.name}; its fields are ${present}. The setting fields can name one, as \`${table.name}.<column>: <field>\``,
  }
}

const missing = (
  table: Table,
  column: Column,
  names: ReadonlyArray<string>,
  record: JsonObject,
  at: string,
): Violation => {
  const present = Object.keys(record).join(", ")
  const advice = `The setting fields can name another, as \`${table.name}.${column.name}: <field>\``
  if (column.isDocumented === true) {
    const path = `${at}.${names[0]}`
    return { path, detail: `is missing; the record's fields are ${present}. ${advice}` }
  }
  const lookedFor = `(looked for ${names.join(", ")}); its fields are ${present}. ${advice}`
  return {
    path: at,
    detail: `has no ${column.name}${names.length === 0 ? `; its fields are ${present}` : ` ${lookedFor}`}`,
  }
}

const shortened = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
