// One run in a process of its own, for tests that kill it: node test/support/processes/syncProcess.ts URL DATA_DIR [KEY] [full]
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { runOnce } from "../warehouseRun.ts"

const [url = "", dataDir = "", key = "", mode = ""] = process.argv.slice(2)
const { summary } = await Effect.runPromise(
  runOnce(url, dataDir, {
    publish: key === "" ? { parquet: { marts: false } } : undefined,
    ...(key === "" ? {} : { api: { apiKey: Redacted.make(key) } }),
    settings: { full: mode === "full" },
  }),
)
process.stdout.write(`${summary.outcome}\n`)
