// One run of the product, measured from inside its process: node bench/sync.ts URL DATA_DIR
import * as Effect from "effect/Effect"
import { TracerEnabled } from "effect/References"
import { setFlagsFromString } from "node:v8"
import { defaultSettings } from "../src/config/settings.ts"
import { defaultWire } from "../src/extract/request.ts"
import { defaultRunSettings } from "../src/pipelines/model/runSettings.ts"
import { run } from "../src/pipelines/run/run.ts"
import { printMeasured } from "./measured.ts"

const [baseUrl = "", dataDir = ""] = process.argv.slice(2)
setFlagsFromString("--semi-space-growth-factor=1")
const startedAt = performance.now()
const summary = await Effect.runPromise(
  run({
    dataDir,
    pace: {},
    command: "bench",
    version: "bench",
    publish: undefined,
    // What grows: snapshots of the rest are as many with a year of history as with ten.
    pipelines: ["ratio_history", "pnl_history", "apy_history", "allocation_history"],
    vaults: { include: [], exclude: [] },
    taskTimeoutSeconds: defaultSettings.taskTimeout,
    unsupportedRetryDays: defaultSettings.unsupportedRetryDays,
    onProgress: () => undefined,
    api: {
      baseUrl,
      apiKey: undefined,
      wire: defaultWire,
      requestTimeoutSeconds: defaultSettings.requestTimeout,
      retryBudgetSeconds: 120,
      maxResponseMegabytes: 64,
    },
    settings: defaultRunSettings,
    // As the command does where nothing exports traces.
  }).pipe(Effect.provideService(TracerEnabled, false)),
)
printMeasured(startedAt, {
  rows: summary.rowsInserted + summary.rowsRevised,
  requests: summary.requests,
})
