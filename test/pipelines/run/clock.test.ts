// The machine's clock against the dates of the service's responses: what is reported, what is refused, what says nothing.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readProblems } from "../../../src/pipelines/readers/problems/problems.ts"
import { asAdmin } from "../../support/simulated.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Dated {
  readonly date: string | undefined
  readonly age?: string
}

const behind = (millis: number): string => new Date(Date.now() - millis).toUTCString()

/** Runs against a service whose responses have these headers. */
const dated = Effect.gen(function* () {
  let headers: Dated = { date: undefined }
  const server = yield* scriptedServer((_, response) => {
    response.sendDate = false
    if (headers.date !== undefined) response.setHeader("date", headers.date)
    if (headers.age !== undefined) response.setHeader("age", headers.age)
    json(response, [{ id: "a" }])
  })
  const dataDir = yield* temporaryFolder
  const sync = (of: Dated) => {
    headers = of
    const settings = { full: true }
    return runOnce(server.url, dataDir, { pipelines: ["loans"], api: asAdmin, settings })
  }
  return { dataDir, sync, problems: readProblems(dataDir) }
})

describe("a clock that is ahead of the service's", () => {
  it.live("by minutes is a problem until a run finds it right", () =>
    Effect.gen(function* () {
      const { sync, problems } = yield* dated
      const { summary } = yield* sync({ date: behind(20 * MINUTE) })
      expect(summary.outcome).toBe("complete")
      expect(summary.clockAheadSeconds).toBeGreaterThan(19 * 60)
      const [problem] = yield* problems
      expect(problem).toMatchObject({ kind: "clock_ahead", subject: "clock" })
      expect(problem?.text).toMatch(
        /^This machine's clock was \d+ min ahead of the service's in the last run, so its rows are dated ahead\.$/,
      )
      yield* sync({ date: behind(0) })
      expect(yield* problems).toEqual([])
    }),
  )

  it.live.each([
    ["hours", 3 * HOUR, /, 3(\.1)? h ahead/],
    ["days", 20 * 24 * HOUR, /, 20 days ahead/],
  ] as const)("by %s is refused, and leaves nothing", ([, millis, text]) =>
    Effect.gen(function* () {
      const { dataDir, sync, problems } = yield* dated
      const error = yield* Effect.flip(sync({ date: behind(millis) }))
      expect(error).toMatchObject({ _tag: "ClockAhead" })
      expect(error.message).toMatch(
        /^This machine's clock says \d{4}-\S+Z, .* ahead of the service's/,
      )
      expect(error.message).toMatch(text)
      expect(error.message).toContain("Set this machine's clock (NTP), then run again")
      expect((yield* problems)[0]).toMatchObject({ kind: "run_failed" })
      const [left] = yield* query(
        dataDir,
        "select (select count(*) from core.loans) + (select count(*) from ops.tasks) as rows",
      )
      expect(Number(left?.["rows"])).toBe(0)
      expect((yield* sync({ date: behind(0) })).summary.outcome).toBe("complete")
    }),
  )
})

describe("a service that is no witness", () => {
  it.live.each([
    ["without a date", { date: undefined }],
    ["with a text for a date", { date: "today" }],
    ["with the date of a server without a clock", { date: "Thu, 01 Jan 1970 00:00:07 GMT" }],
    [
      "behind a cache, which says how old its response is",
      { date: behind(HOUR * 5), age: "18000" },
    ],
    ["whose clock is ahead of this machine's", { date: behind(-50 * HOUR) }],
  ] satisfies ReadonlyArray<readonly [string, Dated]>)("%s", ([, headers]) =>
    Effect.gen(function* () {
      const { sync, problems } = yield* dated
      expect((yield* sync(headers)).summary.outcome).toBe("complete")
      expect(yield* problems).toEqual([])
    }),
  )
})
