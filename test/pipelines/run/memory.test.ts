// What is remembered of a request: an absence for days, a response for as long as the server's cache repeats it; however
// many runs came before.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ahead } from "../../support/movableClock.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { asAdmin } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

const vault = `0x${"ab".repeat(20)}`
const subaccount = `0x${"cd".repeat(20)}`

/** Makes the tasks of earlier runs so much older. */
const letPass = (dataDir: string, interval: string): Effect.Effect<void> =>
  change(
    dataDir,
    `update ops.tasks set finished_at = finished_at - interval ${interval}`,
    "checkpoint",
  )

type Reply = readonly [status: number, body: unknown]

/** A service with a vault and a subaccount; `reply` answers every other request. */
const service = (reply: (url: URL) => Reply) =>
  scriptedServer(({ url }, response) => {
    response.setHeader("date", new Date().toUTCString())
    const requested = new URL(url, "http://service")
    const listed: Record<string, unknown> = {
      "/tokenized_vault": requested.search.includes("active") ? [{ address: vault, chain: 1 }] : [],
      "/subaccount": [{ address: subaccount, status: "active" }],
      "/subaccounts": [],
    }
    const list = listed[requested.pathname]
    if (list !== undefined) return json(response, list)
    const [status, body] = reply(requested)
    json(response, body, status)
  })

const directory = new Set(["/tokenized_vault", "/subaccount", "/subaccounts"])

/** A run, and its requests except for the directories. */
const sync = Effect.fnUntraced(function* (
  server: Effect.Success<ReturnType<typeof service>>,
  dataDir: string,
  pipelines: ReadonlyArray<string>,
) {
  const from = server.requests.length
  const { summary } = yield* runOnce(server.url, dataDir, {
    pipelines,
    api: { ...asAdmin, retryBudgetSeconds: 0 },
  })
  const requests = server.requests
    .slice(from)
    .map(({ url }) => new URL(url, "http://service"))
    .filter(({ pathname }) => !directory.has(pathname) && !pathname.startsWith("/curator"))
    .map(({ pathname, searchParams }) => searchParams.get("calculationPeriod") ?? pathname)
  return { requests: requests.toSorted((a, b) => a.localeCompare(b)), outcome: summary.outcome }
})

const HOUR_MILLIS = 3_600_000

describe("what was read with the clock ahead", () => {
  it.live("is read again once the clock is right, whether cached or absent", () =>
    Effect.gen(function* () {
      const server = yield* service(({ pathname }) =>
        pathname.includes("loans") ? [200, [{ id: "a" }]] : [400, { detail: "not supported" }],
      )
      const dataDir = yield* temporaryFolder
      const pipelines = ["loans", "annualized_apy"]
      const first = yield* ahead(1.5 * HOUR_MILLIS, sync(server, dataDir, pipelines))
      expect(first.requests).toHaveLength(2)
      expect(yield* sync(server, dataDir, pipelines)).toEqual(first)
      // Its tasks stand after those of the run before, so they are in the future too.
      expect(yield* sync(server, dataDir, pipelines)).toEqual(first)
      yield* letPass(dataDir, "6 hours")
      expect((yield* sync(server, dataDir, pipelines)).requests).toEqual(["/dashboard/loans"])
      expect((yield* sync(server, dataDir, pipelines)).requests).toHaveLength(1)
    }),
  )
})

