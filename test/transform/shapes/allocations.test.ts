// Which points become rows of core.allocation_history: those in a declared shape, and no others.
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
import { isJsonObject, type JsonObject } from "../../../src/domain/values/json.ts"
import type { FieldSetting } from "../../../src/domain/table/shape.ts"
import type { Table } from "../../../src/domain/table/table.ts"
import { parseDay } from "../../../src/domain/values/time.ts"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { recordsIn } from "../../../src/transform/shapes/recordsIn.ts"
import {
  allocationHistory,
  allocationHistoryRows,
} from "../../../src/transform/tables/transparency/allocation_history.ts"
import { oracleClassification } from "../../../src/transform/tables/transparency/oracle_classification.ts"

const address = `0x${"ab".repeat(20)}`
const date = "2026-01-05"

const map = (points: ReadonlyArray<JsonObject>, fields: Record<string, FieldSetting> = {}) =>
  allocationHistoryRows(
    { points },
    {
      lineage: { responseId: "r", receivedAt: 5 },
      subject: { address, wireAddress: address, chainId: 1, kind: "evm", startedOn: undefined },
      inputs: {},
      timeFields: defaultTimeFields,
      fields,
    },
  )

/** The rows of one point: protocol, value, share, and what is in `extra`. */
const rowsOf = (point: JsonObject, fields?: Record<string, FieldSetting>) => {
  const mapped = Result.getOrThrow(map([point], fields))
  const [rows] = mapped.rows
  const column = (name: string) =>
    rows?.columns[rows.table.columns.findIndex((each) => each.name === name)] ?? []
  return column("protocol").map((protocol, row) => [
    protocol,
    column("value")[row],
    column("share")[row],
    JSON.parse(String(column("extra")[row])) as unknown,
  ])
}

const aave = ["Aave", 10, null, null]
const morpho = ["Morpho", 5, null, null]

describe("a point in a declared shape becomes rows", () => {
  it.each<[string, JsonObject, ReadonlyArray<unknown>]>([
    ["long", { date, protocol: "Aave", value_usd: 10, share: 0.4 }, [["Aave", 10, 0.4, null]]],
    ["long in camelCase", { date, protocolName: "Aave", valueUsd: 10 }, [aave]],
    ["long with text", { date, protocol: "Aave", value: "10.5" }, [["Aave", 10.5, null, null]]],
    [
      "long with one more field",
      { date, protocol: "Aave", value: 10, apy: 0.1 },
      [["Aave", 10, null, { apy: 0.1 }]],
    ],
    [
      "long without a known value",
      { date, protocol: "Aave", value_usd: null },
      [["Aave", null, null, null]],
    ],
    ["a map of values", { date, allocations: { Aave: 10, Morpho: "5" } }, [aave, morpho]],
    [
      "a map of records",
      { date, protocols: { Aave: { value_usd: 10, weight: 0.5, note: "x" } } },
      [["Aave", 10, 0.5, { note: "x" }]],
    ],
    [
      "a list",
      { date, allocations: [{ protocol: "Aave", usdValue: 10, chain: 1 }] },
      [["Aave", 10, null, { chain: 1 }]],
    ],
    [
      "a map next to figures of the day",
      { date, allocations: { Aave: { share: 1 } }, value: 100, total_usd: 10, nav: 11 },
      [["Aave", null, 1, { total_usd: 10, nav: 11, point: { value: 100 } }]],
    ],
    [
      "a map with the sum of the others",
      { date, allocations: { Aave: 10, Morpho: 5, total: 15 } },
      [aave, morpho],
    ],
  ])("%s", (_, point, expected) => expect(rowsOf(point)).toEqual(expected))

  it.each(["sum", "count", "id", "chain", "time", "nav", "tvl", "updated", "__proto__"])(
    "every key of a map is a protocol: %s",
    (name) => {
      const allocations = Object.fromEntries([
        ["Aave", 10],
        [name, 4],
      ])
      expect(rowsOf({ date, allocations }).map(([protocol]) => protocol)).toEqual(["Aave", name])
    },
  )

  it("sums the parts of a protocol, unless one has no figure", () => {
    const of = (...values: ReadonlyArray<number | null>) =>
      rowsOf({ date, allocations: values.map((value) => ({ protocol: "Aave", value })) })
    expect(of(1, 2)).toMatchObject([["Aave", 3, null, { parts: [{ value: 1 }, { value: 2 }] }]])
    expect(of(1, null)).toMatchObject([["Aave", null, null, {}]])
  })

  it("counts a part once that is given twice", () => {
    const parts = [
      { protocol: "Aave", value: 2, chain: 1 },
      { protocol: "Aave", value: 2, chain: 10 },
    ]
    const valuesOf = (allocations: ReadonlyArray<JsonObject>) =>
      rowsOf({ date, allocations }).map(([protocol, value]) => [protocol, value])
    expect(valuesOf([...parts, { ...parts[0] }])).toEqual([["Aave", 4]])
    expect(
      valuesOf([
        { protocol: "Aave", value: 2 },
        { protocol: "Aave", value: 2 },
      ]),
    ).toEqual([["Aave", 2]])
  })

  // Comparing each with all before it takes minutes.
  it("sums as many parts of a protocol as a response has", () => {
    const parts = Array.from({ length: 50_000 }, (_, value) => ({ protocol: "Aave", value }))
    const [[, value] = []] = rowsOf({
      date,
      allocations: [...parts, { protocol: "Aave", value: 7 }],
    })
    expect(value).toBe((50_000 * 49_999) / 2)
  })

  it.each([{ allocations: [] }, { protocols: {}, total_usd: 0 }])("%j is an empty day", (point) => {
    const [rows] = Result.getOrThrow(map([{ date, ...point }])).rows
    expect(rows?.emptySets).toEqual([{ vault_address: address, chain_id: 1, date: parseDay(date) }])
  })
})

