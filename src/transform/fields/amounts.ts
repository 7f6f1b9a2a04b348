// The fields of token amounts, which are sent raw and normalized (§2.10): as `{ raw, normalized }` (FIELD_NOTES.md), in
// two fields that say which is which, or in one that does and a plain one beside it. A plain field alone says neither.
import { spellings } from "../../domain/table/column.ts"
import { isJsonObject, type JsonObject } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import type { Source } from "../Source.ts"
import { namesOf } from "./wireNames.ts"

/** The names of an amount in both units; `stems` are its plain names. */
export const amountNames = (...stems: ReadonlyArray<string>) => ({
  raw: stems.flatMap((stem) => [`${stem}.raw`, `${stem}_raw`]),
  normalized: stems.flatMap((stem) => [`${stem}.normalized`, `${stem}_normalized`]),
})

/** The columns of an amount and its plain names. */
export interface AmountColumns {
  readonly raw: string
  readonly normalized: string
  readonly stems: ReadonlyArray<string>
}

/**
 * The names of the columns in these records: a plain field is in one unit if every record that has it also has the field
 * of the other unit beside it, and then it is the counterpart.
 */
export const amountFields = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  source: Pick<Source<unknown>, "fields">,
  ...amounts: ReadonlyArray<AmountColumns>
): Readonly<Record<string, ReadonlyArray<string>>> => {
  const present = (name: string) => records.filter((record) => isPresent(record[name]))
  const plainBeside = (stems: ReadonlyArray<string>, suffix: string): ReadonlyArray<string> =>
    stems.flatMap((stem) => {
      const isPaired = hasAny(spellings(`${stem}${suffix}`))
      return spellings(stem).filter((plain) => {
        const holders = present(plain)
        return holders.length > 0 && holders.every(isPaired)
      })
    })
  return Object.fromEntries(
    amounts.flatMap(({ raw, normalized, stems }) => {
      const [isNormalized, isRaw] = [plainBeside(stems, "_raw"), plainBeside(stems, "_normalized")]
      return [
        // Beside both, a plain field is one amount too many.
        [normalized, [...namesOf(table, normalized, source), ...without(isNormalized, isRaw)]],
        [raw, [...namesOf(table, raw, source), ...without(isRaw, isNormalized)]],
      ]
    }),
  )
}

/** The record with its `{ raw, normalized }` objects as fields with dotted names, so that none stays in `extra`. */
export const withAmountParts = (
  record: JsonObject,
  ...amounts: ReadonlyArray<AmountColumns>
): JsonObject => {
  const plain = new Set(amounts.flatMap(({ stems }) => spellings(...stems)))
  const isAmount = (name: string, value: unknown): value is JsonObject =>
    plain.has(name) &&
    isJsonObject(value) &&
    Object.keys(value).every((part) => part === "raw" || part === "normalized")
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      isAmount(name, value)
        ? Object.entries(value).map(([part, figure]) => [`${name}.${part}`, figure])
        : [[name, value]],
    ),
  )
}

const hasAny =
  (names: ReadonlyArray<string>) =>
  (record: JsonObject): boolean =>
    names.some((name) => isPresent(record[name]))

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

const without = (names: ReadonlyArray<string>, others: ReadonlyArray<string>) =>
  names.filter((name) => !others.includes(name))
