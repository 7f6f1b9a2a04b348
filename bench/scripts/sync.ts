// One run of the product, measured from inside its process: node bench/scripts/sync.ts URL DATA_DIR
import { setFlagsFromString } from "node:v8"
import { printMeasured } from "../measured.ts"
import { oneRun } from "./oneRun.ts"

const [baseUrl = "", dataDir = ""] = process.argv.slice(2)
setFlagsFromString("--semi-space-growth-factor=1")
const startedAt = performance.now()
const summary = await oneRun({
  baseUrl,
  dataDir,
  // The pipelines whose data grows with history; the others have as many snapshots with one year as with ten.
  pipelines: ["ratio_history", "pnl_history", "apy_history", "allocation_history"],
})
printMeasured(startedAt, {
  rows: summary.rowsInserted + summary.rowsRevised,
  requests: summary.requests,
})
