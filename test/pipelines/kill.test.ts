// A run that is killed, again and again, at moments nobody chose: nothing lost, nothing twice.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { verify } from "../../src/pipelines/archive/verify.ts"
import { expectTruth, fingerprint, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { query, runOnce } from "../support/warehouseRun.ts"

const script = join(import.meta.dirname, "../support/syncProcess.ts")

/** Starts a run and kills it after `millis`; whether it had ended by then. */
const killedAfter = (url: string, dataDir: string, millis: number) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [script, url, dataDir], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), millis)
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null]
    clearTimeout(timer)
    // A run that fails by itself was not killed.
    if (signal === null && code !== 0) throw new Error(`the run ended with ${code}`)
    return code === 0
  })

describe("a killed run", () => {
  it.live(
    "resumes where the last transaction left it",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({
          now: "2026-06-01T12:00:00Z",
          days: 120,
          latencyMs: 25,
        })
        const dataDir = yield* temporaryFolder
        let killed = 0
        // By a factor, so that all of it takes some times as long as a run, however slow the machine is.
        for (let millis = 700; millis < 60_000; millis *= 1.4) {
          if (yield* killedAfter(simulator.url, dataDir, millis)) break
          killed += 1
        }
        expect(killed).toBeGreaterThan(2)
        yield* expectTruth(simulator, dataDir)
        const duplicates = yield* query(
          dataDir,
          `select vault_address, observed_at from core.ratio_history group by all having count(*) > 1`,
        )
        expect(duplicates).toEqual([])
        const before = yield* fingerprint(dataDir)
        const last = yield* runOnce(simulator.url, dataDir)
        expect(last.summary.nothingNew).toBe(true)
        expect(yield* fingerprint(dataDir)).toEqual(before)
        expect(yield* verify(dataDir)).toEqual([])
      }),
    300_000,
  )
})
