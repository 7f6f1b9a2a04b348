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
