// The machine's clock against the dates of the service's responses: what is reported, what is refused, what says nothing.
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import { readManifest } from "../../../src/load/published/parquet/manifest.ts"
import { publishAnyway } from "../../../src/pipelines/publication/publish.ts"
import { compact } from "../../../src/pipelines/archive/compact.ts"
import { type LastRun, lastRunFile } from "../../../src/pipelines/run/lastRun.ts"
import { readProblems } from "../../../src/pipelines/readers/problems/problems.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { ahead } from "../../support/movableClock.ts"
import { segments } from "../../support/replays.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Dated {
  readonly date: string | undefined
  readonly age?: string
}

const agoText = (millis: number): string => new Date(Date.now() - millis).toUTCString()

/** Runs against a service whose responses have these headers. */
const dated = Effect.gen(function* () {
  let headers: Dated = { date: undefined }
  const server = yield* scriptedServer((_, response) => {
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

describe("a clock that differs from the service's", () => {
  it.live.each([
    ["ahead", 20 * MINUTE, "ahead of the service's in the last run, so its rows are dated ahead."],
    [
      "behind",
      -20 * MINUTE,
      "behind the service's in the last run, so the points of a day that had just begun are read by a later run.",
    ],
  ] as const)("by minutes is a problem until a run finds it right: %s", ([way, millis, text]) =>
    Effect.gen(function* () {
      const { sync, problems } = yield* dated
      const { summary } = yield* sync({ date: agoText(millis) })
      expect(summary.outcome).toBe("complete")
      const seconds = (summary.clockAheadSeconds ?? 0) * Math.sign(millis)
      expect(seconds).toBeGreaterThan(15 * 60)
      const [problem] = yield* problems
      expect(problem).toMatchObject({ kind: `clock_${way}`, subject: "clock" })
      expect(problem?.text).toMatch(/^This machine's clock was \d+ min /)
      expect(problem?.text).toContain(text)
      expect(problem?.advice).toContain("tell the service's operator")
      yield* sync({ date: agoText(0) })
      expect(yield* problems).toEqual([])
    }),
  )

  it.live.each([
    ["hours ahead", 3 * HOUR, /, 3(\.1)? h ahead of the service's/],
    ["days ahead", 20 * 24 * HOUR, /, 20 days ahead of the service's/],
    ["hours behind", -5 * HOUR, /, (5|4\.\d) h behind the service's/],
    ["days behind", -20.5 * 24 * HOUR, /, 20 days behind the service's/],
  ] as const)("by %s is refused, and leaves nothing", ([, millis, text]) =>
    Effect.gen(function* () {
      const { dataDir, sync, problems } = yield* dated
      const error = yield* Effect.flip(sync({ date: agoText(millis) }))
      expect(error).toMatchObject({ _tag: "ClockWrong" })
      expect(error.message).toMatch(/^This machine's clock says \d{4}-\S+Z, /)
      expect(error.message).toMatch(text)
      expect(error.message).toContain("Set the clock (NTP), then run again")
      const other = millis > 0 ? "behind" : "ahead"
      expect(error.message).toContain(
        `the service's clock is ${other}, and only its operator can correct it.`,
      )
      expect((yield* problems)[0]).toMatchObject({ kind: "run_failed" })
      const [left] = yield* query(
        dataDir,
        "select (select count(*) from core.loans) + (select count(*) from ops.tasks) as rows",
      )
      expect(Number(left?.["rows"])).toBe(0)
      expect(segments(dataDir)).toEqual([])
      expect((yield* sync({ date: agoText(0) })).summary.outcome).toBe("complete")
    }),
  )

  it.live("warns of archive files that can't be removed", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const server = yield* scriptedServer((_, response) => {
        const { run_id } = JSON.parse(readFileSync(lastRunFile(dataDir), "utf8")) as LastRun
        // A folder is no file of the archive, so the run's files can't be listed.
        mkdirSync(join(dataDir, "raw", `${run_id}.other.ndjson.zst`), { recursive: true })
        response.setHeader("date", agoText(3 * HOUR))
        json(response, [{ id: "a" }])
      })
      const logged: Array<string> = []
      const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      const run = runOnce(server.url, dataDir, { pipelines: ["loans"], api: asAdmin })
      expect(yield* Effect.flip(Effect.provide(run, log))).toMatchObject({ _tag: "ClockWrong" })
      expect(logged).toContainEqual(
        expect.stringMatching(/^archive files of this run stay: .*\.other\.ndjson\.zst/),
      )
    }),
  )
})

describe("a run that a clock 5 h ahead ended", () => {
  it.live("leaves published what was published before, and nothing dated ahead", () =>
    Effect.gen(function* () {
      const { dataDir, sync } = yield* dated
      const publish = publishAnyway({ dataDir, rebuildAll: false, parquet: { marts: false } })
      const tables = Effect.map(
        Effect.promise(() => readManifest(dataDir)),
        (manifest) => manifest?.files.map(({ table, rows }) => `${table} ${rows}`).toSorted(),
      )
      yield* sync({ date: agoText(0) })
      yield* publish
      const before = yield* tables
      expect(before).toContain("runs 1")
      const began = Date.now()
      yield* Effect.flip(ahead(5 * HOUR, sync({ date: agoText(0) })))
      yield* publish
      const count = (text: string): string => text.replace(/^(publications) \d+$/, "$1")
      expect((yield* tables)?.map(count)).toEqual(before?.map(count))
      const marks = "select epoch_ms(max(changed_at))::double as at from ops.partition_changes"
      expect(Number((yield* query(dataDir, marks))[0]?.["at"])).toBeLessThan(began + HOUR)
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
      { date: agoText(HOUR * 5), age: "18000" },
    ],
  ] satisfies ReadonlyArray<readonly [string, Dated]>)("%s", ([, headers]) =>
    Effect.gen(function* () {
      const { sync, problems } = yield* dated
      expect((yield* sync(headers)).summary.outcome).toBe("complete")
      expect(yield* problems).toEqual([])
    }),
  )
})

describe("a clock a year ahead for one run", () => {
  const YEAR = 365 * 24 * HOUR
  const times = `select max(_updated_at) as written_at from core.loans
    union all select max(received_at) from raw.responses
    union all select max(greatest(started_at, finished_at)) from ops.runs
    union all select max(finished_at) from ops.tasks
    union all select max(changed_at) from ops.partition_changes`

  /** A run a year ahead between two with the right clock. */
  const between = Effect.fnUntraced(function* (isReachable: boolean) {
    let loan = 0
    const server = yield* scriptedServer((_, response) => {
      response.sendDate = false
      loan += 1
      json(response, [{ id: `loan ${loan}` }])
    })
    const dataDir = yield* temporaryFolder
    const sync = (url: string) =>
      runOnce(url, dataDir, {
        pipelines: ["loans"],
        api: { ...asAdmin, retryBudgetSeconds: 0 },
        settings: { full: true },
      })
    yield* sync(server.url)
    // Port 1 answers nothing.
    const other = isReachable ? server.url : "http://127.0.0.1:1"
    const { summary } = yield* ahead(YEAR, sync(other))
    expect(summary.outcome).toBe(isReachable ? "complete" : "failed")
    const last = yield* sync(server.url)
    expect(last.summary.outcome).toBe("complete")
    const [latest] = yield* query(
      dataDir,
      `select max(written_at)::varchar as newest_at from (${times})`,
    )
    const runs = yield* query(
      dataDir,
      `select string_agg(outcome, ' ' order by started_at) as outcomes,
         (select arg_max(outcome, finished_at) from ops.tasks) as newest from ops.runs`,
    )
    return {
      daysAhead: Math.floor(
        (Date.parse(`${String(latest?.["newest_at"])}Z`) - Date.now()) / (24 * HOUR) + 0.5,
      ),
      runs: runs[0],
      problems: yield* readProblems(dataDir),
    }
  })

  it.live("that could not reach the service dates nothing ahead", () =>
    Effect.gen(function* () {
      expect(yield* between(false)).toEqual({
        daysAhead: 0,
        runs: { outcomes: "complete failed complete", newest: "loaded" },
        problems: [],
      })
    }),
  )

  it.live("that stored rows is a problem as long as later ones are dated after them", () =>
    Effect.gen(function* () {
      const { daysAhead, problems } = yield* between(true)
      expect(daysAhead).toBe(365)
      expect(problems).toMatchObject([{ kind: "clock_ahead" }])
      expect(problems[0]?.text).toMatch(
        /^A wrong clock dated the newest rows 36\d days ahead of the present/,
      )
    }),
  )
})

it.live("a clock that is behind changes no time of an outage", () =>
  Effect.gen(function* () {
    const server = yield* scriptedServer((_, response) => {
      response.sendDate = false
      json(response, [{ id: "loan" }])
    })
    const dataDir = yield* temporaryFolder
    const api = { ...asAdmin, retryBudgetSeconds: 0 }
    const sync = (url: string) =>
      runOnce(url, dataDir, { pipelines: ["loans"], api, settings: { full: true } })
    yield* sync(server.url)
    for (const hours of [1, 24, 48]) yield* ahead(hours * HOUR, sync("http://127.0.0.1:1"))
    const failed = query(
      dataDir,
      `select count(*)::int as n, date_sub('hour', min(started_at), max(started_at))::int as hours
       from ops.runs where outcome = 'failed'`,
    )
    const before = yield* failed
    expect(before).toEqual([{ n: 3, hours: 47 }])
    // As after a start without a clock.
    yield* ahead(-6 * 365 * 24 * HOUR, compact({ dataDir }))
    expect(yield* failed).toEqual(before)
  }),
)

describe("dates of which only some are wrong", () => {
  /** Reads the loans and then the details of each; `ago`: how old their responses are by their date. */
  const reading = Effect.fnUntraced(function* (ago: {
    readonly loans: number | undefined
    readonly details: ReadonlyArray<number>
  }) {
    const simulator = yield* simulated({ days: 5, vaults: 1, subaccounts: 4, serverCaches: false })
    let details = 0
    const server = yield* scriptedServer(({ url, headers }, response) => {
      const isDetail = url.startsWith("/subaccount/loans/")
      const millis = isDetail ? ago.details[details++ % ago.details.length] : ago.loans
      if (millis !== undefined) response.setHeader("date", agoText(millis))
      const apiKey = String(headers["x-api-key"])
      void fetch(`${simulator.url}${url}`, { headers: { "x-api-key": apiKey } }).then(
        async (answer) => json(response, await answer.json(), answer.status),
      )
    })
    const dataDir = yield* temporaryFolder
    const pipelines = ["loans", "loan_details"]
    const result = yield* Effect.result(runOnce(server.url, dataDir, { pipelines, api: asAdmin }))
    const [left] = yield* query(
      dataDir,
      `select (select count(*)::integer from core.loans) as loans, (select count(*)::integer from core.loan_details) as details,
          (select string_agg(outcome, ' ') from ops.runs) as runs, (select count(*)::integer from ops.tasks) as tasks`,
    )
    return { result, left }
  })

  it.live("one that is odd in the middle of a run ends nothing", () =>
    Effect.gen(function* () {
      const { result, left } = yield* reading({ loans: 0, details: [0, -20 * 24 * HOUR, 0] })
      expect(Result.getOrThrow(result).summary).toMatchObject({ outcome: "complete" })
      expect(Result.getOrThrow(result).summary.clockAheadSeconds).toBeUndefined()
      expect(left).toMatchObject({ runs: "complete" })
      expect(Number(left?.["details"])).toBeGreaterThan(1)
    }),
  )

  it.live("all from the middle of a run on end it", () =>
    Effect.gen(function* () {
      const { result, left } = yield* reading({ loans: 0, details: [20 * 24 * HOUR] })
      expect(String(Result.getFailure(result))).toContain("Nothing more was loaded: ")
      expect(left).toMatchObject({ runs: "failed" })
    }),
  )

  it.live("from the first on, nothing is loaded and the run is forgotten", () =>
    Effect.gen(function* () {
      const { result, left } = yield* reading({ loans: 20 * 24 * HOUR, details: [0] })
      expect(String(Result.getFailure(result))).toContain("Nothing was loaded: ")
      expect(left).toEqual({ loans: 0, details: 0, runs: null, tasks: 0 })
    }),
  )

  it.live(
    "after responses without a date, what these brought stays, with the run that failed",
    () =>
      Effect.gen(function* () {
        const { result, left } = yield* reading({ loans: undefined, details: [20 * 24 * HOUR] })
        expect(String(Result.getFailure(result))).toContain("Nothing more was loaded: ")
        expect(left).toMatchObject({ details: 0, runs: "failed" })
        expect(Number(left?.["loans"])).toBeGreaterThan(1)
      }),
  )
})
