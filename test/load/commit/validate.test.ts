import { expect, it } from "vitest"
import { checkBatch } from "../../../src/load/commit/validate.ts"
import { reading, readings, readingsBatch, rowsOf } from "../sample.ts"

const TABLES = new Set(["core.readings"])

/** The error of a batch whose second row has these values. */
const whyNot = (values: object): string | undefined =>
  checkBatch(readingsBatch([reading("z", 0, 1), { ...reading("a", 0, 1), ...values }]), TABLES)
    ?.message

it.each([
  [{ observed_at: null }, "core.readings.observed_at: a required value is missing"],
  [{ observed_at: 1.5 }, "core.readings.observed_at: 1.5 is no timestamp"],
  [{ value: Number.NaN }, "core.readings.value: NaN is no double"],
  [{ value: Number.POSITIVE_INFINITY }, "core.readings.value: Infinity is no double"],
  [{ count: 1.5 }, "core.readings.count: 1.5 is no integer"],
  [{ count: 2 ** 53 }, "core.readings.count: 9007199254740992 is no integer"],
  [{ flag: "yes" }, 'core.readings.flag: "yes" is no boolean'],
  // The last day is DuckDB's infinity.
  [{ day: 2 ** 31 - 2 }, "core.readings.day: 2147483646 is no date"],
  [{ day: 2 - 2 ** 31 }, "core.readings.day: -2147483646 is no date"],
  [{ note: 1 }, "core.readings.note: 1 is no text"],
  [{ amount: "1e9" }, 'core.readings.amount: "1e9" is no amount'],
  [{ extra: "{" }, 'core.readings.extra: "{" is no json'],
  [{ extra: JSON.stringify({ a: "\ud83d" }) }, "core.readings.extra: "],
  [{ extra: JSON.stringify({ a: "\\\ud83d" }) }, "core.readings.extra: "],
])("%o is no row of the table, and names column, row and key", (values, expected) => {
  expect(whyNot(values)).toContain(expected)
  expect(whyNot(values)).toContain('(row 1: vault_address = "a"')
})

it.each([
  { value: null, note: null },
  { day: 2 ** 31 - 3 },
  { amount: "-10000000000000000000000000000000000001" },
  // A whole pair, and a backslash before u and d.
  { extra: JSON.stringify({ a: "\ud83d\ude00" }) },
  { extra: JSON.stringify({ a: String.raw`\ud83d` }) },
])("%o is a row of the table", (values) => expect(whyNot(values)).toBeUndefined())

it("rows fit their table, which the warehouse has", () => {
  const rows = rowsOf(readings, [reading("a", 0, 1)])
  const batch = readingsBatch([])
  const why = (given: typeof rows) => checkBatch({ ...batch, rows: [given] }, TABLES)?.message
  expect(why({ ...rows, columns: rows.columns.slice(1) })).toContain(
    "8 columns were given, the table has 9",
  )
  expect(why({ ...rows, length: 2 })).toContain(
    "core.readings.vault_address: 1 values were given for 2 rows",
  )
  expect(checkBatch({ ...batch, rows: [], bookkeeping: [rows] }, new Set())?.message).toContain(
    "core.readings: the warehouse was opened without this table",
  )
})
