// Which gaps a step of a series resolves: those all of whose days have been read, and no sooner.
import { describe, expect, it } from "vitest"
import { endOfDay, MICROS_PER_DAY, startOfDay } from "../../../src/domain/values/time.ts"
import { ApiError } from "../../../src/domain/wire/errors.ts"
import type { WindowStep } from "../../../src/extract/paginators/dateWindows.ts"
import type { OpenGap } from "../../../src/pipelines/model/PartitionState.ts"
import type { RunContext } from "../../../src/pipelines/model/Pipeline.ts"
import { defaultRunSettings } from "../../../src/pipelines/model/runSettings.ts"
import {
  type ReadDays,
  rereadWindows,
  resolveGaps,
} from "../../../src/pipelines/strategies/rereads.ts"

const context: RunContext = { ...defaultRunSettings, today: 110, now: startOfDay(110) }

const gap = (from: number, to: number): OpenGap => ({
  fromAt: startOfDay(from),
  toAt: endOfDay(to),
})

type Content = { readonly times: ReadonlyArray<number>; readonly rejected: ReadonlyArray<unknown> }

const read = (
  covered: { readonly from: number; readonly to: number } | undefined,
  content: Content = { times: [], rejected: [] },
): WindowStep<Content> => ({
  _tag: "Read",
  window: { from: 0, to: 200 },
  content,
  points: content.times.length,
  rest: undefined,
  cursor: undefined,
  covered,
  suspicious: covered === undefined,
  cutOff: false,
  ignoresDates: false,
})

const failed = (missing: { readonly from: number; readonly to: number } | undefined) => ({
  _tag: "Failed" as const,
  window: { from: 0, to: 200 },
  missing,
  error: new ApiError({
    reason: { _tag: "ServerError" },
    endpoint: "e",
    subject: "a",
    status: 500,
    detail: "no",
    attempts: 1,
    responses: [],
  }),
  cursor: undefined,
})

/** The gaps closed by each of the steps, as days. */
const closedBy = (
  openGaps: ReadonlyArray<OpenGap>,
  ...steps: ReadonlyArray<WindowStep<Content>>
): ReadonlyArray<ReadonlyArray<readonly [number, number]>> => {
  let before: ReadDays = new Set()
  return steps.map((step) => {
    const { readDays, notes } = resolveGaps({ slots: undefined, openGaps }, context, before, step)
    before = readDays
    return notes
      .filter(({ state }) => state === "closed")
      .map(({ fromAt, toAt }) => [fromAt / MICROS_PER_DAY, (toAt + 1) / MICROS_PER_DAY - 1])
  })
}

describe("an open gap", () => {
  it("is closed by the step that reads the last of its days", () => {
    const steps = [
      read({ from: 10, to: 11 }),
      read({ from: 14, to: 20 }),
      read({ from: 12, to: 13 }),
    ]
    expect(closedBy([gap(10, 14)], ...steps)).toEqual([[], [], [[10, 14]]])
  })

  it("is closed once, and without the others", () => {
    const gaps = [gap(10, 11), gap(11, 12), gap(30, 30)]
    const steps = [
      read({ from: 10, to: 11 }),
      read({ from: 10, to: 12 }),
      read({ from: 0, to: 12 }),
    ]
    expect(closedBy(gaps, ...steps)).toEqual([[[10, 11]], [[11, 12]], []])
  })

  const rejected = read({ from: 0, to: 100 }, { times: [startOfDay(10)], rejected: [{}] })

  it("stays open where the response is suspicious", () => {
    expect(closedBy([gap(10, 10)], read(undefined))).toEqual([[]])
  })

  it("is replaced once where a record of the response was rejected, by the gap of the window", () => {
    const gaps = [gap(0, 3), gap(10, 10), gap(195, 205)]
    const steps = [rejected, read({ from: 0, to: 20 }), read({ from: 201, to: 205 })]
    expect(closedBy(gaps, ...steps)).toEqual([
      [
        [0, 3],
        [10, 10],
      ],
      [],
      [[195, 205]],
    ])
  })

  it("stays open where a record was rejected in a run that fills gaps, whose windows may divide it", () => {
    const step = { openGaps: [gap(10, 10)], slots: { slotMicros: 1, days: [] } }
    expect(resolveGaps(step, context, new Set(), rejected).notes).toEqual([])
  })

  it("is closed by a failure that is recorded as a gap of all its days, and by no other", () => {
    const gaps = [gap(10, 11), gap(20, 22)]
    expect(closedBy(gaps, failed(undefined), failed({ from: 10, to: 21 }))).toEqual([
      [],
      [[10, 11]],
    ])
  })

  it("is requested together with those that overlap or adjoin, as far as a window holds them", () => {
    const windows = (...gaps: ReadonlyArray<OpenGap>) =>
      rereadWindows({ slots: undefined, openGaps: gaps }, 10).map(({ from, to }) => [from, to])
    expect(windows(gap(1, 3), gap(3, 5), gap(6, 6), gap(8, 8))).toEqual([
      [1, 6],
      [8, 8],
    ])
    // None is divided, not even one that is longer than a window.
    expect(windows(gap(1, 8), gap(7, 12), gap(12, 30), gap(14, 14), gap(29, 33))).toEqual([
      [1, 8],
      [7, 12],
      [12, 30],
      [29, 33],
    ])
  })
})

describe("a missing slot", () => {
  const HOUR = MICROS_PER_DAY / 24
  const slots = {
    slotMicros: HOUR,
    days: [
      { day: 10, present: 23, missing: [startOfDay(10)] },
      { day: 11, present: 23, missing: [startOfDay(11) + 5 * HOUR] },
    ],
  }
  const notes = (step: WindowStep<Content>) =>
    resolveGaps({ slots, openGaps: [] }, context, new Set(), step).notes.map(
      ({ fromAt, toAt, state }) => [fromAt, toAt + 1, state],
    )

  it("that was read and is still missing becomes a permanent gap of that slot", () => {
    const found = [startOfDay(10) + HOUR / 2]
    const missing = startOfDay(11) + 5 * HOUR
    expect(notes(read({ from: 10, to: 11 }, { times: found, rejected: [] }))).toEqual([
      [missing, missing + HOUR, "permanent"],
    ])
    expect(notes(read({ from: 10, to: 10 }, { times: found, rejected: [] }))).toEqual([])
  })

  it("that could not be read, or was read before, is not given up", () => {
    expect(notes(failed({ from: 0, to: 200 }))).toEqual([])
    const rereads = { slots, openGaps: [] }
    const step = read({ from: 10, to: 11 })
    const { readDays, notes: first } = resolveGaps(rereads, context, new Set(), step)
    expect(first).toHaveLength(2)
    expect(resolveGaps(rereads, context, readDays, step).notes).toEqual([])
  })
})