describe("a point in another shape is rejected, whatever its names are", () => {
  it.each<[string, JsonObject]>([
    ["wide", { aave: 10, morpho: 5 }],
    ["wide with figures", { aave: 10, morpho: 5, price: 1.0003, shares_outstanding: 15_000 }],
    ["one protocol with figures", { aave: 10, total_value: 11, tvl_usd: 12, fees: 1, apy: 0.1 }],
    ["wide with a name", { name: "Harbor USDC 1", aave: 10, morpho: 5 }],
    ["long with a value of another name", { protocol: "Aave", balance: 10 }],
    ["long with a figure of the protocol", { protocol: "Aave", tvl_usd: 1e9 }],
    ["a map in another field", { breakdown: { Aave: 10 } }],
    ["a map with a total that is none", { allocations: { Aave: 60, total: 40 } }],
    ["a map with a text", { allocations: { Aave: 60, source: "rpc" } }],
    ["a map of records and numbers", { allocations: { Aave: { value: 60 }, count: 1 } }],
    ["a list of names", { allocations: ["Aave"] }],
    ["a list under other names", { allocations: [{ name: "Aave", usd: 10 }] }],
    ["a record that contains others", { protocol: "all", value: 1, allocations: { Aave: 1 } }],
    ["nothing", {}],
    ["no allocations", { allocations: null }],
  ])("%s", (_, fields) => {
    const mapped = map([
      { date, ...fields },
      { date: "2026-01-06", protocol: "Aave", value: 1 },
    ])
    const { rows, rejected } = Result.getOrThrow(mapped)
    expect(rows[0]).toMatchObject({ length: 1, isPartial: true })
    expect(rejected).toMatchObject([{ path: "$.points[0]", record: { date, ...fields } }])
    for (const name of Object.keys(fields)) expect(rejected[0]?.detail).toContain(name)
    // Alone, it is a contract violation of the whole response.
    expect(Result.isFailure(map([{ date, ...fields }]))).toBe(true)
  })

  const Name = Schema.String.check(Schema.isPattern(/^[a-zA-Z][a-zA-Z_]{0,12}$/))
  const declared =
    /^(date|day|protocol(_?[nN]ame)?|value|share|weight|allocations?|protocols|by_?[pP]rotocol)$|usd|pct/i

  it.effect.prop(
    "no name makes a field of an undeclared shape a fact",
    [Schema.Record(Name, Schema.Finite)],
    ([figures]) =>
      Effect.sync(() => {
        const point = Object.fromEntries(
          Object.entries(figures).filter(([name]) => !declared.test(name)),
        )
        for (const shape of [point, { holdings: point }, { name: "Aave", ...point }]) {
          expect(Result.isFailure(map([{ date, ...shape }]))).toBe(true)
        }
      }),
    { arbitrary: { runs: 300 } },
  )

  it("an element of a list that is in another shape is rejected alone, and its set is incomplete", () => {
    const point = {
      date,
      allocations: [
        { protocol: "Aave", value: 10 },
        { pool: "x", apy: 1 },
      ],
    }
    const { rows, rejected } = Result.getOrThrow(map([point]))
    expect(rows[0]).toMatchObject({ length: 1, isPartial: true })
    expect(rejected).toMatchObject([
      { path: "$.points[0].allocations[1]", record: { pool: "x", apy: 1 } },
    ])
  })
})

