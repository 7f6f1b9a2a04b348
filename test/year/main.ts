// A year of runs on a clock that is moved, not waited for: how many files, megabytes and records they leave, and how long they
// take at the start and at the end. Ends with an error if files or records are more than retention leaves.
//
//   --runs N        how many runs; 8,760 hourly ones are a year
//   --every H       hours between two runs
//   --keep-days D   the setting keepDays; 1 shows in weeks what 90 shows in a year
//   --minutes M     stop after the run in which so much time has passed: what was measured is what is written
//   --write         put the result into weights.json and docs/scale.md
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { startSimulator } from "../../simulator/index.ts"
import { defaultParquet } from "../../src/load/published/parquet/parquetFile.ts"
import { vaulthouse } from "../cli/command.ts"
import { bytesIn, filesIn } from "../month/bytes.ts"
import { movableClock } from "../support/movableClock.ts"
import { asAdmin } from "../support/simulated.ts"
import { query, runOnce } from "../support/warehouseRun.ts"
import { writeWeights } from "./weights.ts"

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "8760" },
    every: { type: "string", default: "1" },
    "keep-days": { type: "string", default: "90" },
    minutes: { type: "string", default: "600" },
    write: { type: "boolean", default: false },
  },
})
const runs = Number(values.runs)
const hours = Number(values.every)
const keepDays = Number(values["keep-days"])
const deadline = performance.now() + Number(values.minutes) * 60_000

const HOUR = 3_600_000
const BEGIN = Date.parse("2024-02-25T00:10:00Z")
const AT_ENDS = 24

/** Those that a run of every hour reads, of each kind one: a list, snapshots, tasks that a mart reads, a series. */
const pipelines = ["vaults", "vault_summaries", "withdrawals", "ratio_history", "positions"]

const cwd = mkdtempSync(join(tmpdir(), "vaulthouse-year-"))
const dataDir = join(cwd, "data")
const simulator = await startSimulator({
  vaults: 1,
  days: 3,
  now: new Date(BEGIN).toISOString(),
  slowReadMs: 0,
})
const clock = movableClock({ aheadMillis: BEGIN - Date.now() })
const now = (): number => Effect.runSync(clock.under(Clock.currentTimeMillis))

/** One for each month that is over, and for the present one those that were joined and those that wait for that. */
const allowedSegments = (instant: number): number => {
  const monthsOver = Math.floor((instant - BEGIN) / (28 * 24 * HOUR)) + 1
  const joinedThisMonth = Math.ceil((31 * 24) / hours / 32)
  return monthsOver + joinedThisMonth + 32 + 1
}

const seconds: Array<number> = []
let most = 0
for (let at = 0; at < runs && performance.now() < deadline; at += 1) {
  const instant = BEGIN + at * hours * HOUR
  simulator.patch({ now: new Date(instant).toISOString() })
  clock.advance(instant - now())
  const began = performance.now()
  const { summary } = await Effect.runPromise(
    clock.under(
      runOnce(simulator.url, dataDir, {
        pipelines,
        api: asAdmin,
        keepDays,
        publish: { parquet: defaultParquet },
      }),
    ),
  )
  if (summary.outcome !== "complete") throw new Error(`run ${at}: ${summary.outcome}`)
  seconds.push((performance.now() - began) / 1000)
  const segments = readdirSync(join(dataDir, "raw")).length
  most = Math.max(most, segments)
  if (segments > allowedSegments(instant)) throw new Error(`${segments} segments after run ${at}`)
  if (at % 100 === 0)
    process.stdout.write(
      `${at} runs, ${seconds.at(-1)?.toFixed(2)} s, ${filesIn(dataDir).length} files\n`,
    )
}

for (const args of [["verify"], ["check", "--against-archive", "--no-progress"]]) {
  const { code, stderr, stdout } = await vaulthouse([...args, "--data-dir", dataDir], { cwd })
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`)
}

const [counts = {}] = await Effect.runPromise(
  query(
    dataDir,
    `select (select count(*) from ops.tasks)::integer as tasks,
       (select count(*) from ops.check_results)::integer as results,
       (select count(*) from ops.runs)::integer as runs,
       (select sum(tasks) from ops.runs)::integer as tasks_recorded,
       (select count(*) from raw.responses)::integer as responses,
       (select count(*) from core.ratio_history)::integer as points`,
  ),
)
const median = (of: ReadonlyArray<number>): number =>
  of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? Number.NaN
const weights = {
  runs: seconds.length,
  hours,
  keepDays,
  files: filesIn(dataDir).length,
  segments: readdirSync(join(dataDir, "raw")).length,
  mostSegments: most,
  bytes: bytesIn(dataDir),
  counts: Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)])),
  firstSeconds: median(seconds.slice(1, 1 + AT_ENDS)),
  lastSeconds: median(seconds.slice(-AT_ENDS)),
  longestSeconds: Math.max(...seconds.slice(1)),
}
process.stdout.write(`${JSON.stringify(weights, null, 2)}\n`)
if (values.write) writeWeights(weights)
await simulator.close()
rmSync(cwd, { recursive: true, force: true })
process.exit(0)
