// Times at which the service read or computed a record make neither versions nor other keys.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../../src/domain/values/json.ts"
import type { Rows } from "../../../src/domain/table/table.ts"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import type { Violation } from "../../../src/domain/wire/violation.ts"
import type { MappedResponse } from "../../../src/transform/Source.ts"
import { coreTables } from "../../../src/pipelines/pipelines.ts"
import { rolesRows } from "../../../src/transform/tables/governance/roles.ts"
import { timelocksRows } from "../../../src/transform/tables/governance/timelocks.ts"
import { otcPositionRows } from "../../../src/transform/tables/otc/otc_positions.ts"
import { discountFactorRows } from "../../../src/transform/tables/risk/discount_factors.ts"
import { feesRows } from "../../../src/transform/tables/transparency/fees.ts"
import { vaultDetailRows } from "../../../src/transform/tables/vaults/vaultDetailRecords.ts"
import { vaultRows } from "../../../src/transform/tables/vaults/vaultRecords.ts"

const address = `0x${"ab".repeat(20)}`
const source = {
  lineage: { responseId: "r", receivedAt: 5 },
  subject: {
    address,
    wireAddress: address,
    chainId: 1,
    kind: "evm" as const,
    startedOn: undefined,
  },
  inputs: {},
  timeFields: defaultTimeFields,
}
const all = { ...source, subject: null }
const fee = { management_fee_pct: 1, performance_fee_pct: 10 }

/** The key of a row, and the values that make a new version. */
const contentOf = ({ table, columns, length }: Rows) =>
  Array.from({ length }, (_, row) =>
    Object.fromEntries(
      table.columns.flatMap(({ name, isIncidental }, column) =>
        isIncidental === true ? [] : [[`${table.name}.${name}`, columns[column]?.[row]]],
      ),
    ),
  )
const contents = (mapped: Result.Result<MappedResponse, Violation>) =>
  Result.getOrThrow(mapped).rows.map(contentOf)

const readings: ReadonlyArray<JsonObject> = [
  { calculated_at: "2026-01-01T00:00:00Z", checked_at: "2026-01-01T00:00:00Z" },
  { calculated_at: "2026-01-02T00:00:00Z", checked_at: null, reportedAt: 1767225600 },
]

const answers: Readonly<
  Record<string, (t: JsonObject) => Result.Result<MappedResponse, Violation>>
> = {
  fees: (t) => feesRows({ ...fee, ...t }, source),
  vaults: (t) => vaultRows([{ address, chain: 1, ...t }], all),
  "a vault's detail": (t) =>
    vaultDetailRows(
      {
        vault_name: "A",
        latest_reported_tvl: 5,
        holders: 3,
        rewards: [{ multiplier: 2, ...t }],
        operators: [{ address, ...t }],
        ...t,
      },
      source,
    ),
  roles: (t) =>
    rolesRows(
      {
        roles: [{ role: "owner", is_safe: false, safe_threshold: null, address, ...t }],
        warnings: [],
      },
      source,
    ),
  "timelocks without an id": (t) =>
    timelocksRows(
      {
        timelocks: [{ status: "scheduled", executable_at: null, labels: [], x: 1, ...t }],
        warnings: [],
      },
      source,
    ),
  "OTC positions without an id": (t) => otcPositionRows([{ symbol: "A", value: 1, ...t }], all),
  ladders: (t) =>
    discountFactorRows(
      [{ address, chain: 1, rungs: [{ up_to_usd: 1, factor: 0.5 }], note: "n", ...t }],
      all,
    ),
}

