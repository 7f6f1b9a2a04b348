import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { isJsonObject, type JsonObject, parseJson } from "../../src/domain/json.ts"
import type { Rows, Table } from "../../src/domain/table.ts"
import { mapRecords } from "../../src/transform/mapRecords.ts"
import { resolveTimes } from "../../src/transform/fields/timeField.ts"
import type { Violation } from "../../src/domain/violation.ts"
import type { MappedAnswer } from "../../src/transform/Source.ts"
import { vaultRows } from "../../src/transform/tables/vaults/vaultRecords.ts"
import { allocationHistoryRows } from "../../src/transform/tables/transparency/allocation_history.ts"
import { apyHistoryRows } from "../../src/transform/tables/transparency/apy_history.ts"
import { ratioHistoryRows } from "../../src/transform/tables/transparency/ratio_history.ts"

const table: Table = {
  schema: "core",
  name: "things",
  mode: "history",
  grain: "thing",
  comment: "Things.",
  source: "test",
  key: ["id"],
  columns: [
    { name: "id", type: "text", fields: ["id"], comment: "" },
    { name: "size", type: "double", fields: ["size", "sizeUsd"], comment: "" },
    { name: "raw", type: "amount", fields: ["raw"], comment: "" },
    { name: "at", type: "timestamp", fields: ["at"], comment: "" },
    { name: "extra", type: "json", comment: "" },
  ],
  example: "",
}

const objects = (rows: Rows): ReadonlyArray<Record<string, unknown>> =>
  Array.from({ length: rows.length }, (_, row) =>
    Object.fromEntries(
      rows.table.columns.map(({ name }, column) => [name, rows.columns[column]?.[row] ?? null]),
    ),
  )

const origin = { responseId: "r", receivedAt: 1 }

const map = (...records: ReadonlyArray<JsonObject>) =>
  mapRecords({ table, records, origin, computed: {} })

describe("mapRecords", () => {
  it("fills columns by type and keeps the rest whole", () => {
    const { rows } = map({ id: "a", size: 1.5, at: "2026-01-01", deep: { b: [1, { c: null }] } })
    expect(objects(rows)).toEqual([
      {
        id: "a",
        size: 1.5,
        raw: null,
        at: Date.UTC(2026, 0, 1) * 1000,
        extra: '{"deep":{"b":[1,{"c":null}]}}',
      },
    ])
  })

  it("a wrong type goes to extra with a note, and fails nothing", () => {
    const { rows, drift } = map({ id: "a", size: "large" }, { id: "b", size: 2 })
    expect(objects(rows)).toMatchObject([
      { size: null, extra: '{"size":"large"}' },
      { size: 2, extra: null },
    ])
    expect(drift).toEqual([
      { path: "$.size", kind: "other_type", detail: "string; expected double" },
    ])
  })

  it("takes the other spelling, and loses neither when both are there", () => {
    expect(objects(map({ id: "a", sizeUsd: 2 }).rows)).toMatchObject([{ size: 2, extra: null }])
    expect(objects(map({ id: "a", size: 1, sizeUsd: 2 }).rows)).toMatchObject([
      { size: 1, extra: '{"sizeUsd":2}' },
    ])
  })

  it("notes an unknown field once, however many records have it", () => {
    const { drift } = map({ id: "a", odd: 1 }, { id: "b", odd: 2 })
    expect(drift).toEqual([{ path: "$.odd", kind: "unknown_field", detail: "number" }])
  })

  it("keeps every digit of an amount, and of a number nobody knows", () => {
    const digits = "123456789012345678901234567890"
    const { lossless } = Result.getOrThrow(
      parseJson(`[{"id":"a","raw":${digits},"odd":${digits},"size":${digits}}]`),
    )
    const { rows } = map(...(lossless as ReadonlyArray<JsonObject>).filter(isJsonObject))
    expect(objects(rows)).toMatchObject([
      // A double says how much; what it can't hold stays beside it.
      { raw: digits, extra: `{"odd":${digits},"size":${digits}}`, size: Number(digits) },
    ])
  })
})

describe("resolveTimes", () => {
  it("takes the first candidate the records hold as a time", () => {
    const times = resolveTimes([{ date: "soon", ts: 1_767_225_600 }], ["date", "ts"])
    expect(times).toEqual(Result.succeed({ field: "ts", micros: [1_767_225_600_000_000] }))
  })

  it("names the fields seen and the setting when there is none", () => {
    const times = resolveTimes([{ when: "2026-01-01", value: 1 }], ["timestamp"])
    expect(Result.isFailure(times) && times.failure.detail).toMatch(/when, value.*timeFields/)
  })

  it("says which record's time is broken", () => {
    const times = resolveTimes([{ ts: "2026-01-01" }, { ts: "2026-02-31" }], ["ts"])
    expect(Result.isFailure(times) && times.failure.path).toBe("$[1].ts")
  })
})

const vault = {
  address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
  served: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  chainId: 1,
  kind: "evm" as const,
  startedOn: undefined,
}
const source = { origin, subject: vault, inputs: {}, timeFields: ["timestamp"] }

