// What keeps failing: it is read again until it succeeds, costs a run little, and is at once read again where there is hope.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { OptionsPatch } from "../../../simulator/index.ts"
import { readProblems } from "../../../src/pipelines/readers/problems/problems.ts"
import { movableClock } from "../../support/movableClock.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { HANG_SECONDS } from "../../support/until.ts"
import {
  change,
  letAnHourPass,
  outcomes,
  type Overrides,
  query,
  queryFile,
  runOnce,
} from "../../support/warehouseRun.ts"

const now = "2026-06-01T12:00:00Z"
const small = { now, days: 5, subaccounts: 4, serverCaches: false }
type Faults = NonNullable<OptionsPatch["faults"]>

/** Whose state readers have. */
const currentOf = (dataDir: string): string | undefined => {
  const file = join(dataDir, "published", "current.json")
  if (!existsSync(file)) return undefined
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly run_id: string }).run_id
}

/** Time for more than two attempts, on a slow machine too. */
const persistent = { ...asAdmin, retryBudgetSeconds: 8 }

/** Runs of one pipeline, each with its own faults, which return the requests that were refused. */
const platform = Effect.fnUntraced(function* (options: OptionsPatch, pipeline: string) {
  const simulator = yield* simulated({ ...small, ...options })
  const dataDir = yield* temporaryFolder
  const sync = Effect.fnUntraced(function* (faults: Faults, overrides: Overrides = {}) {
    simulator.patch({ faults })
    const before = simulator.requests().last.length
    const { summary, events } = yield* runOnce(simulator.url, dataDir, {
      pipelines: [pipeline],
      api: { ...asAdmin, retryBudgetSeconds: 30 },
      ...overrides,
    })
    const sent = simulator.requests().last.slice(before)
    const refused = sent.filter(({ status }) => status >= 400)
    const retries = events.filter(({ kind }) => kind === "retry").length
    return { ...summary, refused: refused.length, sent: sent.length, retries }
  })
  return { simulator, dataDir, sync, problems: readProblems(dataDir) }
})

describe("a task that failed in a run that read everything again", () => {
  for (const [what, status] of [
    ["failed", 400],
    ["was refused to the key", 401],
  ] as const) {
    it.live(`is read by the next run where it ${what}, although nothing has changed since`, () =>
      Effect.gen(function* () {
        const { dataDir, sync, problems } = yield* platform({ vaults: 1 }, "loan_details")
        const first = yield* sync([])
        expect(first.outcome).toBe("complete")
        const fault = { kind: "status", status, pathPrefix: "/subaccount/loans/" } as const
        const full = yield* sync([fault], { settings: { full: true } })
        expect(full.outcome).toBe("partial")
        expect((yield* problems).length).toBeGreaterThan(0)
        const healed = yield* sync([])
        expect(healed.outcome).toBe("complete")
        expect(yield* problems).toEqual([])
        // Nothing is read once more after that.
        expect((yield* outcomes(dataDir, "loan_details")).length).toBe(3)
        yield* sync([])
        expect((yield* outcomes(dataDir, "loan_details")).length).toBe(3)
      }),
    )
  }
})

describe("what the newest run could not read", () => {
  it.live("is known to the next one and to readers, although that is 40 days later", () =>
    Effect.gen(function* () {
      const { dataDir, sync, problems } = yield* platform({ vaults: 1 }, "loan_details")
      yield* sync([])
      const fault = { kind: "status", status: 503, pathPrefix: "/subaccount/loans/" } as const
      const full = yield* sync([fault], { settings: { full: true }, api: persistent })
      expect(full.refused).toBeGreaterThan(4)
      const later = (days: number) => movableClock({ aheadMillis: days * 86_400_000 })
      const other = { pipelines: ["fees"] }
      yield* later(40).under(sync([], other))
      expect((yield* problems).map(({ kind }) => kind)).toContain("run_partial")
      const again = yield* later(40).under(sync([fault]))
      // Twice for each loan, as it failed for the same reason in the run before.
      const [loans] = yield* query(
        dataDir,
        "select count(distinct entity)::integer as loans from ops.tasks where pipeline = 'loan_details'",
      )
      expect(again.refused).toBe(2 * Number(loans?.["loans"]))
      expect((yield* later(75).under(sync([]))).outcome).toBe("complete")
      expect((yield* problems).map(({ kind }) => kind)).not.toContain("run_partial")
    }),
  )
})

