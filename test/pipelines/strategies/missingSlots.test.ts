// Which missing slots a run that fills gaps requests again, and which of them it gives up; days are small numbers.
import { describe, expect, it } from "vitest"
import type { RunContext } from "../../../src/pipelines/model/Pipeline.ts"
import { defaultRunSettings } from "../../../src/pipelines/model/runSettings.ts"
import {
  missingIn,
  type OldDays,
  permanentGaps,
  slotsToFill,
  stillMissing,
} from "../../../src/pipelines/strategies/missingSlots.ts"

const context: RunContext = { ...defaultRunSettings, today: 0, now: 0 }

const SLOT = 10

const slots = {
  slotMicros: SLOT,
  days: [1, 2, 3, 4, 5, 6].map((day) => ({ day, present: 1, missing: [day * 100] })),
}

/** The days of which slots are requested again. */
const filled = (old: OldDays | undefined, settings: Partial<RunContext> = {}) => {
  const wanted = slotsToFill(slots, old, { ...context, ...settings })
  // Days whose slots are not wanted stay known as days with points.
  if (wanted !== undefined) expect(wanted.days.map(({ day }) => day)).toEqual([1, 2, 3, 4, 5, 6])
  return missingIn(wanted).map((slot) => slot / 100)
}

describe("missing slots are requested again", () => {
  it("on days that were read before, and that the run does not read anyway", () => {
    expect(filled({ before: 5 })).toEqual([1, 2, 3, 4])
    expect(filled({ from: 2, before: 5 })).toEqual([2, 3, 4])
  })

  it("on days within the range of the run", () => {
    expect(filled({ from: 2, before: 6 }, { since: 3, until: 4 })).toEqual([3, 4])
    expect(filled({ from: 2, before: 6 }, { since: 1 })).toEqual([2, 3, 4, 5])
  })

  it("in no run that reads everything, nor where nothing was read before", () => {
    expect(filled({ before: 5 }, { full: true })).toEqual([])
    expect(filled(undefined)).toEqual([])
    expect(slotsToFill(undefined, { before: 5 }, context)).toBeUndefined()
  })
})

it("a slot is no longer missing with a point at any moment of it", () => {
  expect(stillMissing([0, 10, 20, 30], slots, [9, 10, 31])).toEqual([20])
})

it("slots that adjoin are given up as one gap, up to their last microsecond", () => {
  const gaps = permanentGaps([40, 10, 20], slots, context)
  expect(gaps).toMatchObject([
    { fromAt: 10, toAt: 29, state: "permanent", reason: "unreachable" },
    { fromAt: 40, toAt: 49, state: "permanent", reason: "unreachable" },
  ])
  expect(permanentGaps([], slots, context)).toEqual([])
})
