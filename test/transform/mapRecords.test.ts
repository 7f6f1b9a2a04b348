import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { isJsonObject, type JsonObject, parseJson } from "../../src/domain/values/json.ts"
import { field, json } from "../../src/domain/table/column.ts"
import type { Rows, Table } from "../../src/domain/table/table.ts"
import { mapRecords } from "../../src/transform/mapRecords.ts"
import type { Violation } from "../../src/domain/wire/violation.ts"
import type { MappedResponse } from "../../src/transform/Source.ts"
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
    field.text("id", ""),
    field.double("size", "", { names: ["size", "sizeUsd"] }),
    field.amount("raw", ""),
    field.timestamp("at", ""),
    json("extra", ""),
  ],
  example: "",
}

const objects = (rows: Rows): ReadonlyArray<Record<string, unknown>> =>
  Array.from({ length: rows.length }, (_, row) =>
    Object.fromEntries(
      rows.table.columns.map(({ name }, column) => [name, rows.columns[column]?.[row] ?? null]),
    ),
  )

const lineage = { responseId: "r", receivedAt: 1 }

const map = (...records: ReadonlyArray<JsonObject>) =>
  mapRecords({ table, records, source: { lineage } })

describe("mapRecords", () => {
  it("fills columns by type and keeps the rest in extra", () => {
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

  it("reads camelCase, and keeps both spellings when both are there", () => {
    expect(objects(map({ id: "a", sizeUsd: 2 }).rows)).toMatchObject([{ size: 2, extra: null }])
    expect(objects(map({ id: "a", size: 1, sizeUsd: 2 }).rows)).toMatchObject([
      { size: 1, extra: '{"sizeUsd":2}' },
    ])
  })

  it("notes an unknown field once, however many records have it", () => {
    const { drift } = map({ id: "a", odd: 1 }, { id: "b", odd: 2 })
    expect(drift).toEqual([{ path: "$.odd", kind: "unknown_field", detail: "number" }])
  })

  it("keeps every digit of an amount, and of a number in an unknown field", () => {
    const digits = "123456789012345678901234567890"
    const { lossless } = Result.getOrThrow(
      parseJson(`[{"id":"a","raw":${digits},"odd":${digits},"size":${digits}}]`),
    )
    const { rows } = map(...(lossless as ReadonlyArray<JsonObject>).filter(isJsonObject))
    expect(objects(rows)).toMatchObject([
      // The double is rounded; extra keeps every digit.
      { raw: digits, extra: `{"odd":${digits},"size":${digits}}`, size: Number(digits) },
    ])
  })
})

describe("the time of a series", () => {
  const point = { actual_tvl: 1, tvl_on_vault: 2, adjusted_redeem_ratio: 0.5 }
  const points = (timeFields: ReadonlyArray<string>, ...times: ReadonlyArray<object>) =>
    ratioHistoryRows(
      times.map((time) => ({ ...point, ...time })),
      { ...source, timeFields },
    )

  it("is the first candidate with a time in it", () => {
    const { rows } = Result.getOrThrow(points(["date", "ts"], { date: "soon", ts: 1_767_225_600 }))
    expect(rows[0]?.times).toEqual([1_767_225_600_000_000])
  })

  it("is missing: the error names the fields seen and the setting", () => {
    const mapped = points(["timestamp"], { when: "2026-01-01" })
    expect(Result.isFailure(mapped) && mapped.failure.detail).toMatch(/, when.*timeFields/)
  })

  it("is broken: the point is rejected", () => {
    const mapped = points(["ts"], { ts: "2026-01-01" }, { ts: "2026-02-31" })
    const { rows, rejected } = Result.getOrThrow(mapped)
    expect(rows[0]?.length).toBe(1)
    expect(rejected).toMatchObject([
      {
        path: "$[1].ts",
        detail: 'is "2026-02-31"; expected an instant: ISO-8601, an epoch, or as in HTTP headers',
      },
    ])
  })
})

const vault = {
  address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
  wireAddress: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  chainId: 1,
  kind: "evm" as const,
  startedOn: undefined,
}
const source = { lineage, subject: vault, inputs: {}, timeFields: ["timestamp"] }

const rowsOf = (
  mapped: Result.Result<MappedResponse, Violation>,
): ReadonlyArray<Record<string, unknown>> => Result.getOrThrow(mapped).rows.flatMap(objects)

describe("tables", () => {
  it("ratio history: naive time is UTC, and is not repeated in extra", () => {
    const point = { actual_tvl: 1, tvl_on_vault: 2, adjusted_redeem_ratio: 0.5 }
    expect(
      rowsOf(ratioHistoryRows([{ ...point, timestamp: "2026-01-01T05:00:00" }], source)),
    ).toMatchObject([{ observed_at: Date.UTC(2026, 0, 1, 5) * 1000, extra: null, actual_tvl: 1 }])
  })

  it("APY history: a label that is not a date is rejected, a missing value is null", () => {
    const mapped = apyHistoryRows(
      {
        labels: ["1/1/2026", "13/1/2026", "1/2/2026", "1/3/2026"],
        values: [0.1, 0.2, null, "n/a"],
      },
      { ...source, inputs: { applySmoothing: true, averagingPeriodDays: 7 } },
    )
    expect(Result.getOrThrow(mapped).rejected).toMatchObject([{ path: "$.labels[1].labels" }])
    expect(rowsOf(mapped)).toMatchObject([
      { apy: 0.1, extra: null },
      { apy: null, extra: null },
      { apy: null, extra: '{"values":"n/a"}' },
    ])
  })

  it("APY history: values that differ under labels of one day are reported, and the last is stored", () => {
    const drift = (...values: ReadonlyArray<number>) => {
      const labels = ["1/1/2026", "1/2/2026", "01/02/2026"]
      const inputs = { applySmoothing: true, averagingPeriodDays: 7 }
      return Result.getOrThrow(apyHistoryRows({ labels, values }, { ...source, inputs })).drift
    }
    expect(drift(0.1, 0.2, 0.2)).toEqual([])
    expect(drift(0.1, 0.2, 0.3)).toEqual([
      {
        path: `$ (${source.subject.address}, true, 7)`,
        kind: "repeated_key",
        detail:
          "records that have the vault_address and date and is_smoothed and averaging_period_days of another: 1 of 3; $.labels[2] differs from $.labels[1] in apy, and the last is stored",
      },
    ])
  })

  it("ratio history: points of one instant that differ are reported", () => {
    const point = { tvl_on_vault: 2, adjusted_redeem_ratio: 0.5, timestamp: "2026-01-01T05:00:00" }
    const later = { ...point, actual_tvl: 1, timestamp: "2026-01-01T06:00:00" }
    const drift = (...points: ReadonlyArray<JsonObject>) =>
      Result.getOrThrow(ratioHistoryRows(points, source)).drift
    expect(drift({ ...point, actual_tvl: 1 }, later)).toEqual([])
    expect(drift({ ...point, actual_tvl: 1 }, { ...point, actual_tvl: 3 }, later)).toMatchObject([
      { kind: "repeated_key", detail: expect.stringContaining("$[1] differs from $[0] in") },
    ])
  })

  it.each([
    [{ labels: ["1/1/2026"], apys: [0.1] }, "apys"],
    [{ labels: ["1/1/2026"], raw: [0.1], smooth: [0.1] }, "raw, smooth"],
    [{ labels: ["1/1/2026"], counts: [5] }, "counts"],
    [{ labels: ["1/1/2026"], apys: [1, 2] }, "none"],
  ])("APY history: values of another name are a violation, and are named: %j", (chart, named) => {
    const inputs = { applySmoothing: true, averagingPeriodDays: 7 }
    const mapped = apyHistoryRows(chart, { ...source, inputs })
    expect(Result.isFailure(mapped) && mapped.failure.detail).toContain(`as labels: ${named}. The`)
    expect(Result.isSuccess(apyHistoryRows({ labels: [] }, { ...source, inputs }))).toBe(true)
    const fields = { "apy_history.apy": "apys" }
    const set = apyHistoryRows(chart, { ...source, inputs, fields })
    expect(Result.isSuccess(set)).toBe(named === "apys")
  })

  it("APY history: a decimal with more digits than a double becomes the nearest double", () => {
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
        {
          points: [
            { ...point, value_usd: 1, chain: 1 },
            { ...point, value_usd: 2, chain: 8453 },
            { ...point, date: "2026-01-06", value_usd: 4 },
          ],
        },
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
      { date: "2026-01-06", allocations: [{ protocol: "Aave", value_usd: 1 }] },
    ]
    const { rows } = Result.getOrThrow(allocationHistoryRows({ points }, source))
    expect(rows[0]?.length).toBe(1)
    expect(rows[0]?.emptySets).toEqual([
      { vault_address: vault.address, chain_id: 1, date: 20_458 },
    ])
    const some = Result.getOrThrow(allocationHistoryRows({ points: points.slice(1) }, source))
    expect(some.rows[0]?.emptySets).toBeUndefined()
  })
})

describe("vaultRows", () => {
  const list = (records: ReadonlyArray<JsonObject>) =>
    vaultRows(records, { ...source, subject: null, inputs: { status: "active" } })

  it.each([
    [{ address: vault.wireAddress, chain: 1 }],
    [{ vault_address: vault.wireAddress, chain_id: "1" }],
    [{ vaultAddress: vault.wireAddress, chainId: 1 }],
    [{ address: vault.wireAddress, chain: { id: 1, name: "Ethereum" } }],
  ])("finds address and chain in %j", (record) => {
    const { rows } = Result.getOrThrow(list([record]))
    expect(objects(rows[0] as Rows)).toMatchObject([
      {
        vault_address: vault.address,
        vault_address_wire: vault.wireAddress,
        chain_id: 1,
        status: "active",
        chain_type: "evm",
      },
    ])
  })

  it("extra keeps the chain's type only where it differs", () => {
    const wireAddress = { address: vault.wireAddress, chain: 1 }
    const extras = ["EVM", "rollup"].map((chain_type) => {
      const { rows } = Result.getOrThrow(list([{ ...wireAddress, chain_type }]))
      return objects(rows[0] as Rows)[0]?.["extra"]
    })
    expect(extras).toEqual([null, '{"chain_type":"rollup"}'])
  })

  it("keeps moving figures out of the description", () => {
    const { rows } = Result.getOrThrow(
      list([
        { address: vault.wireAddress, chain: 1, latest_reported_tvl: 5, reported_apy: { apy: 1 } },
      ]),
    )
    expect(objects(rows[0] as Rows)).toMatchObject([{ extra: null }])
    expect(objects(rows[1] as Rows)).toMatchObject([
      { latest_reported_tvl: 5, reported_apy: '{"apy":1}' },
    ])
  })

  it("the error of a record without an address names its fields", () => {
    const rows = list([{ id: 1, chain: 1 }])
    expect(Result.isFailure(rows) && rows.failure.detail).toContain("its fields are id, chain")
  })

  it("keeps a vault whose kind of address has no endpoints", () => {
    const { rows } = Result.getOrThrow(list([{ address: `0x${"ab".repeat(32)}`, chain: 9 }]))
    expect(objects(rows[0] as Rows)).toMatchObject([{ chain_type: "other" }])
  })
})