describe("report times", () => {
  it.each(Object.entries(answers))("change nothing of %s", (_, rows) => {
    const [first, second] = readings.map((reading) => contents(rows(reading)))
    expect(first?.flat().length).toBeGreaterThan(0)
    expect(second).toEqual(first)
    expect(first).toEqual(contents(rows({})))
  })

  it.each(["fees", "ladders"])("stand in reported_at of %s", (name) => {
    const mapped =
      answers[name]?.(readings[0] ?? {}) ?? Result.succeed({ rows: [], drift: [], rejected: [] })
    const [rows] = Result.getOrThrow(mapped).rows
    if (rows === undefined) throw new Error("no rows")
    const at = rows.table.columns.findIndex((column) => column.name === "reported_at")
    expect(rows.columns[at]).toEqual([Date.UTC(2026, 0, 1) * 1000])
  })

  it("a field with such a name but without a time stays where it is", () => {
    const [row] = contents(feesRows({ ...fee, checked_at: "soon" }, source)).flat()
    expect(row?.["fees.extra"]).toBe('{"checked_at":"soon"}')
  })

  it.each(Object.entries(answers))("in nested records change nothing of %s", (_, rows) => {
    const [first, second] = readings.map((reading) =>
      contents(rows({ oracle: { source: "x", ...reading }, feeds: [{ id: 1, at: [reading] }] })),
    )
    expect(JSON.stringify(first)).toContain("oracle")
    expect(second).toEqual(first)
  })

  it("in nested records are kept by their path", () => {
    const feed = { id: 1, calculatedAt: 1_767_225_600, checked_at: "never", since: "2026-01-01" }
    const record = {
      ...fee,
      oracle: { checked_at: "2026-01-01T00:00:00Z", reported_at: null, source: "x" },
      feeds: [{ id: 0 }, feed],
    }
    const [rows] = Result.getOrThrow(feesRows(record, source)).rows
    const at = (name: string) =>
      rows?.columns[rows.table.columns.findIndex((column) => column.name === name)]?.[0]
    expect(JSON.parse(String(at("reported_times")))).toEqual({
      "oracle.checked_at": "2026-01-01T00:00:00Z",
      "oracle.reported_at": null,
      "feeds[1].calculatedAt": 1_767_225_600,
    })
    expect(JSON.parse(String(at("extra")))).toEqual({
      oracle: { source: "x" },
      feeds: [{ id: 0 }, { id: 1, checked_at: "never", since: "2026-01-01" }],
    })
    expect(at("reported_at")).toBeNull()
  })

  it("of records with their own table are there only", () => {
    const rewards = [{ text: "A", source: { checked_at: "2026-01-01T00:00:00Z" } }]
    const reported = Result.getOrThrow(vaultDetailRows({ rewards }, source)).rows.flatMap(
      ({ table, columns }) => {
        const at = table.columns.findIndex((column) => column.name === "reported_times")
        return (columns[at] ?? []).map((times) => [table.name, times])
      },
    )
    expect(reported).toEqual([
      ["vault_details", null],
      ["vault_rewards", '{"source.checked_at":"2026-01-01T00:00:00Z"}'],
    ])
  })

  it.each(coreTables.filter(({ mode }) => mode === "slowly_changing").map((t) => [t.name, t]))(
    "%s has a column for them, or nothing for unknown fields",
    (_, { name, columns }) => {
      // Tables of selected fields: the description takes the times.
      const isChosen = ["vault_reported_metrics", "vault_detail_metrics"].includes(name)
      const has = (wanted: string) => columns.some((column) => column.name === wanted)
      expect(has("reported_at")).toBe(has("extra") && !isChosen)
      expect(has("reported_times")).toBe(has("extra"))
    },
  )
})

describe("a time of another name", () => {
  const names = ["updated_at", "nav_updated_at", "nav_updated", "last_refreshed_at", "as_of"]
  const readAt = (name: string, time: string, fields = {}) =>
    contents(feesRows({ ...fee, [name]: time }, { ...source, fields }))

  it.each(names)("is content: %s", (name) => {
    expect(readAt(name, "2026-01-01T00:00:00Z")).not.toEqual(readAt(name, "2026-01-02T00:00:00Z"))
  })

  it.each(names)("is a report time if the setting says so: %s", (name) => {
    const fields = { "fees.reported_at": ["other", name] }
    expect(readAt(name, "2026-01-01T00:00:00Z", fields)).toEqual(
      readAt(name, "2026-01-02T00:00:00Z", fields),
    )
  })

  it("is one by its path in nested records, in which elements of a list have no number", () => {
    const fields = { "fees.reported_at": ["risk_metadata.asOf", "feeds.source.asOf"] }
    const rowsAt = (asOf: string) =>
      feesRows(
        {
          ...fee,
          risk_metadata: { asOf, limit: 1 },
          feeds: [{ id: 0 }, { id: 1, source: { asOf } }],
          terms: { asOf: "2025-01-01" },
        },
        { ...source, fields },
      )
    const first = rowsAt("2026-01-01T00:00:00Z")
    expect(contents(first)).toEqual(contents(rowsAt("2026-01-02T00:00:00Z")))
    const [rows] = Result.getOrThrow(first).rows
    const at = rows?.table.columns.findIndex(({ name }) => name === "reported_times") ?? -1
    expect(JSON.parse(String(rows?.columns[at]?.[0]))).toEqual({
      "risk_metadata.asOf": "2026-01-01T00:00:00Z",
      "feeds[1].source.asOf": "2026-01-01T00:00:00Z",
    })
    expect(JSON.stringify(contents(first))).toContain("2025-01-01")
  })
})
