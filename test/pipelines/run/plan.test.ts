// `sync --plan`: how close its numbers are to what a run then sends.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultWire } from "../../../src/extract/request.ts"
import { defaultRunSettings } from "../../../src/pipelines/model/runSettings.ts"
import { plan } from "../../../src/pipelines/run/plan.ts"
import { dayOf } from "../../../src/domain/values/time.ts"
import { fixedDay } from "../../support/movableClock.ts"
import { simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const { now, live } = fixedDay("2026-06-01T12:00:00Z")

live("knows from earlier runs where a series begins, and ends it at --until", () =>
  Effect.gen(function* () {
    const simulator = yield* simulated({ days: 60, vaults: 3, now: new Date(now).toISOString() })
    const dataDir = yield* temporaryFolder
    const pipelines = ["ratio_history"]
    yield* runOnce(simulator.url, dataDir, { pipelines })
    const [cursor] = yield* query(
      dataDir,
      "select entity from ops.cursors where pipeline = 'ratio_history'",
    )
    const vaults = { include: [String(cursor?.["entity"])], exclude: [] }
    const planned = (settings: object) =>
      plan({
        dataDir,
        pipelines,
        vaults,
        unsupportedRetryDays: 7,
        hasKey: false,
        paths: defaultWire.paths,
        maxRequestsPerSecond: 7,
        settings: { ...defaultRunSettings, ...settings },
      })
    const requestsOf = (of: {
      readonly pipelines: ReadonlyArray<{ readonly name: string; readonly requests: number }>
    }) => of.pipelines.find(({ name }) => name === "ratio_history")?.requests
    const full = yield* planned({ full: true })
    const until = dayOf(now * 1000) - 45
    const early = yield* planned({ full: true, until })
    const { summary } = yield* runOnce(simulator.url, dataDir, {
      pipelines,
      vaults,
      settings: { full: true },
    })
    expect(requestsOf(full)).toBe(requestsOf(summary))
    expect(requestsOf(early)).toBeLessThan(requestsOf(full) ?? 0)
    expect(Number.isInteger(full.seconds)).toBe(true)
  }),
)
