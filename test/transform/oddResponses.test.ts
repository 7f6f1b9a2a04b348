// What a service may send that the API document does not show: fields next to a list, figures as text, values that are
// missing or of another type. Each response as its pipeline reads it.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { type JsonObject, parseJson } from "../../src/domain/values/json.ts"
import { dayOf, formatDay, formatInstant, parseInstant } from "../../src/domain/values/time.ts"
import { defaultTimeFields } from "../../src/domain/wire/timeFields.ts"
import { decode } from "../../src/extract/decode.ts"
import { pipelineOf } from "../../src/pipelines/archive/archivedRows.ts"
import { mapResponse } from "../../src/pipelines/strategies/mapResponse.ts"
import { mapRecords } from "../../src/transform/mapRecords.ts"
import type { MappedResponse } from "../../src/transform/Source.ts"
import { coreTables } from "../../src/pipelines/pipelines.ts"

const address = `0x${"ab".repeat(20)}`
const lineage = { responseId: "r", receivedAt: 1 }
const subject = { address, wireAddress: address, chainId: 1, kind: "evm", startedOn: undefined }

const read = (
  name: string,
  body: unknown,
  inputs: JsonObject = {},
  window?: string,
): MappedResponse => {
  const pipeline = pipelineOf(name)!
  const named = window === undefined ? {} : { window }
  const source = { lineage, subject, inputs, timeFields: defaultTimeFields, ...named }
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const decoded = decode<unknown>(pipeline.endpoint, parseJson(text))
  const mapped = Result.flatMap(decoded, (value) =>
    mapResponse<unknown, unknown>((given, from) => pipeline.rows(given, from), value, source),
  )
  return Result.getOrThrow(mapped)
}

const rowsIn = ({ rows }: MappedResponse, name: string): ReadonlyArray<JsonObject> =>
  rows
    .filter(({ table }) => table.name === name)
    .flatMap(({ table, columns, length }) =>
      Array.from({ length }, (_, row) =>
        Object.fromEntries(table.columns.map((column, at) => [column.name, columns[at]?.[row]])),
      ),
    )

describe("fields next to a list", () => {
  const entry = { timestamp: "2026-01-01T00:00:00", type: "t", summary: "s" }

  it.each<[string, JsonObject, JsonObject]>([
    ["roles", { roles: [], warnings: [] }, { pending_roles: [{ role: "x" }], read_at_block: 7 }],
    ["permissions", { permissions: [] }, { policy_version: 4 }],
    ["timelocks", { timelocks: [], warnings: [] }, { contract: address, min_delay_seconds: 60 }],
    ["audit_log", { entries: [entry], has_more: false }, { total: 477 }],
    ["apy_history", { labels: ["1/2/2026"], values: [0.1] }, { average_apy: 0.2 }],
    ["allocation_history", { points: [] }, { currency: "USD" }],
    ["oracle_classification", { positions: [], warnings: [] }, { block: 7 }],
  ])("of %s are kept and reported", (pipeline, body, others) => {
    const mapped = read(pipeline, { ...body, ...others })
    const [kept] = rowsIn(mapped, "response_envelopes")
    expect(JSON.parse(String(kept?.["extra"]))).toEqual(others)
    expect(mapped.drift.map(({ path }) => path).toSorted()).toEqual(
      Object.keys(others)
        .map((name) => `$.${name}`)
        .toSorted(),
    )
  })
})

// An assignment to `__proto__` sets no field, and every object of JavaScript has a `constructor`.
describe.each(["__proto__", "constructor"])("an unknown field %s is kept and reported", (name) => {
  const odd = { [name]: "x" }
  const asOf = "2026-01-01T00:00:00Z"
  const point = { actual_tvl: 1, tvl_on_vault: 2, adjusted_redeem_ratio: 0.5 }
  const positions = Object.fromEntries(
    ["cefi", "defi", "otc", "trs", "legacyHedger", "strategyContract"].map((kind) => [
      `${kind}Positions`,
      [],
    ]),
  )
  const portfolio = {
    ...positions,
    tokens: [],
    collateralBalances: [],
    marginBalances: [],
    totalValue: 1,
    discountedValue: 1,
    calculated_at: asOf,
  }
  const figures = Object.fromEntries(
    ["netAccount", "totalAccount", "totalCollateral", "totalEquity", "totalLoan"].map((figure) => [
      `${figure}Value`,
      1,
    ]),
  )
  const loanbook = { loans: [], aggregatesByToken: [], totalCredit: 0, totalDebt: 0 }
  const summary = {
    name: "a",
    type: "t",
    chains: [],
    tokens: [],
    healthFactor: 2,
    ...figures,
    loanbook,
  }

  it.each<[string, string, unknown, string]>([
    ["in a point", "ratio_history", [{ timestamp: asOf, ...point, ...odd }], name],
    [
      "next to protocols",
      "allocation_history",
      { points: [{ day: asOf, allocations: { Aave: 1 }, ...odd }] },
      name,
    ],
    ["next to classes", "oracle_classification", { primary: [], warnings: [], ...odd }, name],
    ["next to positions", "protocol_positions", { positions: [], ...odd }, name],
    [
      "next to a nested time",
      "subaccount_summaries",
      { ...summary, portfolio: { ...portfolio, ...odd } },
      `portfolio.${name}`,
    ],
  ])("%s", (_place, pipeline, body, path) => {
    const mapped = read(pipeline, body)
    const extras = mapped.rows.flatMap(({ table }) =>
      rowsIn(mapped, table.name).map(({ extra }) => String(extra)),
    )
    expect(extras.join()).toContain(`"${name}":"x"`)
    expect(mapped.drift.map((drift) => drift.path)).toContain(`$.${path}`)
  })
})

