// Runs that are killed at random moments while the service moves on, and the archive alone: what a replay promises
// (docs/decisions/0011-commit-markers.md), to the last bit.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { content, index, loseTheWarehouse, replayed } from "../support/replays.ts"
import type { Simulator } from "../../simulator/index.ts"
import { simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { query } from "../support/warehouseRun.ts"

const script = join(import.meta.dirname, "../support/syncProcess.ts")

const requestsOf = (simulator: Simulator): number =>
  Object.values(simulator.requests().counts).reduce((sum, count) => sum + count, 0)

/** Runs in a process of its own, killed once it has sent `requests`; whether it was, and how many it sent. */
const run = (simulator: Simulator, dataDir: string, mode: "" | "full", requests = Infinity) =>
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
    return { isKilled: signal !== null, requests: requestsOf(simulator) - before }
  })

const start = Date.UTC(2026, 5, 1)
const HOUR = 3_600_000

describe("the archive alone, after runs that were killed", () => {
  it.live(
    "makes every row again in every column, and never less than what was lost unopened",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({
          vaults: 3,
          days: 10,
          subaccounts: 3,
          now: new Date(start).toISOString(),
          start: "2026-05-22T00:00:00Z",
          latencyMs: 4,
          serverCaches: false,
        })
        const dataDir = yield* temporaryFolder
        const whole = yield* run(simulator, dataDir, "")
        let hours = 0
        const evolve = (): void => {
          hours += 5
          const now = new Date(start + hours * HOUR).toISOString()
          simulator.patch({ now, revision: hours / 5 })
        }
        const some = () => Math.floor(whole.requests * (0.1 + 0.8 * Math.random()))
        let killed = 0
        for (let round = 0; round < 4; round++) {
          evolve()
          const { isKilled } = yield* run(simulator, dataDir, "full", some())
          if (isKilled) killed += 1
          // Several killed ones in a row, and a whole run in between.
          if (round === 2) yield* run(simulator, dataDir, "")
        }
        expect(killed).toBeGreaterThan(2)
        evolve()
        yield* run(simulator, dataDir, "full")
        const before = [yield* content(dataDir), yield* index(dataDir)]
        loseTheWarehouse(dataDir)
        const alone = yield* replayed(dataDir)
        expect([...alone.unended, ...alone.unreadable, ...alone.lost]).toEqual([])
        expect([yield* content(dataDir), yield* index(dataDir)]).toEqual(before)

        // Killed, and the database lost before anything has opened it.
        let isKilled = false
        while (!isKilled) {
          evolve()
          isKilled = (yield* run(simulator, dataDir, "full", some())).isKilled
        }
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
    600_000,
  )
})
