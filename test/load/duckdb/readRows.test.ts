// Values of DuckDB as JSON: each says what DuckDB's own text of it says.
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readRows } from "../../../src/load/duckdb/readRows.ts"

const instance = await DuckDBInstance.create(":memory:")
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

/** The value of some SQL. */
const valueOf = async (sql: string) => (await readRows(connection, `select ${sql} as x`))[0]?.["x"]

/** An instant of ISO-8601 as DuckDB writes it: the year 0 is 1 BC. */
const asDuckDBWrites = (iso: string): string => {
  const [, year = "", day = "", time = ""] = /^([+-]?\d+)(-\d\d-\d\d)T(.+?)\.?0*Z$/.exec(iso) ?? []
  const ofEra = Number(year) > 0 ? Number(year) : 1 - Number(year)
  return `${String(ofEra).padStart(4, "0")}${day}${Number(year) > 0 ? "" : " (BC)"} ${time}`
}

describe("timestamps", () => {
  it.each([
    ["9999-12-31 23:59:59.999999", "9999-12-31T23:59:59.999999Z"],
    ["2300-01-01 00:00:00.000999", "2300-01-01T00:00:00.000999Z"],
    ["1969-12-31 23:59:59.999999", "1969-12-31T23:59:59.999999Z"],
    ["0001-01-01 (BC) 00:00:00.000001", "0000-01-01T00:00:00.000001Z"],
    // JavaScript has no later ones.
    ["275760-09-13 00:00:00", "+275760-09-13T00:00:00.000Z"],
    ["275760-09-13 00:00:00.000001", "275760-09-13 00:00:00.000001"],
    ["infinity", "infinity"],
    ["-infinity", "-infinity"],
  ])("%s", async (text, expected) => {
    expect(await valueOf(`timestamp '${text}'`)).toBe(expected)
  })

  const Micros = Schema.BigInt.check(
    Schema.isBetweenBigInt({
      minimum: -9_223_372_022_400_000_000n,
      maximum: 9_223_372_036_854_775_806n,
    }),
  )
  it.effect.prop("are the instant of DuckDB's text, from the first to the last", [Micros], ([at]) =>
    Effect.promise(async () => {
      for (const micros of [at, at / 1000n, at / 100_000n]) {
        const [row] = await readRows(
          connection,
          `select make_timestamp(${micros}) as x, make_timestamp(${micros})::varchar as text`,
        )
        const written = String(row?.["x"])
        const { text } = row ?? {}
        expect(written.endsWith("Z") ? asDuckDBWrites(written) : written).toBe(text)
      }
    }),
  )
})

/** Values of a type at random, and its ends, beside DuckDB's own text of each. */
const withText = (type: string, values: string) =>
  readRows(connection, `select x::${type} as x, x::${type}::varchar as text from (${values}) t(x)`)

describe("days and timestamps of other precisions", () => {
  it.each(["date", "timestamp_s", "timestamp_ms", "timestamp_ns"])(
    "%s is DuckDB's text, infinite too",
    async (type) => {
      const infinite = "select unnest(['infinity', '-infinity', '1970-01-01', '2026-02-28'])"
      const rows = await withText(type, infinite)
      expect(rows.map(({ x }) => x)).toEqual(rows.map(({ text }) => text))
      expect(rows.slice(0, 2).map(({ x }) => x)).toEqual(["infinity", "-infinity"])
    },
  )

  const Days = Schema.Int.check(Schema.isBetween({ minimum: -2_147_483_000, maximum: 5_000_000 }))
  it.effect.prop("are DuckDB's text in each year, 1 BC among them", [Days], ([days]) =>
    Effect.promise(async () => {
      for (const near of [days % 5_000_000, -719_528 + (days % 366)]) {
        const day = `select date '1970-01-01' + (${near})`
        for (const type of ["date", "timestamp_s", "timestamp_ms"]) {
          const [row] = await withText(type, day)
          expect(row?.["x"]).toBe(row?.["text"])
        }
      }
    }),
  )

  const Nanos = Schema.BigInt.check(
    Schema.isBetweenBigInt({
      minimum: -9_223_286_400_000_000_000n,
      maximum: 9_223_372_036_854_775_806n,
    }),
  )
  it.effect.prop("are exact to the nanosecond", [Nanos], ([nanos]) =>
    Effect.promise(async () => {
      const [row] = await withText("timestamp_ns", `select make_timestamp_ns(${nanos})`)
      expect(row?.["x"]).toBe(row?.["text"])
    }),
  )
})

it.effect.prop(
  "bytes are DuckDB's text, which no other bytes have",
  [Schema.Uint8Array],
  ([bytes]) =>
    Effect.promise(async () => {
      // Most bytes of a sample are far from \, x and digits.
      for (const each of [Buffer.from(bytes), Buffer.from(`\\x5C${bytes.join("\\")}`)]) {
        const [row] = await withText("blob", `select unhex('${each.toString("hex")}')`)
        expect(row?.["x"]).toBe(row?.["text"])
      }
    }),
)

it.each([
  ["'\\x5Cx00'::blob", "\\x5Cx00"],
  ["'\\x00'::blob", "\\x00"],
  ["'\\x5C'::blob::variant", "\\x5C"],
  ["'-infinity'::date::variant", "-infinity"],
])("%s is %s", async (sql, text) => {
  expect(await valueOf(sql)).toBe(text)
})