describe("a vault that keeps failing", () => {
  const bad = Effect.fnUntraced(function* (vaults: number, indexes: ReadonlyArray<number>) {
    const found = yield* platform({ vaults }, "positions")
    const faults: Faults = indexes.map((index) => ({
      kind: "status",
      status: 424,
      pathPrefix: "/",
      match: `positions/${found.simulator.truth.vaults[index]?.address}`,
    }))
    return { ...found, faults }
  })

  it.live("costs two requests in the next run, then none until it is due or wanted", () =>
    Effect.gen(function* () {
      const { dataDir, sync, problems, faults } = yield* bad(4, [0])
      const first = yield* sync(faults, { api: persistent })
      expect(first.refused).toBeGreaterThan(2)
      yield* letAnHourPass(dataDir)
      const second = yield* sync(faults)
      expect(second).toMatchObject({ outcome: "partial", refused: 2 })
      const third = yield* sync(faults)
      expect(third).toMatchObject({ outcome: "partial", refused: 0 })
      const [problem] = yield* problems
      expect(problem).toMatchObject({ kind: "run_partial", subject: "positions" })
      expect(problem?.text).toMatch(
        /^positions: 1 of 3 tasks failed: .*\(HTTP 424\); it has failed since 20\S+ \d\d:\d\d UTC, and is read again after 20\S+ \d\d:\d\d UTC\.$/,
      )
      expect(problem?.advice).toContain("--fill-gaps")
      // It waits a quarter longer than it had failed, an hour and some seconds; waiting is not failing again.
      yield* letAnHourPass(dataDir)
      yield* letAnHourPass(dataDir)
      expect(yield* sync(faults)).toMatchObject({ refused: 2 })
      expect(yield* sync(faults)).toMatchObject({ refused: 0 })
      const filling = yield* sync(faults, { settings: { fillGaps: true }, api: persistent })
      expect(filling.refused).toBeGreaterThan(2)
      expect(yield* sync([])).toMatchObject({ outcome: "partial" })
      expect(yield* sync([], { settings: { fillGaps: true } })).toMatchObject({
        outcome: "complete",
      })
      // Of these days ago, its facts are stale.
      expect((yield* problems).map(({ kind }) => kind)).toEqual(["stale"])
    }),
  )

  describe("in a run that waits for it", () => {
    const publish = { parquet: undefined }

    /** A run in which a second takes a twentieth of one; what readers had at each of its events. */
    const patient = Effect.fnUntraced(function* (overrides: Overrides = {}) {
      const { dataDir, sync, faults, simulator } = yield* bad(3, [0])
      const seen: Array<{ readonly current: string | undefined; readonly kind: string }> = []
      const onProgress: Overrides["onProgress"] = ({ kind }) => {
        seen.push({ current: currentOf(dataDir), kind })
      }
      const api = {
        ...asAdmin,
        retryBudgetSeconds: 1000,
        retryWaitSeconds: 60,
        requestTimeoutSeconds: 20 * HANG_SECONDS,
      }
      // The waits are always half of the longest, so that some come after ten seconds of them.
      const half = { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 1 }
      const waiting = Effect.provideService(
        sync(faults, { publish, taskTimeoutSeconds: 36_000, ...overrides, onProgress, api }),
        Random.Random,
        half,
      )
      const run = movableClock({ slowness: 1 / 20 }).under(waiting)
      return { dataDir, simulator, run, first: sync([], { publish }), seen }
    })

    it.live("does not keep from readers what the others have read", () =>
      Effect.gen(function* () {
        const { dataDir, run, seen } = yield* patient()
        expect((yield* run).outcome).toBe("partial")
        const early = seen.find(({ current }) => current !== undefined)?.current
        expect(early).toMatch(/^publish-/)
        expect(seen).toContainEqual({ current: early, kind: "retry" })
        // The end of the run has a copy of its own.
        const ids = "select run_id as id from ops.publications order by published_at"
        const published = (yield* query(dataDir, ids)).map(({ id }) => id)
        expect(published).toEqual([early, currentOf(dataDir)])
        const vaults = "select count(distinct vault_address) as vaults from core.position_snapshots"
        const [row] = yield* queryFile(join(dataDir, "published", "vaulthouse.duckdb"), vaults)
        expect(row).toEqual({ vaults: "1" })
      }),
    )

    it.live.each([
      ["a contract", { settings: { contracts: { position_snapshots: "freeze" } } }],
      ["a failed check", { publishFailedChecks: false }],
    ] as const)("publishes nothing early that %s may hold back", ([, overrides]) =>
      Effect.gen(function* () {
        const { dataDir, run, seen } = yield* patient(overrides)
        expect((yield* run).outcome).toBe("partial")
        expect(new Set(seen.map(({ current }) => current))).toEqual(new Set([undefined]))
        expect(currentOf(dataDir)).not.toMatch(/^publish-/)
        const [row] = yield* query(dataDir, "select count(*)::int as n from ops.publications")
        expect(row).toEqual({ n: 1 })
      }),
    )

    it.live("publishes nothing that a check holds back", () =>
      Effect.gen(function* () {
        const settings = { contracts: { position_snapshots: "freeze" } } as const
        const { dataDir, simulator, run, first, seen } = yield* patient({ settings })
        yield* first
        const before = currentOf(dataDir)
        simulator.patch({ now: "2026-06-01T13:00:00Z" })
        yield* change(
          dataDir,
          `insert into ops.schema_drift by name
           select 'positions' as endpoint, 'position_snapshots.new' as json_path, 'frozen_field' as kind,
             'x' as detail, run_id, started_at as first_seen_at
           from ops.runs`,
          "checkpoint",
        )
        expect((yield* run).outcome).toBe("partial")
        expect(new Set(seen.map(({ current }) => current))).toEqual(new Set([before]))
        expect(currentOf(dataDir)).toBe(before)
      }),
    )
  })

  it.live("costs the third hourly run nothing, however long the first took to give up", () =>
    Effect.gen(function* () {
      const { dataDir, sync, faults } = yield* bad(4, [0])
      yield* sync([])
      yield* letAnHourPass(dataDir)
      const healthy = yield* sync([])
      yield* letAnHourPass(dataDir)
      expect((yield* sync(faults, { api: persistent })).retries).toBeGreaterThan(2)
      // It ended a minute after its run had begun, and in the next run at once.
      yield* change(
        dataDir,
        "update ops.tasks set finished_at = finished_at - interval 59 minute",
        "checkpoint",
      )
      expect(yield* sync(faults)).toMatchObject({ refused: 2, retries: 1 })
      yield* letAnHourPass(dataDir)
      const third = yield* sync(faults)
      expect(third).toMatchObject({ outcome: "partial", refused: 0, retries: 0 })
      expect(third.sent).toBe(healthy.sent - 1)
      yield* letAnHourPass(dataDir)
      expect(yield* sync([])).toMatchObject({ outcome: "complete", sent: healthy.sent })
    }),
  )

  it.live(
    "that does not answer costs two timeouts in the second hourly run, and none in the third",
    () =>
      Effect.gen(function* () {
        const { simulator, dataDir, sync } = yield* bad(4, [0])
        const faults: Faults = [
          {
            kind: "stall-headers",
            pathPrefix: "/",
            match: `positions/${simulator.truth.vaults[0]?.address}`,
          },
        ]
        const clock = movableClock()
        const hanging = Effect.fnUntraced(function* () {
          let left = 0
          const stalled = () =>
            simulator.requests().last.filter(({ fault }) => fault !== null).length
          let ended = stalled()
          // Each request that hangs reaches its timeout, and what waits for the next one need not wait long.
          const timeouts = setInterval(() => {
            if (left !== 1) return
            const begun = stalled()
            clock.advance(begun > ended ? HANG_SECONDS * 1000 : 1000)
            ended = begun
          }, 20)
          const overrides: Overrides = {
            taskTimeoutSeconds: 1e9,
            api: { ...asAdmin, retryBudgetSeconds: 30 * HANG_SECONDS },
            onProgress: (event) => {
              if (event.kind === "started" && event.pipeline === "positions")
                left = event.tasks ?? 0
              if (event.kind === "done" && event.pipeline === "positions") left -= 1
            },
          }
          yield* Effect.ensuring(
            clock.under(sync(faults, overrides)),
            Effect.sync(() => clearInterval(timeouts)),
          )
          const [task] = yield* query(
            dataDir,
            `select requests::integer as requests, seconds from ops.tasks
           where pipeline = 'positions' and outcome = 'failed' order by finished_at desc limit 1`,
          )
          return { requests: Number(task?.["requests"]), seconds: Number(task?.["seconds"]) }
        })
        const first = yield* hanging()
        expect(first.requests).toBeGreaterThan(2)
        yield* letAnHourPass(dataDir)
        const second = yield* hanging()
        expect(second.requests).toBe(2)
        expect(second.seconds).toBeLessThan(first.seconds / 2)
        yield* letAnHourPass(dataDir)
        expect(yield* hanging()).toEqual({ requests: 0, seconds: 0 })
      }),
  )

  it.live("waits six hours at most", () =>
    Effect.gen(function* () {
      const { dataDir, sync, faults } = yield* bad(3, [0])
      yield* sync(faults)
      yield* change(dataDir, "update ops.tasks set finished_at = finished_at - interval 9 day")
      yield* sync(faults)
      expect(yield* sync(faults)).toMatchObject({ refused: 0 })
      yield* change(dataDir, "update ops.tasks set finished_at = finished_at - interval 361 minute")
      expect(yield* sync(faults)).toMatchObject({ refused: 2 })
    }),
  )

  it.live("never waits where the whole pipeline fails", () =>
    Effect.gen(function* () {
      const { dataDir, sync, faults } = yield* bad(3, [0, 1, 2])
      yield* sync(faults)
      yield* letAnHourPass(dataDir)
      expect(yield* sync(faults)).toMatchObject({ refused: 6 })
      expect(yield* sync(faults)).toMatchObject({ refused: 6 })
      expect(yield* sync([])).toMatchObject({ outcome: "complete" })
    }),
  )

  it.live("is read at once when a neighbour that failed too has recovered", () =>
    Effect.gen(function* () {
      const { simulator, dataDir, sync, faults } = yield* bad(5, [0, 1])
      yield* sync(faults)
      yield* letAnHourPass(dataDir)
      yield* sync(faults)
      expect(yield* sync(faults)).toMatchObject({ refused: 0 })
      const include = [simulator.truth.vaults[1]?.address ?? ""]
      yield* sync([], { vaults: { include, exclude: [] }, settings: { fillGaps: true } })
      expect(yield* sync([])).toMatchObject({ outcome: "complete" })
    }),
  )

  it.live("has all attempts again when it fails for another reason", () =>
    Effect.gen(function* () {
      const { dataDir, sync, faults } = yield* bad(3, [0])
      yield* sync(faults)
      yield* letAnHourPass(dataDir)
      const other = faults.map((fault) => ({ ...fault, status: 503 }) as typeof fault)
      expect((yield* sync(other, { api: persistent })).refused).toBeGreaterThan(2)
      const rows = yield* query(
        dataDir,
        "select distinct error_tag from ops.tasks where outcome = 'failed' order by 1",
      )
      expect(rows.map((row) => row["error_tag"])).toEqual(["DependencyFailed", "ServerError"])
    }),
  )
})
