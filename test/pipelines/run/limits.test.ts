// Limits that the service does not document: the size of a response, the rate of requests, the tier of an endpoint.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Simulator } from "../../../simulator/index.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { movableClock } from "../../support/movableClock.ts"
import { asAdmin, expectTruth, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

// In the past of every clock that runs this.
const now = "2026-06-01T12:00:00Z"

/** The status of each response, in the order of the requests. */
const statuses = (simulator: Simulator): ReadonlyArray<number> =>
  simulator.requests().last.map(({ status }) => status)

const refusedOf = (answers: ReadonlyArray<number>): number =>
  answers.filter((status) => status === 429).length

const PER_SECOND = 60

/** What `expectTruth` compares. */
const histories = ["ratio_history", "pnl_history", "apy_history", "allocation_history"]

describe("limits", () => {
  it.live("a service that returns 300 ratio points at once, whatever the limit", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now,
        days: 100,
        pnlEveryHours: 6,
        vaults: 3,
        ratioCap: 300,
      })
      const dataDir = yield* temporaryFolder
      const first = yield* runOnce(simulator.url, dataDir, { pipelines: histories })
      expect(first.summary.outcome).toBe("complete")
      yield* expectTruth(simulator, dataDir)
      // A month later: more came since than one answer holds.
      simulator.patch({ now: "2026-07-01T12:00:00Z", revision: 1 })
      const second = yield* runOnce(simulator.url, dataDir, { pipelines: histories })
      expect(second.summary.outcome).toBe("complete")
      yield* expectTruth(simulator, dataDir)
    }),
  )

  it.live("an unknown rate limit: everything lands, and few requests are refused", () =>
    Effect.gen(function* () {
      const platform = { now, days: 20, vaults: 8, subaccounts: 6 }
      const api = asAdmin
      // By a clock as slow as the machine, which could thus always request more often than it may.
      const unlimited = yield* simulated({ ...platform, vaults: 3 })
      const measured = yield* runOnce(unlimited.url, yield* temporaryFolder, { api })
      const perSecond = measured.summary.requests / measured.summary.seconds
      const rateLimit = {
        requestsPerSecond: PER_SECOND,
        burst: PER_SECOND,
        retryAfter: "seconds",
        scope: "all",
      } as const
      const limited = Effect.fnUntraced(function* (faster: number) {
        const clock = movableClock({ slowness: Math.max(1, (faster * PER_SECOND) / perSecond) })
        const simulator = yield* simulated({ ...platform, rateLimit }, clock)
        const dataDir = yield* temporaryFolder
        const { summary } = yield* clock.under(runOnce(simulator.url, dataDir, { api }))
        return { clock, simulator, dataDir, summary, isMet: statuses(simulator).includes(429) }
      })
      // The machine may have become slower since.
      let run = yield* limited(1.5)
      if (!run.isMet) run = yield* limited(5)
      if (!run.isMet) run = yield* limited(15)
      const { clock, simulator, dataDir, summary } = run
      expect(summary.outcome).toBe("complete")
      yield* expectTruth(simulator, dataDir)
      const starved = summary.pipelines.filter(
        ({ outcomes: { deferred, failed, quarantined } }) =>
          deferred !== undefined || failed !== undefined || quarantined !== undefined,
      )
      expect(starved).toEqual([])
      const answers = statuses(simulator)
      // The limit is met, by requests that were under way when it was found; from then on hardly ever.
      const met = answers.indexOf(429)
      expect(met).toBeGreaterThan(-1)
      const later = answers.slice(met + 32)
      expect(later.length).toBeGreaterThan(100)
      // One in a hundred, and of so few two: the search for the limit goes on for a minute.
      expect(refusedOf(later)).toBeLessThanOrEqual(Math.max(2, later.length / 100))

      // The next run starts from the limit that this one found: no burst of refusals again.
      const [learnt] = yield* query(dataDir, "select requests_per_second as rate from ops.runs")
      expect(Number(learnt?.["rate"])).toBeGreaterThan(0.7 * PER_SECOND)
      expect(Number(learnt?.["rate"])).toBeLessThan(1.4 * PER_SECOND)
      simulator.patch({ now: "2026-06-02T12:00:00Z" })
      const before = statuses(simulator).length
      const second = yield* clock.under(runOnce(simulator.url, dataDir, { api }))
      expect(second.summary.outcome).toBe("complete")
      const next = statuses(simulator).slice(before)
      expect(next.length).toBeGreaterThan(100)
      expect(refusedOf(next)).toBeLessThanOrEqual(2)
    }),
  )

  it.live("rows whose tier the document does not show may be for curators alone", () =>
    Effect.gen(function* () {
      const tiers = { timelockRequests: "curator", performanceFees: "curator" } as const
      const simulator = yield* simulated({ now, days: 20, vaults: 3, tiers })
      const dataDir = yield* temporaryFolder
      const pipelines = ["timelock_requests", "performance_fees"]
      const run = (key: string) =>
        Effect.map(
          runOnce(simulator.url, dataDir, { pipelines, api: { apiKey: Redacted.make(key) } }),
          ({ summary }) => [
            summary.outcome,
            ...pipelines.map((name) => {
              const found = summary.pipelines.find((each) => each.name === name)
              return Object.keys(found?.outcomes ?? {}).toSorted()
            }),
          ],
        )
      // Refused is not failed: it is reported, and requested again with another key.
      expect(yield* run("demo-user-key")).toEqual(["complete", ["skipped"], ["skipped"]])
      // The youngest vault has no fees yet.
      expect(yield* run("demo-curator-key")).toEqual(["complete", ["loaded"], ["empty", "loaded"]])
      const [held] = yield* query(
        dataDir,
        `select (select count(*) from core.timelock_requests) > 0 as requests,
           (select count(*) from core.performance_fees) > 0 as fees`,
      )
      expect(held).toEqual({ requests: true, fees: true })
    }),
  )

  it.live("a key may get 401 for vaults of other curators, or for all there is", () =>
    Effect.gen(function* () {
      const vaults = [1, 2, 3].map((n) => ({ address: `0x${`${n}`.repeat(40)}`, chain: 1 }))
      const own = vaults[1]?.address ?? ""
      const asked: Array<string> = []
      let isAccepted = true
      const server = yield* scriptedServer(({ url }, response) => {
        const needsKey = !url.startsWith("/tokenized_vault")
        const isForOthers = url !== "/subaccounts" && !url.includes(own)
        if (needsKey) asked.push(url.split("?")[0] ?? "")
        if (needsKey && (isForOthers || !isAccepted)) {
          return json(response, { detail: "Not authorized" }, 401)
        }
        const isFees = url.includes("performance_fees")
        json(response, isFees ? { total_perf_fees_asset: 1 } : url.endsWith("active") ? vaults : [])
      })
      const pipelines = ["timelock_requests", "performance_fees"]
      const run = Effect.fnUntraced(function* () {
        asked.length = 0
        const dataDir = yield* temporaryFolder
        const api = { apiKey: Redacted.make("key") }
        const { summary } = yield* runOnce(server.url, dataDir, { pipelines, api })
        return summary.pipelines.flatMap(({ name, outcomes }) =>
          pipelines.includes(name) ? [[name, outcomes]] : [],
        )
      })
      expect(Object.fromEntries(yield* run())).toEqual({
        timelock_requests: { skipped: 2, empty: 1 },
        // The year and the month to date.
        performance_fees: { skipped: 4, loaded: 2 },
      })
      isAccepted = false
      yield* run()
      expect(asked.toSorted()).toEqual([
        "/metrics/vault_performance_fees",
        "/metrics/vault_performance_fees",
        "/subaccounts",
        "/timelock-requests",
      ])
    }),
  )

  it.live("a chain that can be traced later is requested again", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days: 20, vaults: 1, tracingChains: [] })
      const dataDir = yield* temporaryFolder
      const revertReasons = [{ chainId: 8453, transactionHash: `0x${"c".repeat(64)}` }]
      const run = runOnce(simulator.url, dataDir, {
        pipelines: ["revert_reasons"],
        settings: { revertReasons },
        unsupportedRetryDays: 0,
      })
      const explained = query(dataDir, "select chain_id::integer as chain from core.revert_reasons")
      expect((yield* run).summary.outcome).toBe("complete")
      expect(yield* explained).toEqual([])
      simulator.patch({ tracingChains: [8453] })
      expect((yield* run).summary.outcome).toBe("complete")
      expect(yield* explained).toEqual([{ chain: 8453 }])
    }),
  )
})
