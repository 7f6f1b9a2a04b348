// Runs that are killed at random moments: the next one resumes, and, while the service moves on, the archive alone holds
// what a replay promises (docs/decisions/0011-commit-markers.md), to the last bit.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomness } from "../../support/randomness.ts"
import {
  contentAndIndex,
  index,
  loseTheWarehouse,
  martContent,
  replayed,
} from "../../support/replays.ts"
import type { Simulator } from "../../../simulator/index.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { asAdmin, expectTruth, fingerprint, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const script = join(import.meta.dirname, "../../support/processes/syncProcess.ts")

const requestsOf = (simulator: Simulator): number =>
  Object.values(simulator.requests().counts).reduce((sum, count) => sum + count, 0)

/** Runs in a process of its own, killed once it has sent `requests`; whether it was. */
const run = (simulator: Simulator, dataDir: string, mode: "" | "full", requests: number) =>
  Effect.promise(async () => {
    const before = requestsOf(simulator)
    const child = spawn(
      process.execPath,
      [script, simulator.url, dataDir, "demo-admin-key", mode],
      {
        stdio: ["ignore", "ignore", "inherit"],
      },
    )
    const timer = setInterval(() => {
      if (requestsOf(simulator) - before >= requests) child.kill("SIGKILL")
    }, 2)
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null]
    clearInterval(timer)
    if (signal === null && code !== 0) throw new Error(`the run ended with ${code}`)
    return { isKilled: signal !== null }
  })

const start = Date.UTC(2026, 5, 1)
const HOUR = 3_600_000

describe("runs that are killed", () => {
  it.live(
    "lose nothing and write nothing twice; the archive alone makes every row again in every column",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({
          vaults: 2,
          days: 6,
          subaccounts: 2,
          now: new Date(start).toISOString(),
          start: "2026-05-26T00:00:00Z",
          latencyMs: 4,
          serverCaches: false,
        })
        const dataDir = yield* temporaryFolder
        const random = randomness("runs that are killed")

        // The first run, which each next one resumes where the last transaction left it.
        const few = Math.floor(10 + 30 * random())
        const resumed = [
          yield* run(simulator, dataDir, "", few),
          yield* run(simulator, dataDir, "", few),
        ]
        expect(resumed.map(({ isKilled }) => isKilled)).toEqual([true, true])
        yield* runOnce(simulator.url, dataDir, { api: asAdmin })
        const sent = requestsOf(simulator)
        yield* expectTruth(simulator, dataDir)
        const duplicates = yield* query(
          dataDir,
          "select vault_address, observed_at from core.ratio_history group by all having count(*) > 1",
        )
        expect(duplicates).toEqual([])
        const landed = yield* fingerprint(dataDir)
        const pipelines = ["ratio_history", "pnl_history", "apy_history", "allocation_history"]
        const { summary } = yield* runOnce(simulator.url, dataDir, {
          pipelines,
          publish: { parquet: { marts: false } },
        })
        expect(summary.nothingNew).toBe(true)
        expect(yield* fingerprint(dataDir)).toEqual(landed)
        expect(yield* verify({ dataDir })).toEqual([])

        let hours = 0
        const evolve = (): void => {
          hours += 5
          const now = new Date(start + hours * HOUR).toISOString()
          simulator.patch({ now, revision: hours / 5 })
        }
        const untilKilled = Effect.suspend(() => {
          evolve()
          const requests = Math.floor(sent * (0.1 + 0.7 * random()))
          return run(simulator, dataDir, "full", requests)
        }).pipe(Effect.repeat({ until: ({ isKilled }) => isKilled }))
        // After a whole run, two in a row.
        yield* untilKilled
        yield* untilKilled
        evolve()
        yield* runOnce(simulator.url, dataDir, { api: asAdmin, settings: { full: true } })
        const before = yield* contentAndIndex(dataDir)
        const marts = yield* martContent(dataDir)
        loseTheWarehouse(dataDir)
        const alone = yield* replayed(dataDir)
        expect([...alone.unended, ...alone.unreadable, ...alone.lost]).toEqual([])
        expect(yield* contentAndIndex(dataDir)).toEqual(before)
        expect(yield* martContent(dataDir)).toEqual(marts)

        // Killed, and the database lost before anything has opened it.
        yield* untilKilled
        const committed = yield* index(dataDir)
        const [last] = yield* query(dataDir, "select max(run_id) as run_id from ops.runs")
        loseTheWarehouse(dataDir)
        const { unended } = yield* replayed(dataDir)
        const lastRun = last?.["run_id"]
        // Killed at its very end, it may have ended its segment.
        expect(unended.filter(({ runId }) => runId !== lastRun)).toEqual([])
        const made = yield* index(dataDir)
        const byId = new Map(made.map((row) => [row["response_id"], row]))
        expect(committed.map((row) => byId.get(row["response_id"]))).toEqual(committed)
        const ids = new Set(committed.map((row) => row["response_id"]))
        const more = made.filter((row) => !ids.has(row["response_id"]))
        expect(more.filter((row) => row["run_id"] !== lastRun)).toEqual([])
      }),
  )
})
