// A warehouse that comes out the same whenever it is made: two runs a day apart over a simulated platform, on a
// clock set to that day, and a copy whose clock is stopped an hour after the second.
import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { movedClock } from "../src/domain/run/movedClock.ts"
import { defaultWire } from "../src/extract/request.ts"
import { publishedFile } from "../src/load/published/read/PublishedCopy.ts"
import { defaultRunSettings } from "../src/pipelines/model/runSettings.ts"
import type { RunSummary } from "../src/pipelines/model/progress.ts"
import { run } from "../src/pipelines/run/run.ts"
import { type OptionsPatch, type Simulator, startSimulator } from "../simulator/index.ts"
import { stopClock } from "./stoppedClock.ts"

/** When the simulated history of the first run ends; the second comes a day later. */
export const firstNow = "2026-06-01T12:00:00Z"
export const secondNow = "2026-06-02T12:00:00Z"
/** The time in the copy, UTC. */
export const queriedAt = "2026-06-02 13:00:00"

/** The simulated platform at the first run. */
export const atFirst: OptionsPatch = {
  seed: 1,
  vaults: 7,
  subaccounts: 16,
  days: 120,
  now: firstNow,
  slowReadMs: 0,
}

export interface ExampleWarehouse {
  readonly dataDir: string
  /** To a copy of the published file with a stopped clock. */
  readonly connection: DuckDBConnection
  /** How the first run ended. */
  readonly first: RunSummary
  /** As it is at the second run. */
  readonly simulator: Simulator
  readonly close: () => Promise<void>
}

/** The real clock, moved. */
export const clockFrom = (instant: string, clock: Clock.Clock): Clock.Clock => {
  const microsAhead = (Date.parse(instant) - clock.currentTimeMillisUnsafe()) * 1000
  return movedClock(clock, () => microsAhead)
}

/** A run five minutes after the hour. */
const syncAt = (baseUrl: string, dataDir: string, hour: string): Promise<RunSummary> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const summary = yield* run({
      dataDir,
      pace: {},
      command: "sync",
      version: "example",
      publish: { parquet: { marts: false } },
      pipelines: [],
      vaults: { include: [], exclude: [] },
      taskTimeoutSeconds: 3600,
      unsupportedRetryDays: 7,
      onProgress: () => undefined,
      api: {
        baseUrl,
        apiKey: Redacted.make("demo-admin-key"),
        wire: {
          ...defaultWire,
          paths: {
            cefiPositions: "/subaccount/{address}/cefi_positions",
            subaccountOtcPositions: "/subaccount/{address}/otc_positions",
          },
        },
        requestTimeoutSeconds: 300,
        retryBudgetSeconds: 30,
        maxResponseMegabytes: 64,
      },
      settings: defaultRunSettings,
    }).pipe(Effect.provideService(Clock.Clock, clockFrom(hour.replace("12:00", "12:05"), clock)))
    const { outcome, published } = summary
    if (outcome !== "complete" || !published) throw new Error(`The run ended ${outcome}`)
    return summary
  }).pipe(Effect.scoped, Effect.runPromise)

/** Takes about twenty seconds. Everything goes below the directory, which is the caller's to remove. */
export const makeExampleWarehouse = async (directory: string): Promise<ExampleWarehouse> => {
  const dataDir = join(directory, "data")
  const simulator = await startSimulator(atFirst)
  try {
    const first = await syncAt(simulator.url, dataDir, firstNow)
    simulator.patch({ now: secondNow, revision: 1 })
    await syncAt(simulator.url, dataDir, secondNow)
    const file = join(directory, "stopped-clock.duckdb")
    await copyFile(publishedFile(dataDir), file)
    const instance = await DuckDBInstance.create(file)
    const connection = await instance.connect()
    await stopClock(connection, "mart", queriedAt)
    const close = async () => {
      connection.closeSync()
      instance.closeSync()
      await simulator.close()
    }
    return { dataDir, connection, first, simulator, close }
  } catch (error) {
    await simulator.close()
    throw error
  }
}
