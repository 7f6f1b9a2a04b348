// A year of runs on a clock that is moved, not waited for: how many files, megabytes and records they leave, and how long they
// take at the start and at the end. Ends with an error if files or records are more than retention leaves. A call goes on where
// the one before ended, however that ended.
//
//   --runs N        how many runs in all; 8,760 hourly ones are a year
//   --every H       hours between two runs
//   --keep-days D   the setting keepDays; 1 shows in weeks what 90 shows in a year
//   --publish P     publish after every P-th run
//   --minutes M     this call makes no further run once so much time has passed; SIGTERM ends it too
//   --state FOLDER  the data directory and the figures of the runs so far
//   --again         begin with the first run
//   --write         put the figures of the runs so far into weights.json and docs/scale.md
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { vaulthouse } from "../cli/command.ts"
import { Year, type YearOptions } from "./year.ts"
import { writeWeights } from "./weights.ts"

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "8760" },
    every: { type: "string", default: "1" },
    "keep-days": { type: "string", default: "90" },
    publish: { type: "string", default: "1" },
    minutes: { type: "string", default: "600" },
    state: { type: "string" },
    again: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
})
const runs = Number(values.runs)
const options: YearOptions = {
  hours: Number(values.every),
  keepDays: Number(values["keep-days"]),
  publishEvery: Number(values.publish),
}
const folder =
  values.state ??
  join(
    import.meta.dirname,
    "../../node_modules/.year",
    [options.hours, options.keepDays, options.publishEvery].join("-"),
  )
const deadline = performance.now() + Number(values.minutes) * 60_000
const stopped = new AbortController()
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopped.abort())

if (values.again) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const year = await Year.of(folder, options)
const before = year.runs
while (year.runs < runs && !stopped.signal.aborted && performance.now() < deadline) {
  await year.run()
  if (year.runs % 100 === 0) process.stdout.write(`${year.text}\n`)
}
process.stdout.write(`${year.runs - before} more; ${year.text}\n`)

// The last run may have published nothing, and have joined files that the published copy names.
for (const args of [["publish"], ["verify"], ["check", "--against-archive", "--no-progress"]]) {
  const { code, stderr, stdout } = await vaulthouse([...args, "--data-dir", year.dataDir], {
    cwd: folder,
  })
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`)
}
const weights = await year.weights()
process.stdout.write(`${JSON.stringify({ ...weights, months: undefined }, null, 2)}\n`)
if (values.write) writeWeights(weights)
await year.close()
process.exit(0)
