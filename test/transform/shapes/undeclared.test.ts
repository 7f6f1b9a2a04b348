// What is proposed for records in no declared shape: each line, applied to the same records, changes what becomes of them.
import { describe, expect, it } from "vitest"
import * as Result from "effect/Result"
import { parse } from "yaml"
import type { FieldSetting } from "../../../src/domain/table/shape.ts"
import type { JsonObject } from "../../../src/domain/values/json.ts"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import type { Violation } from "../../../src/domain/wire/violation.ts"
import type { MappedResponse } from "../../../src/transform/Source.ts"
import { discountFactorRows } from "../../../src/transform/tables/risk/discount_factors.ts"
import { allocationHistoryRows } from "../../../src/transform/tables/transparency/allocation_history.ts"
import { oracleRows } from "../../../src/transform/tables/transparency/oracleRecords.ts"

type Fields = Readonly<Record<string, FieldSetting>>

const address = `0x${"ab".repeat(20)}`

const source = (fields: Fields) => ({
  lineage: { responseId: "r", receivedAt: 5 },
  subject: {
    address,
    wireAddress: address,
    chainId: 1,
    kind: "evm",
    startedOn: undefined,
  } as const,
  inputs: {},
  timeFields: defaultTimeFields,
  fields,
})

/** Every table whose records may be in no declared shape. */
const tables = {
  allocation_history: (record: JsonObject, fields: Fields) =>
    allocationHistoryRows({ points: [{ date: "2026-01-05", ...record }] }, source(fields)),
  oracle_classification: (record: JsonObject, fields: Fields) =>
    oracleRows({ warnings: [], ...record }, source(fields)),
  discount_factors: (record: JsonObject, fields: Fields) =>
    discountFactorRows([{ address, chain: 1, ...record }], {
      ...source(fields),
      subject: null,
    }),
}

type Name = keyof typeof tables

const linesOf = (mapped: Result.Result<MappedResponse, Violation>): ReadonlyArray<string> =>
  Result.isFailure(mapped) ? (mapped.failure.proposal?.split("\n") ?? []) : []

const settingIn = (lines: ReadonlyArray<string>) => parse(lines.join("\n")) as Fields

/** The lines that are proposed for a record, each of which does something. */
const proposed = (name: Name, record: JsonObject, fields: Fields = {}) => {
  const before = tables[name](record, fields)
  const lines = linesOf(before)
  for (const line of lines) {
    const after = tables[name](record, { ...fields, ...settingIn([line]) })
    expect(after, `${line} for ${JSON.stringify(record)}`).not.toEqual(before)
  }
  return lines
}

const rowsOf = (name: Name, record: JsonObject, fields: Fields) => {
  const { rows } = Result.getOrThrow(tables[name](record, fields))
  const [found] = rows
  return (...columns: ReadonlyArray<string>) =>
    Array.from({ length: found?.length ?? 0 }, (_, row) =>
      columns.map(
        (column) =>
          found?.columns[found.table.columns.findIndex((each) => each.name === column)]?.[row],
      ),
    )
}

