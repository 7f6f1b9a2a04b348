// Which field is the time of a series' points, where the document does not show it (§2.5, §2.8, §2.9).
import { describe, expect, it } from "vitest"
import * as Result from "effect/Result"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { timeFieldOf } from "../../../src/transform/fields/timeField.ts"
import { transactions } from "../../../src/transform/tables/subaccounts/transactions.ts"
import { pnlHistory } from "../../../src/transform/tables/transparency/pnl_history.ts"
import {
  ratioHistory,
  ratioHistoryRows,
} from "../../../src/transform/tables/transparency/ratio_history.ts"

const HOUR = 3_600_000
const DAY = 20_604
const at = (hour: number, late = 0): string =>
  new Date(DAY * 24 * HOUR + hour * HOUR + late).toISOString()
const hours = Array.from({ length: 72 }, (_, hour) => hour)

type Table = typeof pnlHistory

const timeOf = (table: Table, records: ReadonlyArray<Record<string, string | null>>, inputs = {}) =>
  Result.map(
    timeFieldOf(table, records, { timeFields: defaultTimeFields, inputs }),
    (fields) => fields[table.time ?? ""]?.[0],
  )

/** The instants under which points are stored, as hours since the beginning of the first day. */
const storedHours = (points: ReadonlyArray<Record<string, string | number | null>>) => {
  const figures = { actual_tvl: 1, tvl_on_vault: 1, adjusted_redeem_ratio: 1 }
  const records = points.map((point) => ({ ...figures, ...point }))
  const mapped = ratioHistoryRows(records, {
    lineage: { responseId: "r", receivedAt: 0 },
    subject: { chainId: 1, address: "0xa", wireAddress: "0xa", kind: "evm", startedOn: undefined },
    inputs: {},
    timeFields: defaultTimeFields,
  })
  return Result.map(mapped, ({ rows }) =>
    rows.flatMap(({ times = [] }) => times.map((time) => time / 1000 / HOUR - DAY * 24)),
  )
}

describe("the time of points", () => {
  it.each([
    ["together", hours.map((hour) => ({ date: at(hour), created_at: at(80) })), "date"],
    [
      "partly together",
      hours.map((hour) => ({ date: at(hour), created_at: at(hour < 40 ? 40 : hour) })),
      "date",
    ],
    [
      "partly together, most of them in their hours",
      hours.map((hour) => ({ date: at(hour), created_at: at(hour < 35 ? 35 : hour) })),
      "date",
    ],
    [
      "each in its hour",
      hours.map((hour) => ({ date: at(hour), created_at: at(hour, 300_000) })),
      "date",
    ],
    [
      "each in its hour, by day",
      hours.map((hour) => ({ date: at(hour).slice(0, 10), created_at: at(hour, 300_000) })),
      "created_at",
    ],
    ["as one", [{ date: at(0), created_at: at(1) }], "date"],
  ] as const)("which were inserted %s", (_, points, expected) => {
    for (const table of [pnlHistory, ratioHistory]) {
      expect(timeOf(table, points)).toEqual(Result.succeed(expected))
    }
  })

  // A PnL snapshot may be one of each day.
  it("is not their day where they are hourly, however few they are", () => {
    const points = hours
      .slice(0, 24)
      .map((hour) => ({ date: at(hour).slice(0, 10), created_at: at(hour, HOUR / 4) }))
    const inserted = hours.slice(0, 24).map((hour) => hour + 0.25)
    const rows = new Set(
      [1, 2, 24].flatMap((count) => Result.getOrThrow(storedHours(points.slice(0, count)))),
    )
    expect([...rows]).toEqual(inserted)
    // Of the day before, recorded after midnight.
    expect(storedHours([{ date: at(23).slice(0, 10), created_at: at(24, HOUR / 4) }])).toEqual(
      Result.succeed([24.25]),
    )
    expect(timeOf(pnlHistory, points.slice(0, 1))).toEqual(Result.succeed("date"))
    // Inserted again, days later, or without any other time.
    const date = at(0).slice(0, 10)
    expect(storedHours([{ date, created_at: at(72) }])).toEqual(Result.succeed([0]))
    expect(storedHours([{ date }])).toEqual(Result.succeed([0]))
    // An instant, though of midnight.
    expect(storedHours([{ date: at(0), created_at: at(0, HOUR / 4) }])).toEqual(Result.succeed([0]))
  })

  it("is the same after the service has inserted them again", () => {
    const first = hours.map((hour) => ({ date: at(hour), created_at: at(hour, 131_000) }))
    const again = hours.map((hour) => ({ date: at(hour), created_at: at(80) }))
    expect(storedHours(first)).toEqual(Result.succeed(hours))
    expect(storedHours(again)).toEqual(Result.succeed(hours))
  })

  it("that does not tell them apart breaks the contract", () => {
    const day = hours.slice(0, 24)
    const byDay = day.map((hour) => ({ date: at(hour).slice(0, 10), hour }))
    expect(Result.getOrThrow(Result.flip(storedHours(byDay)))).toEqual({
      path: "$[0].date",
      detail:
        "is the same in 24 points; name the field that tells them apart in the setting timeFields",
    })
    const threeDays = hours.map((hour) => ({ date: at(hour).slice(0, 10), hour }))
    expect(Result.getOrThrow(Result.flip(storedHours(threeDays))).detail).toContain(
      "is one of only 3 times in 72 points",
    )
    // Two of them may be of one instant, and any may be sent twice.
    expect(storedHours(byDay.slice(0, 2))).toEqual(Result.succeed([0, 0]))
    const instants = day.map((hour) => ({ date: at(hour) }))
    const twice = storedHours([...instants, ...instants])
    expect(new Set(Result.getOrThrow(twice)).size).toBe(24)
    expect(storedHours(Array.from({ length: 3 }, () => ({ date: at(1) })))).toEqual(
      Result.succeed([1, 1, 1]),
    )
  })

  it("that can't be read is named with its value, and where there is none the fields", () => {
    const failureOf = (...records: ReadonlyArray<Record<string, string | null>>) =>
      Result.getOrThrow(Result.flip(timeOf(ratioHistory, records)))
    expect(failureOf({ timestamp: null }, { timestamp: "10 January 2026" })).toEqual({
      path: "$[1].timestamp",
      detail:
        'is "10 January 2026"; expected an instant: ISO-8601, an epoch, or as in HTTP headers. If it is in another field, name that in the setting timeFields',
    })
    expect(failureOf({ taken: at(1) })).toEqual({
      path: "$[0]",
      detail:
        "has no time under a known name; its fields are taken. Name the right one in the setting timeFields",
    })
  })

  it("is of the days that were requested", () => {
    const points = [0, 1, 2].map((hour) => ({ timestamp: at(hour + 240), date: at(hour) }))
    expect(timeOf(ratioHistory, points)).toEqual(Result.succeed("timestamp"))
    const days = { startDate: DAY, endDate: DAY }
    expect(timeOf(ratioHistory, points, days)).toEqual(Result.succeed("date"))
  })
})