// More than a call can have arguments.
const many = 130_000

it("as many elements of a list as a response has may be in another shape", () => {
  const others = Array.from({ length: many }, () => 1)
  const allocations = [{ protocol: "Aave", value: 10 }, ...others]
  const { rows, rejected } = Result.getOrThrow(map([{ date, allocations }]))
  expect(rows[0]).toMatchObject({ length: 1, isPartial: true })
  expect(rejected).toHaveLength(many)
})

it.each<[string, Table, unknown, FieldSetting | undefined]>([
  ["keys", allocationHistory, 1, { keys: "*" }],
  ["records of a list", oracleClassification, { id: 1, usd_value: 7 }, undefined],
])("as many %s as a response has are found", (_name, table, each, setting) => {
  const fields = setting === undefined ? {} : { [table.name]: setting }
  const holder =
    setting === undefined
      ? { cefi: Array.from({ length: many }, () => each) }
      : Object.fromEntries(Array.from({ length: many }, (_, at) => [`protocol ${at}`, each]))
  const found = recordsIn(table, { fields })(holder)
  expect(found?.records).toHaveLength(many)
  expect(found?.rest).toEqual({})
})

describe("the setting fields declares a shape", () => {
  const wide = { date, Aave: 10, Morpho: 5, price: 1.0003 }

  it("keys that are protocols", () => {
    const fields = { allocation_history: { keys: ["Aave", "Morpho"], except: ["price"] } }
    expect(rowsOf(wide, fields)).toEqual([
      ["Aave", 10, null, { price: 1.0003 }],
      ["Morpho", 5, null, { price: 1.0003 }],
    ])
    // A new protocol is not lost in `extra`.
    expect(Result.isFailure(map([{ ...wide, Spark: 1 }], fields))).toBe(true)
  })

  it("all keys but some", () => {
    const fields = { allocation_history: { keys: "*", except: ["price"] } } as const
    expect(rowsOf({ ...wide, Spark: 1 }, fields).map(([protocol]) => protocol)).toEqual([
      "Aave",
      "Morpho",
      "Spark",
    ])
  })

  it("the field with the allocations, and the fields of an allocation", () => {
    expect(rowsOf({ date, breakdown: { Aave: 10 } }, { allocation_history: "breakdown" })).toEqual([
      aave,
    ])
    const fields = {
      allocation_history: "lines",
      "allocation_history.protocol": "pool",
      "allocation_history.value": { field: "cents", scale: 0.01 },
    }
    expect(rowsOf({ date, lines: [{ pool: "Aave", cents: 1000 }] }, fields)).toEqual([
      ["Aave", 10, null, { cents: 1000 }],
    ])
  })

  it("is proposed with the rejected point, and settles it", () => {
    const proposalOf = (point: JsonObject) => {
      const mapped = map([point])
      return Result.isFailure(mapped) ? (mapped.failure.proposal ?? "").split("\n") : []
    }
    expect(proposalOf(wide)).toEqual([
      "allocation_history: { keys: [Aave, Morpho, price] } # if these are the protocols",
    ])
    expect(proposalOf({ date, breakdown: { Aave: 10 } })).toEqual([
      "allocation_history: breakdown # if its keys are the protocols",
    ])
    expect(proposalOf({ date, protocol: "Aave", balance: 10, count: 2 })).toEqual([
      "allocation_history: { keys: [balance, count] } # if these are the protocols",
      "allocation_history.value: balance",
      "allocation_history.value: count",
      "allocation_history.share: balance",
      "allocation_history.share: count",
    ])
  })
})

it("a point whose day can't be read names the field and its value", () => {
  const failureOf = (...points: ReadonlyArray<JsonObject>) => {
    const { path, detail } = Result.getOrThrow(Result.flip(map(points)))
    return { path, detail }
  }
  const point = { protocol: "Aave", value: 10 }
  expect(failureOf({ ...point, date: "5 January" })).toEqual({
    path: "$.points[0].date",
    detail: 'is not a day: "5 January"',
  })
  expect(failureOf({ ...point, taken: date }).detail).toBe(
    "has no day; its fields are protocol, value, taken. The setting fields can name it, as `allocation_history.date: <field>`",
  )
})

it("reads no field that a record inherits", () => {
  expect(isJsonObject({})).toBe(true)
  expect(Result.isFailure(map([{ date }], { allocation_history: "constructor" }))).toBe(true)
})
