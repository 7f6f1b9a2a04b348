// Which windows of a dated series come next; days are small numbers.
import { expect, it } from "vitest"
import { backward, probe, split } from "../../../src/extract/paginators/nextDateWindows.ts"
import type { State } from "../../../src/extract/paginators/dateWindow.ts"

const state = (from: number, complete = false): State => ({
  cursor: { from, through: 100, newest: 100, complete },
  windowDays: 10,
  pending: [],
  failures: 0,
  isEmpty: false,
})
const bounds = (since?: number) => ({ since, windowDays: 10 })

it.each([
  ["the next ten days into the past", state(50), undefined, false, [40, 49]],
  ["with the day that may have been read in part", state(50), undefined, true, [41, 50]],
  ["no further than asked for", state(50), 45, false, [45, 49]],
] as const)("%s", (_, from, since, inclusive, [first, last]) => {
  expect(backward(bounds(since), from, inclusive)).toEqual([
    { from: first, to: last, purpose: "backward" },
  ])
})

it("nothing further once the beginning, or what was asked for, is reached", () => {
  expect(backward(bounds(), state(50, true), false)).toEqual([])
  expect(backward(bounds(50), state(50), false)).toEqual([])
  expect(probe(bounds(50), 50, true)).toEqual([])
  expect(probe(bounds(50), 50, false)).toHaveLength(1)
})

it("a full window is split into parts that adjoin, and later windows are as short", () => {
  const of = (purpose: "forward" | "backward", from: number, to: number) => {
    const { pending, windowDays } = split(state(0), { purpose, from, to })
    return { windowDays, parts: pending.map((part) => [part.from, part.to]) }
  }
  expect(of("forward", 1, 25)).toEqual({
    windowDays: 10,
    parts: [
      [1, 10],
      [11, 20],
      [21, 25],
    ],
  })
  expect(of("backward", 1, 7)).toEqual({
    windowDays: 4,
    parts: [
      [5, 7],
      [1, 4],
    ],
  })
  // The high-water mark of the whole window is that of its last part, before which no other may claim it.
  const rest = { purpose: "forward", from: 1, to: 25, verifies: 40 } as const
  expect(split(state(0), rest).pending.map(({ verifies }) => verifies)).toEqual([
    undefined,
    undefined,
    40,
  ])
})
