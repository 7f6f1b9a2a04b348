import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  dayOf,
  endOfDay,
  formatDay,
  formatInstant,
  parseDay,
  parseInstant,
  startOfDay,
} from "../../../src/domain/values/time.ts"

const noon = Date.UTC(2026, 0, 15, 12) * 1000

describe("parseInstant", () => {
  it.each<[unknown, number]>([
    ["2026-01-15T12:00:00Z", noon],
    ["2026-01-15T12:00:00", noon],
    ["2026-01-15 12:00:00", noon],
    ["2026-01-15 12:00:00+00", noon],
    ["2026-01-15T14:00:00+02:00", noon],
    ["2026-01-15T06:30:00-0530", noon],
    ["2026-01-15T12:00:00.5Z", noon + 500_000],
    ["2026-01-15T12:00:00.123456789", noon + 123_456],
    ["2026-01-15T12:00Z", noon],
    [noon / 1e6, noon],
    [noon / 1e3, noon],
    [String(noon / 1e6), noon],
    [String(noon / 1e3), noon],
    [noon / 1e6 + 0.25, noon + 250_000],
    [noon, noon],
    [String(noon), noon],
    ["Thu, 15 Jan 2026 12:00:00 GMT", noon],
    ["2028-02-29T12:00:00Z", Date.UTC(2028, 1, 29, 12) * 1000],
    ["2026-02-28T23:59:59", Date.UTC(2026, 1, 28, 23, 59, 59) * 1000],
    // The smallest number that is an epoch, in seconds, and the smallest ones in milliseconds and microseconds.
    [1e8, 1e14],
    [1e12, 1e15],
    [1e15, 1e15],
  ])("reads %j", (text, micros) => {
    expect(parseInstant(text)).toBe(micros)
  })

  it.each([
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-04-31T00:00:00",
    "2026-01-00T00:00:00",
    "2026-00-15T00:00:00",
    "2026-01-15T24:00:00Z",
    "2026-01-15T24:00:00",
    "2026-01-15T12:60:00",
    "2026-01-15T12:00:60",
    "2026-01-15T12:00:00+24:00",
    "2026-01-15T12:00:00+99:00",
    "2026-01-15T12:00:00-05:60",
    "yesterday",
    "",
    "12",
    // The day was a Thursday.
    "Fri, 15 Jan 2026 12:00:00 GMT",
    "Thu, 15 Jan 2026 12:00:00",
    "Thu, 15 Jan 2026 12:00:00 +0200",
    "Thu, 15 Jan 2026 24:00:00 GMT",
    "Mon, 30 Feb 2026 12:00:00 GMT",
    "Thu, 15 jan 2026 12:00:00 GMT",
    // The end of the year 9999 in seconds and milliseconds, the last date and the largest whole number of JavaScript: never.
    253_402_300_799,
    253_402_300_799_000,
    "253402300799000",
    8.64e15,
    Number.MAX_SAFE_INTEGER,
    1e14,
    4.1e15,
    "100000000000000000",
    99_999_999,
    null,
    undefined,
    true,
    Number.NaN,
    -1,
    {},
  ])("does not invent an instant from %j", (value) => {
    expect(parseInstant(value)).toBeUndefined()
  })

  const millis = Schema.Int.check(Schema.isBetween({ minimum: 1e11, maximum: 4e12 }))
  it.effect.prop("reads back every instant it writes", [millis], ([at]) =>
    Effect.sync(() => {
      expect(parseInstant(formatInstant(at * 1000))).toBe(at * 1000)
      const isEpoch = at >= 1e12 && at < 4.1e12
      expect(parseInstant(at * 1000)).toBe(isEpoch ? at * 1000 : undefined)
      const second = at - (at % 1000)
      expect(parseInstant(new Date(second).toUTCString())).toBe(second * 1000)
    }),
  )
})

describe("an instant too far off to be exact", () => {
  it.each(["9999-12-31T23:59:59Z", "2999-01-01T00:00:00"])(
    "%s is no instant, but a day",
    (text) => {
      expect(parseInstant(text)).toBeUndefined()
      expect(formatDay(parseDay(text) as number)).toBe(text.slice(0, 10))
    },
  )

  it("the last day has no later one, such as that of its last hours in another time zone", () => {
    expect(formatDay(parseDay("9999-12-31T23:59:59Z") as number)).toBe("9999-12-31")
    expect(parseDay("9999-12-31T23:59:59-05:00")).toBeUndefined()
  })

  it("the zero time of some languages is no instant", () => {
    expect(parseInstant("0001-01-01T00:00:00Z")).toBeUndefined()
    expect(parseDay("0001-01-01")).toBeUndefined()
  })
})

describe("parseDay", () => {
  it.each([
    ["1/5/2026", "2026-01-05"],
    ["12/31/2025", "2025-12-31"],
    ["01/05/2026", "2026-01-05"],
    ["2/29/2028", "2028-02-29"],
    ["2026-01-05", "2026-01-05"],
    ["2028-02-29", "2028-02-29"],
    ["2026-01-05T23:59:59Z", "2026-01-05"],
    ["2026-01-05T23:30:00-02:00", "2026-01-06"],
  ])("reads %s", (text, day) => {
    expect(formatDay(parseDay(text) as number)).toBe(day)
  })

  it.each(["13/1/2026", "2/30/2026", "2/29/2026", "2026-02-29", "2026/01/05", "5.1.2026", 5])(
    "rejects %j",
    (value) => {
      expect(parseDay(value)).toBeUndefined()
    },
  )

  const days = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40_000 }))
  it.effect.prop("reads back every day it writes, from either end of it", [days], ([day]) =>
    Effect.sync(() => {
      expect(parseDay(formatDay(day))).toBe(day)
      expect(dayOf(startOfDay(day))).toBe(day)
      expect(dayOf(endOfDay(day))).toBe(day)
      expect(dayOf(endOfDay(day) + 1)).toBe(day + 1)
    }),
  )
})