describe("a decimal in text", () => {
  const figures = coreTables.flatMap((table) =>
    table.columns
      .filter(({ type, fields, read: reader }) => type === "double" && fields && !reader)
      .map((column) => [`${table.name}.${column.name}`, table, column] as const),
  )

  it("is a figure in every column of figures that is read from a field", () => {
    expect(figures.length).toBeGreaterThan(60)
    for (const [name, table, column] of figures) {
      const [field = ""] = column.fields ?? []
      const computed = Object.fromEntries(
        table.columns
          .filter((each) => each.name !== column.name && each.name !== "extra")
          .map((each) => [each.name, each.type === "text" ? "a" : 1]),
      )
      const { rows } = mapRecords({
        table,
        records: [{ [field]: "-12.50" }],
        source: { lineage },
        computed,
      })
      expect(rows.columns[table.columns.indexOf(column)], name).toEqual([-12.5])
    }
  })
})

describe("a value that is missing or of another type", () => {
  const point = { actual_tvl: 1, tvl_on_vault: 2, adjusted_redeem_ratio: 0.5 }
  const points = (...odd: ReadonlyArray<JsonObject>) =>
    odd.map((each, day) => ({ timestamp: `2026-01-0${day + 1}T00:00:00Z`, ...point, ...each }))

  it("ratios in text and null land, and one that is no number costs its own point", () => {
    const { rejected, ...mapped } = read(
      "ratio_history",
      points({ actual_tvl: "1.5" }, { adjusted_redeem_ratio: null }, { actual_tvl: "n/a" }, {}),
    )
    expect(
      rowsIn({ rejected, ...mapped }, "ratio_history").map((row) => [
        row["actual_tvl"],
        row["adjusted_redeem_ratio"],
      ]),
    ).toEqual([
      [1.5, 0.5],
      [1, null],
      [1, 0.5],
    ])
    expect(rejected).toMatchObject([
      { path: "$[2].actual_tvl", detail: 'is "n/a"; expected a number' },
    ])
  })

  it("an APY that is null is a day without one", () => {
    const mapped = read("apy_history", { labels: ["1/1/2026", "1/2/2026"], values: [null, "0.1"] })
    expect(rowsIn(mapped, "apy_history").map(({ apy }) => apy)).toEqual([null, 0.1])
  })

  it("an audit entry without a summary is set aside alone", () => {
    const entries = Array.from({ length: 477 }, (_, n) => ({
      timestamp: "2026-01-01T00:00:00",
      type: "t",
      summary: n === 7 ? null : "s",
    }))
    const mapped = read("audit_log", { entries, has_more: false })
    expect(rowsIn(mapped, "audit_log")).toHaveLength(476)
    expect(mapped.rejected).toMatchObject([{ path: "$.entries[7].summary" }])
  })
})

