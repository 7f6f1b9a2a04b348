// What the service has none of: distinguished from a wrong request, and remembered.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { defaultWire } from "../../../../src/extract/request.ts"
import { movableClock } from "../../../support/movableClock.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { asAdmin, simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { HANG_SECONDS, until, untilSo } from "../../../support/until.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

interface Received {
  readonly chain: number
  readonly address: string
}

const history = ["ratio_history", "pnl_history", "apy_history", "allocation_history"]
const transparency = [...history, "positions", "fees", "roles", "permissions", "timelocks"]

const outcomes = (dataDir: string, where: string) =>
  Effect.map(
    query(
      dataDir,
      `select distinct pipeline, outcome from ops.tasks
       where run_id = (select run_id from ops.runs order by started_at desc limit 1) and ${where} order by all`,
    ),
    (rows) => rows.map((row) => [String(row["pipeline"]), String(row["outcome"])]),
  )

const start = Effect.gen(function* () {
  const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 4 })
  const [vault] = simulator.truth.vaults
  const address = vault?.address.toLowerCase() ?? ""
  const unknown = {
    kind: "status",
    status: 404,
    detail: "Unknown vault",
    pathPrefix: "/platform",
    match: address,
  } as const
  return { simulator, address, unknown, dataDir: yield* temporaryFolder }
})

describe("404 of a vault", () => {
  it.live("of an unknown vault is an absence of every history, and remembered", () =>
    Effect.gen(function* () {
      const { simulator, address, unknown, dataDir } = yield* start
      simulator.patch({ faults: [unknown] })
      const first = yield* runOnce(simulator.url, dataDir, { pipelines: history })
      expect(first.summary.outcome).toBe("complete")
      expect(yield* outcomes(dataDir, `entity = '${address}'`)).toEqual(
        history.toSorted((a, b) => a.localeCompare(b)).map((name) => [name, "empty"]),
      )
      simulator.patch({ faults: [] })
      yield* runOnce(simulator.url, dataDir, { pipelines: history })
      expect(yield* outcomes(dataDir, `entity = '${address}'`)).toEqual([])
    }),
  )

  it.live("without a text is an absence too, if it comes before the first success", () =>
    Effect.gen(function* () {
      const { simulator, address, dataDir } = yield* start
      const refused: Array<string> = []
      // The other vaults have theirs a while after those of this one, which comes first.
      const inTurn = yield* scriptedServer((request, response) => {
        void (async () => {
          const isBelow = request.url.startsWith("/platform/")
          if (isBelow && request.url.toLowerCase().includes(address)) {
            refused.push(request.url)
            return json(response, { detail: "Not Found" }, 404)
          }
          if (isBelow) {
            await until("the fees and positions of it are refused", () => refused.length >= 2)
            await new Promise((resolve) => setTimeout(resolve, 500))
          }
          const returned = await fetch(simulator.url + request.url)
          return json(response, await returned.json(), returned.status)
        })()
      })
      const sync = movableClock().under(
        runOnce(inTurn.url, dataDir, { pipelines: ["fees", "positions"] }),
      )
      expect((yield* sync).summary.outcome).toBe("complete")
      expect(yield* outcomes(dataDir, `entity = '${address}'`)).toEqual([
        ["fees", "empty"],
        ["positions", "empty"],
      ])
      expect((yield* sync).summary.outcome).toBe("complete")
      expect(refused).toHaveLength(2)
    }),
  )

  it.live(
    "of a vault that had a history is suspicious: rows kept, a warning, requested again",
    () =>
      Effect.gen(function* () {
        const { simulator, address, unknown, dataDir } = yield* start
        yield* runOnce(simulator.url, dataDir, { pipelines: history })
        const rows = `select count(*) as n from core.ratio_history where vault_address = '${address}'`
        const before = yield* query(dataDir, rows)
        simulator.patch({ faults: [unknown] })
        const { events } = yield* runOnce(simulator.url, dataDir, { pipelines: history })
        expect(yield* outcomes(dataDir, `entity = '${address}'`)).toEqual(
          history.toSorted((a, b) => a.localeCompare(b)).map((name) => [name, "suspicious_empty"]),
        )
        const warned = events.flatMap((event) => (event.kind === "warning" ? [event.pipeline] : []))
        expect(new Set(warned)).toEqual(new Set(history))
        expect(yield* query(dataDir, rows)).toEqual(before)
        simulator.patch({ faults: [] })
        yield* runOnce(simulator.url, dataDir, { pipelines: history })
        const again = yield* outcomes(dataDir, `entity = '${address}'`)
        expect(again.map(([name]) => name)).toEqual(history.toSorted((a, b) => a.localeCompare(b)))
      }),
  )
})

