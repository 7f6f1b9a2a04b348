// What is counted of the tasks of a pipeline.
import { expect, it } from "vitest"
import { Tally } from "../../../../src/pipelines/run/Tally.ts"

const nothing = { inserted: 0, revised: 0, unchanged: 0, requests: 1 }

it("adds up the tasks, rows and requests, and keeps the first errors", () => {
  const tally = new Tally("fees", "Fees", 1000)
  tally.add("loaded", 1, [], { inserted: 3, revised: 2, unchanged: 1, requests: 4 })
  tally.add("loaded", 2, [], { ...nothing, inserted: 1 })
  tally.add("failed", 4, ["a", "b"], nothing)
  tally.add("failed", 2, ["c", "d"], nothing)
  tally.add("skipped", 1, ["no access"], nothing)
  tally.finish(3500)
  expect(tally.summary).toMatchObject({
    outcomes: { loaded: 3, failed: 6, skipped: 1 },
    rowsInserted: 4,
    rowsRevised: 2,
    requests: 8,
    seconds: 2.5,
    firstErrors: ["a", "b", "c"],
    skipped: "no access",
  })
  expect([tally.tasks, tally.rows]).toEqual([10, 7])
})

it("keeps the longest time that the service asks to wait", () => {
  const tally = new Tally("fees", "Fees", 0)
  tally.delay(undefined)
  expect(tally.delaySeconds).toBeUndefined()
  for (const seconds of [30, 600, undefined, 60]) tally.delay(seconds)
  expect(tally.summary.delaySeconds).toBe(600)
})