describe("what the document leaves open", () => {
  const keys = (name: string, table: string, column: string, bodies: ReadonlyArray<unknown>) =>
    new Set(bodies.map((body) => rowsIn(read(name, body), table)[0]?.[column])).size

  it("a withdrawal request is known again whatever else the service says of it", () => {
    const request = { date: "2026-01-01", recipient: address, amount: { raw: "5", normalized: 1 } }
    const of = (...others: ReadonlyArray<JsonObject>) =>
      others.map((each) => ({ pending_requests: [{ ...request, vault_pct: 1, ...each }] }))
    const count = (...others: ReadonlyArray<JsonObject>) =>
      keys("withdrawals", "withdrawal_requests", "request_id", of(...others))
    expect(count({ queue_position: 3 }, { queue_position: 2, amount_usd: 7 })).toBe(1)
    expect(count({}, { recipient: `0x${"cd".repeat(20)}` }, { date: "2026-01-02" })).toBe(3)
    expect(count({ id: "a" }, { id: "b" })).toBe(2)
    // A price beside its amount moves too.
    const priced = (usd: number) => ({ amount: { ...request.amount, usd } })
    expect(count({}, priced(0.9998), priced(0.9997))).toBe(1)
    expect(count(priced(1), { amount: { raw: "6", normalized: 1, usd: 1 } })).toBe(2)
    expect(count({ date: undefined, ...priced(1) }, { date: undefined, ...priced(2) })).toBe(1)
    expect(count({ amount: { value: 5 } }, { amount: { value: 6 } })).toBe(2)
    // Without one of the three, all that is said of it.
    expect(count({ date: undefined, nonce: 1 }, { date: undefined, nonce: 2 })).toBe(2)
    const twice = {
      pending_requests: [
        { ...request, nonce: 1 },
        { ...request, nonce: 2 },
      ],
    }
    expect(rowsIn(read("withdrawals", twice), "withdrawal_requests")).toHaveLength(2)
  })

  it.each<[string, ReadonlyArray<unknown>, number, number | null]>([
    ["whole", [{}, { id: "b" }], 2, null],
    ["empty", [], 0, null],
    ["with a record in another shape", [{}, { user: "u", qty: 50 }], 2, 1],
    ["with a null, a text and a record in another shape", [{}, null, "b", { user: "u" }], 4, 3],
  ])("a list of withdrawal requests, %s", (_, requests, pending_requests, unread_requests) => {
    const request = { id: "a", date: "2026-01-01", recipient: address, amount: 5 }
    const mapped = read("withdrawals", {
      requests: requests.map((each) =>
        typeof each !== "object" || each === null || "user" in each
          ? each
          : { ...request, ...each },
      ),
      // Of the response, but not of the list of requests.
      warnings: [{ text: "t" }, null],
    })
    expect(rowsIn(mapped, "withdrawal_summaries")).toMatchObject([
      { pending_requests, unread_requests },
    ])
  })

  it("the buffer of a snapshot is unknown if a subaccount of its list is no record", () => {
    const body = { snapshot_at: "2026-01-01T00:00:00Z", total_nav: 300, reported_tvl: 300 }
    const subaccounts = [{ address, total_usd: 100 }, null]
    const snapshotOf = (list: ReadonlyArray<unknown>) =>
      rowsIn(
        read("positions", { ...body, subaccounts: list, notes: [{ text: "t" }, null] }),
        "position_snapshots",
      )
    expect(snapshotOf(subaccounts)).toMatchObject([
      { subaccounts_total_usd: null, buffer_usd: null, subaccount_count: 2 },
    ])
    expect(snapshotOf(subaccounts.slice(0, 1))).toMatchObject([
      { subaccounts_total_usd: 100, buffer_usd: 200, subaccount_count: 1 },
    ])
  })

  it("a timelock is the same one while its contract can't be read", () => {
    const timelock = {
      status: "scheduled",
      scheduled_at: "2026-01-01T00:00:00Z",
      target: "t",
      executable_at: null,
      labels: [],
    }
    const bodies = [172_800, null].map((delay_seconds) => ({
      timelocks: [{ ...timelock, delay_seconds }],
      warnings: [],
    }))
    expect(keys("timelocks", "timelocks", "timelock_id", bodies)).toBe(1)
  })

  it("a role lacks what a warning says could not be read, and only then", () => {
    const roles = [{ role: "owner", address }]
    const mapped = read("roles", { roles, warnings: ["custody"] })
    expect(rowsIn(mapped, "roles")).toMatchObject([{ role: "owner", is_safe: null, extra: null }])
    expect(rowsIn(mapped, "observation_warnings")).toHaveLength(1)
    expect(() => read("roles", { roles, warnings: [] })).toThrow(
      expect.objectContaining({ path: "$.roles[0].is_safe" }),
    )
  })

  it.each([
    ["1.5E+21", "1500000000000000000000"],
    ["100.0", "100"],
    [1.5e21, "1500000000000000000000"],
    ["-2e3", "-2000"],
    ["1.5", null],
    ["1e-3", null],
    ["1e400", null],
    ["0x10", null],
  ])("the raw amount %s", (raw, digits) => {
    const request = { date: "2026-01-01", recipient: address, amount: { raw, normalized: 1 } }
    const [row] = rowsIn(read("withdrawals", { requests: [request] }), "withdrawal_requests")
    expect(row?.["amount_raw"]).toBe(digits)
    expect(row?.["extra"] === null).toBe(digits !== null)
  })

  it("an empty list hides no list with records", () => {
    const token = { token_symbol: "USDC", pricing_class: "Primary", usd_value: 5 }
    const mapped = read("oracle_classification", { positions: [], tokens: [token], warnings: [] })
    expect(rowsIn(mapped, "oracle_classification")).toMatchObject([{ pricing_class: "Primary" }])
  })
})