const rowsOf = (
  mapped: Result.Result<MappedAnswer, Violation>,
): ReadonlyArray<Record<string, unknown>> => Result.getOrThrow(mapped).rows.flatMap(objects)

describe("tables", () => {
  it("ratio history: naive time is UTC, and is not repeated in extra", () => {
    const point = { actual_tvl: 1, tvl_on_vault: 2, adjusted_redeem_ratio: 0.5 }
    expect(
      rowsOf(ratioHistoryRows([{ ...point, timestamp: "2026-01-01T05:00:00" }], source)),
    ).toMatchObject([{ observed_at: Date.UTC(2026, 0, 1, 5) * 1000, extra: null, actual_tvl: 1 }])
  })

  it("APY history: a label that is no date is a violation with its place", () => {
    const rows = apyHistoryRows(
      { labels: ["1/1/2026", "13/1/2026"], values: [0.1, 0.2] },
      { ...source, inputs: { applySmoothing: true, averagingPeriodDays: 7 } },
    )
    expect(Result.isFailure(rows) && rows.failure.path).toBe("$.labels[1]")
  })

  it("APY history: a decimal of more digits than a double lands as the nearest one", () => {
    const text = '{"labels":["1/2/2026"],"values":[0.024512345678901234567]}'
    const { lossless } = Result.getOrThrow(parseJson(text))
    const rows = apyHistoryRows(lossless as Parameters<typeof apyHistoryRows>[0], {
      ...source,
      inputs: { applySmoothing: true, averagingPeriodDays: 7 },
    })
    expect(rowsOf(rows)).toMatchObject([{ apy: Number("0.024512345678901234567") }])
  })

  it("allocation history: a protocol in parts is their sum, with the parts", () => {
    const point = { date: "2026-01-05", protocol: "Aave" }
    const rows = rowsOf(
      allocationHistoryRows(
        [
          { ...point, value_usd: 1, chain: 1 },
          { ...point, value_usd: 2, chain: 8453 },
          { ...point, date: "2026-01-06", value_usd: 4 },
        ],
        source,
      ),
    )
    expect(rows).toHaveLength(2)
    expect(rows).toMatchObject([{ protocol: "Aave", value: 3 }, { value: 4 }])
    expect(JSON.parse(rows[0]?.["extra"] as string).parts).toHaveLength(2)
  })

  it("allocation history: a day with an empty list is a day without allocations", () => {
    const points = [
      { date: "2026-01-05", allocations: [] },
      { date: "2026-01-06", allocations: [{ protocol: "Aave", usd: 1 }] },
    ]
    const { rows } = Result.getOrThrow(allocationHistoryRows(points, source))
    expect(rows[0]?.length).toBe(1)
    expect(rows[0]?.emptySets).toEqual([
      { vault_address: vault.address, chain_id: 1, date: 20_458 },
    ])
    const some = Result.getOrThrow(allocationHistoryRows(points.slice(1), source))
    expect(some.rows[0]?.emptySets).toBeUndefined()
  })
})

describe("vaultRows", () => {
  const list = (records: ReadonlyArray<JsonObject>) =>
    vaultRows(records, { ...source, subject: null, inputs: { status: "active" } })

  it.each([
    [{ address: vault.served, chain: 1 }],
    [{ vault_address: vault.served, chain_id: "1" }],
    [{ vaultAddress: vault.served, chainId: 1 }],
    [{ address: vault.served, chain: { id: 1, name: "Ethereum" } }],
  ])("finds address and chain in %j", (record) => {
    const { rows } = Result.getOrThrow(list([record]))
    expect(objects(rows[0] as Rows)).toMatchObject([
      {
        vault_address: vault.address,
        vault_address_as_served: vault.served,
        chain_id: 1,
        status: "active",
        chain_type: "evm",
      },
    ])
  })

  it("repeats the chain's type only where the service says another", () => {
    const served = { address: vault.served, chain: 1 }
    const extras = ["EVM", "rollup"].map((chain_type) => {
      const { rows } = Result.getOrThrow(list([{ ...served, chain_type }]))
      return objects(rows[0] as Rows)[0]?.["extra"]
    })
    expect(extras).toEqual([null, '{"chain_type":"rollup"}'])
  })

  it("keeps moving figures out of the description", () => {
    const { rows } = Result.getOrThrow(
      list([{ address: vault.served, chain: 1, latest_reported_tvl: 5, reported_apy: { apy: 1 } }]),
    )
    expect(objects(rows[0] as Rows)).toMatchObject([{ extra: null }])
    expect(objects(rows[1] as Rows)).toMatchObject([
      { latest_reported_tvl: 5, reported_apy: '{"apy":1}' },
    ])
  })

  it("names the fields of a record without an address", () => {
    const rows = list([{ id: 1, chain: 1 }])
    expect(Result.isFailure(rows) && rows.failure.detail).toContain("its fields are id, chain")
  })

  it("lists a vault of a kind it has no endpoints for, and asks nothing about it", () => {
    const { rows } = Result.getOrThrow(list([{ address: `0x${"ab".repeat(32)}`, chain: 9 }]))
    expect(objects(rows[0] as Rows)).toMatchObject([{ chain_type: "other" }])
  })
})