describe("a place is proposed", () => {
  it.each<[Name, JsonObject]>([
    ["allocation_history", { lines: [{ protocol: "Aave", value: 10 }] }],
    ["allocation_history", { lines: { Aave: { value: 10 } } }],
    ["oracle_classification", { lines: [{ position: "a", pricing_class: "CeFi" }] }],
    ["oracle_classification", { lines: { a: { pricing_class: "CeFi" } } }],
    ["oracle_classification", { lines: { CeFi: [{ position: "a" }] } }],
    ["discount_factors", { lines: [{ up_to_usd: 1000, discount_factor: 0.9 }] }],
  ])("in %s for %j, and settles it", (name, record) => {
    const lines = proposed(name, record)
    expect(lines).toEqual([`${name}: lines`])
    expect(rowsOf(name, record, settingIn(lines))()).toHaveLength(1)
  })

  it("for numbers by key, with what the keys then are", () => {
    const allocations = { lines: { Aave: 10 } }
    const ofKeys = proposed("allocation_history", allocations)
    expect(ofKeys).toEqual(["allocation_history: lines # if its keys are the protocols"])
    const read = rowsOf("allocation_history", allocations, settingIn(ofKeys))
    expect(read("protocol", "value")).toEqual([["Aave", 10]])
    // Whether the sizes are upper or lower bounds no name says, not even one that may hold rungs.
    for (const place of ["ladder", "sizes"]) {
      const ladder = { [place]: { "100000": 0.9, "1000000": 0.8, more: 0.7 } }
      const ofSizes = proposed("discount_factors", ladder)
      expect(ofSizes).toEqual([`discount_factors: ${place} # if its keys are the upper_bounds`])
      const rungs = rowsOf("discount_factors", ladder, settingIn(ofSizes))
      expect(rungs("rung", "upper_bound", "discount_factor")).toEqual([
        [1, 100_000, 0.9],
        [2, 1_000_000, 0.8],
        [3, null, 0.7],
      ])
    }
  })

  it("only where a shape can hold what is there", () => {
    expect(proposed("discount_factors", { meta: { asset: { class: "a" } } })).toEqual([])
    expect(proposed("discount_factors", { levels: [[1000, 0.7]] })).toEqual([])
    expect(proposed("allocation_history", { source: { name: "rpc" } })).toEqual([])
    expect(proposed("allocation_history", { allocations: { Aave: 60, total: 40 } })).toEqual([])
    expect(proposed("oracle_classification", { source: { name: "rpc" } })).toEqual([])
  })
})

describe("of a place that is one, the fields of its records are proposed", () => {
  it("after the place, if that was declared first", () => {
    const record = { lines: [{ pool: "Aave", cents: 1000 }] }
    const [place = ""] = proposed("allocation_history", record)
    expect(place).toBe("allocation_history: lines")
    const lines = proposed("allocation_history", record, settingIn([place]))
    expect(lines).toEqual([
      "allocation_history.protocol: pool",
      "allocation_history.value: cents",
      "allocation_history.share: cents",
    ])
    const fields = settingIn([place, ...lines.slice(0, 2)])
    expect(rowsOf("allocation_history", record, fields)("protocol", "value")).toEqual([
      ["Aave", 1000],
    ])
  })

  it("of a record that is a ladder of one rung, too", () => {
    expect(proposed("discount_factors", { rungs: [{ up_to_usd: 1, ltv: 0.9 }] })).toEqual([
      "discount_factors.discount_factor: ltv",
    ])
    const flat = { "1000": 0.9, ltv: 0.8, name: "b" }
    const [ofKeys = "", ...ofColumn] = proposed("discount_factors", flat)
    expect(ofKeys).toBe('discount_factors: { keys: ["1000", ltv] } # if these are the upper_bounds')
    expect(ofColumn).toEqual([
      'discount_factors.discount_factor: "1000"',
      "discount_factors.discount_factor: ltv",
    ])
    const read = (...lines: ReadonlyArray<string>) =>
      rowsOf("discount_factors", flat, settingIn(lines))(
        "rung",
        "token_address",
        "upper_bound",
        "discount_factor",
      )
    expect(read(ofKeys)).toEqual([
      [1, address, 1000, 0.9],
      [2, address, null, 0.8],
    ])
    expect(read(ofColumn[1] ?? "")).toEqual([[1, address, null, 0.8]])
  })

  it("of an element of a list as of the others, and no place within it", () => {
    const record = {
      allocations: [
        { protocol: "Aave", value: 10 },
        { protocol: "Morpho", usd: 5, by_chain: { "1": 5 } },
      ],
    }
    const { rejected } = Result.getOrThrow(tables.allocation_history(record, {}))
    expect(rejected.map(({ proposal }) => proposal?.split("\n"))).toEqual([
      ["allocation_history.value: usd", "allocation_history.share: usd"],
    ])
  })
})
