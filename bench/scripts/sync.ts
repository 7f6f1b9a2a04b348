// One run of the product, measured from inside its process: node bench/scripts/sync.ts URL DATA_DIR
import { setFlagsFromString } from "node:v8"
import { printMeasured } from "../measured.ts"
import { historyPipelines, oneRun } from "./oneRun.ts"

const [baseUrl = "", dataDir = ""] = process.argv.slice(2)
setFlagsFromString("--semi-space-growth-factor=1")
const startedAt = performance.now()
const summary = await oneRun({
  baseUrl,
  dataDir,
  pipelines: historyPipelines,
})
printMeasured(startedAt, {
  rows: summary.rowsInserted + summary.rowsRevised,
  requests: summary.requests,
})