describe("a clock 50 years ahead", () => {
  it.live("loads nothing and leaves no trace that would date later runs", () =>
    Effect.gen(function* () {
      const server = yield* service(() => [200, [{ id: "a" }]])
      const dataDir = yield* temporaryFolder
      const error = yield* Effect.flip(
        ahead(
          50 * 365 * 24 * HOUR_MILLIS,
          runOnce(server.url, dataDir, { pipelines: ["loans"], api: asAdmin }),
        ),
      )
      expect(error).toMatchObject({ _tag: "ClockWrong" })
      expect(error.message).toMatch(/clock says \d{4}-.* 18250 days ahead of the service's/)
      yield* runOnce(server.url, dataDir, { pipelines: ["loans"], api: asAdmin })
      const [stamps] = yield* query(
        dataDir,
        `select (select max(valid_from) from core.loans) < now()::timestamp + interval 1 hour as rows,
           (select max(finished_at) from ops.tasks) < now()::timestamp + interval 1 hour as tasks,
           (select max(started_at) from ops.runs) < now()::timestamp + interval 1 hour as runs,
           (select max(changed_at) from ops.partition_changes) < now()::timestamp + interval 1 hour
             as changes`,
      )
      expect(stamps).toEqual({ rows: true, tasks: true, runs: true, changes: true })
    }),
  )
})

describe("what the server has in its cache", () => {
  it.live("is not requested again, in the second run nor in any later one", () =>
    Effect.gen(function* () {
      const server = yield* service(({ pathname }) =>
        pathname.includes("debank")
          ? [200, { positions: [{ protocol: "aave" }] }]
          : pathname.includes("performance_fees")
            ? [200, { total_perf_fees_asset: 1 }]
            : [200, []],
      )
      const dataDir = yield* temporaryFolder
      const pipelines = ["loans", "discount_factors", "protocol_positions", "performance_fees"]
      const first = yield* sync(server, dataDir, pipelines)
      expect(first.requests).toContain("/dashboard/loans")
      expect(first.requests).toHaveLength(5)
      const all = first.requests
      yield* letPass(dataDir, "1 hour")
      expect((yield* sync(server, dataDir, pipelines)).requests).toEqual(all)
      expect((yield* sync(server, dataDir, pipelines)).requests).toEqual([])
      // 60 s, 300 s and 20 min (§8).
      yield* letPass(dataDir, "70 seconds")
      expect((yield* sync(server, dataDir, pipelines)).requests).toEqual([
        "/dashboard/loans",
        "/risk/discount_factors",
      ])
      yield* letPass(dataDir, "4 minutes")
      const later = (yield* sync(server, dataDir, pipelines)).requests
      expect(later).toHaveLength(3)
      expect(later).toContainEqual(expect.stringContaining("debank"))
    }),
  )
})

describe("an absence", () => {
  it.live("is remembered though the request failed before", () =>
    Effect.gen(function* () {
      const replies: ReadonlyArray<Reply> = [
        [418, { detail: "later" }],
        [400, { detail: "vault not supported" }],
      ]
      let run = 0
      const server = yield* service(() => replies[run] ?? [500, {}])
      const dataDir = yield* temporaryFolder
      const pipelines = ["annualized_apy"]
      expect((yield* sync(server, dataDir, pipelines)).outcome).toBe("partial")
      run = 1
      yield* letPass(dataDir, "1 hour")
      const refused = yield* sync(server, dataDir, pipelines)
      expect(refused.outcome).toBe("complete")
      expect(refused.requests).toHaveLength(1)
      for (const interval of ["1 hour", "5 days"]) {
        yield* letPass(dataDir, interval)
        expect((yield* sync(server, dataDir, pipelines)).requests, interval).toEqual([])
      }
      yield* letPass(dataDir, "2 days")
      expect((yield* sync(server, dataDir, pipelines)).requests).toHaveLength(1)
    }),
  )

  it.live("is none where there were rows: it is requested again, and the rows stay", () =>
    Effect.gen(function* () {
      let isNewMonth = false
      const server = yield* service(({ searchParams }) =>
        isNewMonth && searchParams.get("calculationPeriod") === "MonthToDate"
          ? [400, { detail: "insufficient snapshot data" }]
          : [200, { total_perf_fees_asset: 1 }],
      )
      const dataDir = yield* temporaryFolder
      const requests = () =>
        Effect.map(sync(server, dataDir, ["performance_fees"]), (each) => each.requests)
      expect(yield* requests()).toEqual(["MonthToDate", "YearToDate"])
      isNewMonth = true
      for (const _ of [1, 2]) {
        yield* letPass(dataDir, "1 hour")
        expect(yield* requests()).toEqual(["MonthToDate", "YearToDate"])
      }
      const found = yield* query(
        dataDir,
        `select (select count(*)::int from core.performance_fees where is_current) as rows,
           (select arg_max(outcome, finished_at) from ops.tasks where "window" = 'MonthToDate') as outcome`,
      )
      expect(found).toEqual([{ rows: 2, outcome: "suspicious_empty" }])
    }),
  )

  it.live("of one request about a vault leaves the others as they are", () =>
    Effect.gen(function* () {
      const server = yield* service(({ searchParams }) =>
        searchParams.get("calculationPeriod") === "MonthToDate"
          ? [404, { detail: "insufficient snapshot data" }]
          : [200, { total_perf_fees_asset: 1 }],
      )
      const dataDir = yield* temporaryFolder
      const requests = () =>
        Effect.map(sync(server, dataDir, ["performance_fees"]), (each) => each.requests)
      expect(yield* requests()).toEqual(["MonthToDate", "YearToDate"])
      for (const _ of [1, 2, 3]) {
        yield* letPass(dataDir, "1 hour")
        expect(yield* requests()).toEqual(["YearToDate"])
        expect(yield* requests()).toEqual([])
      }
      yield* letPass(dataDir, "7 days")
      expect(yield* requests()).toEqual(["MonthToDate", "YearToDate"])
      const outcomes = yield* query(
        dataDir,
        `select distinct "window", outcome from ops.tasks where pipeline = 'performance_fees' order by all`,
      )
      expect(outcomes).toEqual([
        { window: "MonthToDate", outcome: "empty" },
        { window: "YearToDate", outcome: "loaded" },
        { window: "YearToDate", outcome: "unchanged" },
      ])
    }),
  )
})
