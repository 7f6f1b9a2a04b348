// One run in a process of its own, for tests that kill it: node test/support/syncProcess.ts URL DATA_DIR
import * as Effect from "effect/Effect"
import { runOnce } from "./warehouseRun.ts"

const [url = "", dataDir = ""] = process.argv.slice(2)
const { summary } = await Effect.runPromise(
  runOnce(url, dataDir, { publish: { parquet: { compression: "zstd", plain: false } } }),
)
process.stdout.write(`${summary.outcome}\n`)
