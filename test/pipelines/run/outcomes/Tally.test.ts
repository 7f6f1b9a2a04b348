// What is counted of the tasks of a pipeline.
import { expect, it } from "vitest"
import { ApiError, type ApiErrorReason } from "../../../../src/domain/wire/errors.ts"
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
    name: "fees",
    title: "Fees",
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
  tally.delay(0.5)
  expect(tally.delaySeconds).toBe(0.5)
  for (const seconds of [30, 600, undefined, 60]) tally.delay(seconds)
  expect(tally.summary.delaySeconds).toBe(600)
})

it("has taken no time until it is finished, and has only outcomes that it counted", () => {
  const tally = new Tally("fees", "Fees", 1000)
  expect(tally.summary.seconds).toBe(0)
  tally.add("empty", 1, [], nothing)
  expect(tally.has("failed", "empty")).toBe(true)
  expect(tally.has("failed", "skipped")).toBe(false)
})

it("counts a task by what its commit changed, with its error and how long that asks to wait", () => {
  const tally = new Tally("fees", "Fees", 0)
  const result = { window: "w", rows: [], responses: [], requests: 3 }
  const changed = { inserted: 2, revised: 0, unchanged: 1 }
  tally.count(result, { outcome: "landed", rows: [] }, changed)
  tally.count(result, { outcome: "landed", rows: [] }, { ...changed, inserted: 0 })
  const failWith = (outcome: "failed" | "deferred", reason: ApiErrorReason) => {
    const error = new ApiError({
      reason,
      endpoint: "fees",
      subject: "-",
      status: undefined,
      detail: "",
      attempts: 1,
      responses: [],
    })
    const none = { inserted: 0, revised: 0, unchanged: 0 }
    tally.count({ ...result, error }, { outcome, rows: [], text: outcome }, none)
  }
  failWith("failed", { _tag: "ServerError" })
  expect(tally.delaySeconds).toBeUndefined()
  failWith("deferred", { _tag: "RateLimited", delaySeconds: 60 })
  expect(tally.summary).toMatchObject({
    outcomes: { loaded: 1, unchanged: 1, failed: 1, deferred: 1 },
    rowsInserted: 2,
    rowsRevised: 0,
    requests: 12,
    firstErrors: ["failed"],
    delaySeconds: 60,
  })
  expect([tally.tasks, tally.rows]).toEqual([4, 4])
})
