// What a window that was read, or failed, does to the cursor of a dated series; days are small numbers.
import { describe, expect, it } from "vitest"
import {
  coveredBy,
  cursorAfterFailure,
  cursorAfterRead,
  missingIn,
} from "../../../src/extract/paginators/coveredDays.ts"
import type {
  Pending,
  Purpose,
  SeriesCursor,
  WindowRead,
} from "../../../src/extract/paginators/dateWindow.ts"

const cursor = (from: number, through: number, more: Partial<SeriesCursor> = {}): SeriesCursor => ({
  from,
  through,
  newest: through,
  complete: false,
  ...more,
})
const window = (
  purpose: Purpose,
  from: number,
  to: number,
  more: Pick<Pending, "holdsGap" | "verifies"> = {},
) => ({ purpose, from, to, ...more })
const read = (oldest: number | undefined, newest = oldest): WindowRead<null> => ({
  content: null,
  points: oldest === undefined ? 0 : 2,
  isEmpty: oldest === undefined,
  oldest,
  newest,
  hasOnlyEmptyDays: false,
  startsLate: false,
  full: false,
})

describe("the days of a failed window that are missing", () => {
  const known = cursor(50, 100)

  it.each([
    ["a gap whole, though it is covered", window("gap", 60, 70), false, { from: 60, to: 70 }],
    [
      "of new days, those after the newest read",
      window("forward", 95, 110),
      false,
      { from: 100, to: 110 },
    ],
    [
      "of new days that the cursor passes, all",
      window("forward", 95, 110),
      true,
      { from: 95, to: 110 },
    ],
    ["none, where all was read before", window("forward", 80, 99), false, undefined],
    [
      "the newest day read, which may be in part",
      window("forward", 80, 100),
      false,
      { from: 100, to: 100 },
    ],
    [
      "of the past, all before what is known",
      window("backward", 30, 49),
      false,
      { from: 30, to: 49 },
    ],
    ["of the past, none of what is known", window("backward", 50, 60), false, undefined],
  ] as const)("%s", (_, failed, isPassed, missing) => {
    // Whatever a run has read so far, the past counts by what earlier runs have read.
    const now = failed.purpose === "forward" ? known : cursor(0, 0)
    expect(missingIn(failed, isPassed, now, known)).toEqual(missing)
  })

  it("all, before anything is known", () => {
    expect(missingIn(window("newest", 1, 9), false, undefined, undefined)).toEqual({
      from: 1,
      to: 9,
    })
  })

  it("of a complete series, none before its newest day", () => {
    const whole = cursor(50, 100, { complete: true })
    expect(missingIn(window("forward", 10, 20), false, whole, whole)).toBeUndefined()
  })
})

describe("the cursor after a window failed", () => {
  it.each([
    ["stays before new days that fail for the first time", window("forward", 95, 110), false, 100],
    ["passes them where it must", window("forward", 95, 110), true, 110],
    ["passes a gap that is on record", window("forward", 95, 110, { holdsGap: true }), false, 110],
    ["never goes back", window("forward", 80, 90), true, 100],
    ["does not move for a gap", window("gap", 95, 110), true, 100],
  ] as const)("%s", (_, failed, isPassed, through) => {
    expect(cursorAfterFailure(cursor(50, 100), failed, isPassed, undefined)).toEqual(
      cursor(50, 100, { through }),
    )
  })

  it("covers what failed of the past, which is a gap", () => {
    const past = window("backward", 30, 49)
    expect(cursorAfterFailure(cursor(50, 100), past, false, undefined).from).toBe(30)
  })

  it("begins with the window of a new series, and keeps the newest day known", () => {
    expect(cursorAfterFailure(undefined, window("newest", 1, 9), false, cursor(3, 7))).toEqual(
      cursor(1, 9, { newest: 7 }),
    )
    expect(
      cursorAfterFailure(undefined, window("newest", 1, 9), false, undefined).newest,
    ).toBeNull()
  })
})

describe("the cursor after a window was read", () => {
  it.each([
    [
      "goes on to the newest point",
      window("forward", 95, 110),
      read(96, 108),
      undefined,
      { through: 108, newest: 108 },
    ],
    [
      "stays where a response stops short",
      window("forward", 95, 110),
      read(99, 108),
      99,
      { newest: 108 },
    ],
    [
      "goes on to what earlier parts of the window had",
      window("forward", 95, 99, { verifies: 110 }),
      read(96, 99),
      undefined,
      { through: 110 },
    ],
    [
      "goes back to the window's start",
      window("backward", 30, 49),
      read(31, 49),
      undefined,
      { from: 30 },
    ],
    [
      "goes back only as far as a response reaches",
      window("backward", 30, 49),
      read(40, 49),
      40,
      { from: 40 },
    ],
    ["does not move for a gap", window("gap", 60, 70), read(60, 70), undefined, {}],
    [
      "goes back to what a probe found",
      window("probe", 0, 49),
      read(10, 20),
      undefined,
      { from: 10 },
    ],
  ] as const)("%s", (_, done, response, short, change) => {
    expect(cursorAfterRead(cursor(50, 100), done, response, short)).toEqual(cursor(50, 100, change))
  })

  it("is complete once a request without a start found nothing older", () => {
    const all: Pending = { purpose: "probe", from: undefined, to: 49 }
    expect(cursorAfterRead(cursor(50, 100), all, read(undefined), undefined)).toEqual(
      cursor(50, 100, { complete: true }),
    )
    expect(coveredBy(all, read(undefined), undefined)).toEqual({ from: -Infinity, to: 49 })
  })

  it("begins with what the first probe found, not with the days asked for, which it may lack", () => {
    const since = window("probe", 1, 49)
    expect(cursorAfterRead(undefined, since, read(10, 20), undefined)).toEqual(cursor(10, 20))
  })

  it("begins with the first points of a new series, none without points", () => {
    const first = window("newest", 1, 9)
    expect(cursorAfterRead(undefined, first, read(3, 7), undefined)).toEqual(cursor(1, 7))
    expect(cursorAfterRead(undefined, first, read(3, 7), 3)).toEqual(cursor(3, 7))
    expect(cursorAfterRead(undefined, first, read(undefined), undefined)).toBeUndefined()
  })
})

it("a response that stops short covers the days after its oldest", () => {
  expect(coveredBy(window("backward", 30, 49), read(40, 49), 40)).toEqual({ from: 41, to: 49 })
  expect(coveredBy(window("backward", 30, 49), read(31, 49), undefined)).toEqual({
    from: 30,
    to: 49,
  })
  // The newest points up to a day say nothing of those before the oldest, and may lack part of its day.
  const all: Pending = { purpose: "probe", from: undefined, to: 49 }
  expect(coveredBy(all, read(10, 20), undefined)).toEqual({ from: 11, to: 49 })
})