describe("of several times of a point", () => {
  const figures = { actual_tvl: 1, tvl_on_vault: 2, adjusted_redeem_ratio: 0.5 }
  const day = dayOf(parseInstant("2026-01-10")!)
  const storedAt = (points: ReadonlyArray<JsonObject>) =>
    rowsIn(read("ratio_history", points, { startDate: day, endDate: day }), "ratio_history").map(
      ({ observed_at }) => formatInstant(Number(observed_at)).slice(0, 13),
    )
  const hours = ["2026-01-10T02", "2026-01-10T01"]

  it.each([
    ["the time of the insertion of all", () => "2026-01-10T08:00:00Z"],
    ["a time outside the days requested", (at: number) => `2026-03-0${at + 1}T08:00:00Z`],
  ])("%s is not the point's", (_name, createdAt) => {
    const points = hours.map((hour, at) => ({
      ...figures,
      date: `${hour}:00:00Z`,
      created_at: createdAt(at),
    }))
    expect(storedAt(points)).toEqual(hours)
  })

  it("the first name counts where both are possible, and where none is", () => {
    const points = hours.map((hour) => ({
      ...figures,
      created_at: "2026-01-10T23:00:00Z",
      date: `${hour}:00:00Z`,
    }))
    const inserted = points.map((point, at) => ({
      ...point,
      created_at: `2026-01-10T2${at}:00:00Z`,
    }))
    expect([points, inserted].map(storedAt)).toEqual([hours, hours])
    const [point] = points
    const elsewhere = { ...point, date: "2020-01-01", created_at: "2026-03-01T08:00:00Z" }
    expect(storedAt([elsewhere])).toEqual(["2020-01-01T00"])
  })
})

describe("the positions of an oracle classification are of one day (§2.9)", () => {
  const daysOf = (body: JsonObject) =>
    rowsIn(read("oracle_classification", { warnings: [], ...body }), "oracle_classification").map(
      ({ date }) => formatDay(Number(date)),
    )
  const positions = (name: string) =>
    ["2026-01-09T23:58:00Z", "2026-01-10T00:05:00Z"].map((time, at) => ({
      token_symbol: `T${at}`,
      pricing_class: "Primary",
      usd_value: 1,
      [name]: time,
    }))

  it.each<[string, JsonObject, ReadonlyArray<string>]>([
    [
      "that of the response, whatever times they have",
      { snapshot_date: "2026-01-10", positions: positions("timestamp") },
      ["2026-01-10", "2026-01-10"],
    ],
    [
      "the newest of the times they have",
      { positions: positions("timestamp") },
      ["2026-01-10", "2026-01-10"],
    ],
    [
      "their own where they name one",
      { timestamp: "2026-01-11T08:00:00Z", positions: positions("snapshot_date") },
      ["2026-01-09", "2026-01-10"],
    ],
  ])("%s", (_name, body, expected) => {
    expect(daysOf(body)).toEqual(expected)
  })
})

it("every digit of a fraction that no double holds is kept", () => {
  const digits = "12.345678901234567891"
  const text = `[{"loan_address":"${address}","chain_id":1,"status":"active","interest_amount":${digits}}]`
  const [row] = rowsIn(read("loans", text), "loans")
  expect(row).toMatchObject({ interest_amount: Number(digits), interest_amount_digits: digits })
})

// The response is of 1970-01-01.
it.each([
  ["smoothed 7d, from 1969-12-30 after the lead-in", 3],
  ["smoothed 7d, 2 days after the lead-in", 3],
  ["smoothed 7d, 2 days", 5],
])("a replay stores the days of the window %s", (window, count) => {
  const labels = ["12/28/1969", "12/29/1969", "12/30/1969", "12/31/1969", "1/1/1970"]
  const body = { labels, values: [1, 2, 3, 4, 5] }
  expect(rowsIn(read("apy_history", body, {}, window), "apy_history")).toHaveLength(count)
})