describe("a refusal of what the service offered before", () => {
  it.live("is suspicious: rows kept, a warning, requested again by the next run", () =>
    Effect.gen(function* () {
      const { simulator, address, dataDir } = yield* start
      const response = yield* Effect.promise(() =>
        fetch(`${simulator.url}/risk/discount_factors`, {
          headers: { "x-api-key": "demo-admin-key" },
        }),
      )
      const [token] = (yield* Effect.promise(() => response.json())) as ReadonlyArray<Received>
      const scenario = {
        name: "one million",
        inputs: {
          loan_token_chain: token?.chain,
          loan_token_address: token?.address,
          loan_amount: 1_000_000,
          collateral_tokens: [[token?.chain, token?.address]],
          collateral_token_allocation: [1],
          on_platform: false,
        },
      }
      const clock = movableClock()
      const sync = Effect.gen(function* () {
        // Longer than a response is in the service's cache.
        clock.advance(3_600_000)
        const pipelines = ["collateral_simulations", "positions"]
        const options = { api: asAdmin, settings: { scenarios: [scenario] }, pipelines }
        const { events } = yield* clock.under(runOnce(simulator.url, dataDir, options))
        const own = `pipeline = 'collateral_simulations' or entity = '${address}'`
        const warned = events.flatMap((event) => (event.kind === "warning" ? [event.pipeline] : []))
        return {
          outcomes: yield* outcomes(dataDir, `(${own})`),
          warned: [...new Set(warned)].toSorted(),
        }
      })
      const both = (outcome: string) => [
        ["collateral_simulations", outcome],
        ["positions", outcome],
      ]
      expect(yield* sync).toEqual({ outcomes: both("loaded"), warned: [] })
      const refusal = { kind: "status", detail: "not offered" } as const
      simulator.patch({
        faults: [
          { ...refusal, status: 400, pathPrefix: "/risk/collateral_simulation" },
          { ...refusal, status: 422, pathPrefix: "/platform/positions", match: address },
        ],
      })
      for (const _ of ["at first", "for good"]) {
        expect(yield* sync).toEqual({
          outcomes: both("suspicious_empty"),
          warned: ["collateral_simulations", "positions"],
        })
      }
      simulator.patch({ faults: [] })
      const again = yield* sync
      expect(again.outcomes.map(([name]) => name)).toEqual(["collateral_simulations", "positions"])
      expect(again.warned).toEqual([])
    }),
  )
})

describe("404 of one series of a vault", () => {
  it.live("is an absence if that series had no rows, whatever has landed of the others", () =>
    Effect.gen(function* () {
      const { simulator, address, unknown, dataDir } = yield* start
      const found = query(
        dataDir,
        `select series, outcome from ops.tasks where entity = '${address}' order by finished_at, series`,
      )
      const unsmoothed = "applySmoothing=false"
      simulator.patch({ faults: [{ ...unknown, match: unsmoothed }] })
      // The refusal comes once the first series is committed.
      let isLoaded = false
      const inTurn = yield* scriptedServer((request, response) => {
        void (async () => {
          if (request.url.includes(unsmoothed)) await until("a series is loaded", () => isLoaded)
          const returned = await fetch(simulator.url + request.url)
          json(response, await returned.json(), returned.status)
        })()
      })
      yield* runOnce(inTurn.url, dataDir, {
        pipelines: ["apy_history"],
        vaults: { include: [address], exclude: [] },
        onProgress: (event) => {
          isLoaded ||= event.kind === "task" && event.pipeline === "apy_history"
        },
      })
      expect(yield* found).toEqual([
        { series: "apy_smoothed_7d", outcome: "loaded" },
        { series: "apy_unsmoothed_7d", outcome: "empty" },
      ])
    }),
  )
})

