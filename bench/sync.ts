// One run of the product, measured from inside its process: node bench/sync.ts URL DATA_DIR
import * as Effect from "effect/Effect"
import { leanHeap } from "../src/cli/sync/leanHeap.ts"
import { defaultSettings } from "../src/config/settings.ts"
import { defaultWire } from "../src/extract/request.ts"
import { defaultRunSettings } from "../src/pipelines/runSettings.ts"
import { run } from "../src/pipelines/run/run.ts"
import { peakMegabytes } from "./child.ts"

const [baseUrl = "", dataDir = ""] = process.argv.slice(2)
leanHeap()
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
    },
    settings: defaultRunSettings,
  }),
)
console.log(
  JSON.stringify({
    seconds: (performance.now() - startedAt) / 1000,
    rows: summary.rowsInserted + summary.rowsRevised,
    requests: summary.requests,
    megabytes: peakMegabytes(),
  }),
)