describe("the time of transactions", () => {
  const executed = [1, 2, 3].map((hour) => ({ timestamp: at(hour), created_at: at(hour, 90_000) }))
  const pending = { timestamp: null, created_at: at(4, 90_000) }

  it.each([
    ["before others", [pending, ...executed]],
    ["after others", [...executed, pending]],
    ["before a single one", [pending, ...executed.slice(0, 1)]],
  ])("is not that of the insertion because a pending one comes %s", (_, records) => {
    expect(timeOf(transactions, records)).toEqual(Result.succeed("timestamp"))
  })

  it("is the declared one that each record has, and none of another name beside it", () => {
    const names = ["executed_at", "block_timestamp", "block_time"]
    for (const records of [
      [{ block_timestamp: at(1) }, { block_timestamp: at(2) }, { block_time: at(3) }],
      [{ block_timestamp: null, created_at: at(4) }, { created_at: at(5) }],
    ]) {
      const fields = timeFieldOf(transactions, records, {
        timeFields: defaultTimeFields,
        inputs: {},
      })
      const found = Result.getOrThrow(fields)["executed_at"]
      expect(found).toEqual(expect.arrayContaining(names))
      expect(found).not.toContain("created_at")
    }
  })

  it("may be the same for all of them", () => {
    const together = [0, 1, 2].map((more) => ({ timestamp: at(1), created_at: at(1, more * 1000) }))
    expect(timeOf(transactions, together)).toEqual(Result.succeed("timestamp"))
  })

  it("is that of the insertion where there is no other", () => {
    const records = [
      pending,
      { timestamp: null, created_at: null },
      { timestamp: null, created_at: null },
    ]
    expect(timeOf(transactions, records)).toEqual(Result.succeed("created_at"))
  })
})

it("a time that is an object rejects its record and no other, also where there are two candidates", () => {
  const time = { toString: null, valueOf: null }
  const records = [time, at(1), at(2)].map((timestamp, hour) => ({
    timestamp,
    date: hour === 0 ? timestamp : at(hour).slice(0, 10),
    actual_tvl: 1,
    tvl_on_vault: 1,
    adjusted_redeem_ratio: 1,
  }))
  const mapped = ratioHistoryRows(records, {
    lineage: { responseId: "r", receivedAt: 0 },
    subject: { chainId: 1, address: "0xa", wireAddress: "0xa", kind: "evm", startedOn: undefined },
    inputs: {},
    timeFields: defaultTimeFields,
  })
  const { rows, rejected } = Result.getOrThrow(mapped)
  expect(rows.map(({ length }) => length)).toEqual([2])
  expect(rejected.map(({ path }) => path)).toEqual(["$[0].timestamp"])
})