describe("a wrong request is no absence", () => {
  it.live("a name: the run fails with the setting, and all is there once that is made", () =>
    Effect.gen(function* () {
      const { simulator, dataDir } = yield* start
      simulator.patch({ wireCase: "snake" })
      const first = yield* runOnce(simulator.url, dataDir, { pipelines: transparency })
      expect(first.summary.outcome).toBe("partial")
      const named = ["allocation_history", "fees", "permissions", "positions", "roles", "timelocks"]
      expect(yield* outcomes(dataDir, "outcome = 'failed'")).toEqual(
        named.map((name) => [name, "failed"]),
      )
      expect(yield* outcomes(dataDir, "outcome in ('unsupported', 'empty')")).not.toContain("fees")
      const found = yield* query(
        dataDir,
        "select distinct error_text like '%requires `chain_id` and received `chainId`; set wire: { names: { chainId: chain_id } }, or wire.case%' as is_named from ops.tasks where outcome = 'failed'",
      )
      expect(found).toEqual([{ is_named: true }])
      const api = { wire: { ...defaultWire, case: "snake" as const } }
      const second = yield* runOnce(simulator.url, dataDir, { pipelines: transparency, api })
      expect(second.summary.outcome).toBe("complete")
      const [counted] = yield* query(dataDir, "select count(*) as n from core.fees")
      expect(Number(counted?.["n"])).toBe(4)
    }),
  )

  it.live("a path: the run fails and names what to look at", () =>
    Effect.gen(function* () {
      const { simulator, dataDir } = yield* start
      simulator.patch({ platformSegment: "acme" })
      const first = yield* runOnce(simulator.url, dataDir, { pipelines: transparency })
      expect(first.summary.outcome).toBe("partial")
      const failed = yield* outcomes(dataDir, "outcome = 'failed'")
      expect(failed.map(([name]) => name)).toEqual(
        transparency.toSorted((a, b) => a.localeCompare(b)),
      )
      const found = yield* query(
        dataDir,
        "select distinct error_text like '%check platformSegment%' as is_named from ops.tasks where outcome = 'failed'",
      )
      expect(found).toEqual([{ is_named: true }])
      const api = { wire: { ...defaultWire, platformSegment: "acme" } }
      const second = yield* runOnce(simulator.url, dataDir, { pipelines: transparency, api })
      expect(second.summary.outcome).toBe("complete")
    }),
  )
})

describe("the time of a task", () => {
  it.live("is that of its own requests, however many come before it", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 12 })
      const clock = movableClock()
      const secondsApart = HANG_SECONDS / 4
      let done = 0
      const running = yield* Effect.forkChild(
        clock.under(
          runOnce(simulator.url, yield* temporaryFolder, {
            pipelines: ["fees"],
            pace: { maxRequestsPerSecond: 1 / secondsApart },
            taskTimeoutSeconds: HANG_SECONDS,
            onProgress: ({ kind }) => (done += kind === "done" ? 1 : 0),
          }),
        ),
      )
      // One at a time: nothing else goes on when one is done.
      for (let before = 0; running.pollUnsafe() === undefined; before = done) {
        clock.advance(secondsApart * 1000)
        const isOver = () => done > before || running.pollUnsafe() !== undefined
        yield* untilSo("a task is done", isOver)
      }
      const { summary } = yield* Fiber.join(running)
      expect(summary.outcome).toBe("complete")
      expect(summary.seconds).toBeGreaterThan(HANG_SECONDS)
    }),
  )

  it.live("ends, nevertheless", () =>
    Effect.gen(function* () {
      const { simulator, dataDir } = yield* start
      simulator.patch({ faults: [{ kind: "stall-headers", pathPrefix: "/platform/fees" }] })
      const clock = movableClock()
      const running = yield* Effect.forkChild(
        clock.under(
          runOnce(simulator.url, dataDir, {
            pipelines: ["fees"],
            api: { requestTimeoutSeconds: 2 * HANG_SECONDS },
          }),
        ),
      )
      const { vaults } = simulator.truth
      yield* untilSo("the fees of each vault are requested", () => {
        const stalled = simulator.requests().last.filter(({ fault }) => fault !== null)
        return stalled.length === vaults.filter(({ kind }) => kind === "evm").length
      })
      clock.advance(HANG_SECONDS * 1000)
      const { summary } = yield* Fiber.join(running)
      expect(summary.outcome).toBe("partial")
      const found = yield* query(
        dataDir,
        `select distinct error_tag, error_text like '%not done within ${HANG_SECONDS} s%' as is_named
         from ops.tasks where outcome = 'failed'`,
      )
      expect(found).toEqual([{ error_tag: "Timeout", is_named: true }])
    }),
  )
})
