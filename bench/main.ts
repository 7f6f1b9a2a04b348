// Compares the cost of a first sync and of one without news with the floor's, as ratios within one run of this script;
// all traffic is on loopback. `quick` (a minute) compares them with the last recorded ones; without it
// docs/benchmarks.md is written and the ratios are recorded. `latency`, `lake`, `marts` and `publication` write their sections
// of the page. `scale` makes docs/scale.md, from what `scale-constants` measures.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startChild } from "./child.ts"
import { chart, comparison, type Ratios, ratiosOf, readHistory, record } from "./history.ts"
import { delayedShares } from "./latency.ts"
import { reportOf } from "./report.ts"
import { compareRounds, runRounds } from "./rounds.ts"
import { startTimes, type StartTimes } from "./startTimes.ts"

const ROUNDS = 3
const YEAR = 365
const DECADE = 3650

const describe = (ratios: Ratios): string =>
  `${comparison(ratios, readHistory().at(-1))}\n\nFirst sync against the floor, run by run:\n${chart([...readHistory(), ratios])}`

const measureStart = async (): Promise<StartTimes> => {
  const server = await startChild("scripts/server.ts", "50", `${YEAR}`)
  try {
    return await startTimes(server.url)
  } finally {
    server.process.kill()
  }
}

/** The rounds of a year, and their ratios with those of a run against a service with latency. */
const yearRatios = async (folder: string) => {
  const year = await compareRounds({ vaults: 50, days: YEAR }, ROUNDS, folder)
  return { year, ratios: ratiosOf(year, await delayedShares(year, folder)) }
}

const quick = async (folder: string): Promise<void> => {
  console.log(describe(await yearRatios(folder).then(({ ratios }) => ratios)))
}

const complete = async (folder: string): Promise<void> => {
  const { year, ratios } = await yearRatios(folder)
  const measured = {
    year,
    fewYear: await runRounds({ vaults: 10, days: YEAR }, ROUNDS, folder),
    fewDecade: await runRounds({ vaults: 10, days: DECADE }, ROUNDS, folder),
    decade: await runRounds({ vaults: 50, days: DECADE }, 1, folder),
    start: await measureStart(),
  }
  console.log(describe(ratios))
  record(ratios)
  const tried = await readFile(join(import.meta.dirname, "sections/tried.md"), "utf8")
  const report = reportOf(measured, ratios, ROUNDS, tried)
  await writeFile(join(import.meta.dirname, "../docs/benchmarks.md"), report)
}

const parts: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  quick,
  latency: async (folder) => (await import("./latency.ts")).benchLatency(folder),
  lake: async (folder) => (await import("./lake/lake.ts")).benchLake(folder),
  marts: async (folder) => (await import("./large/marts.ts")).benchMarts(folder),
  publication: async (folder) => (await import("./large/publication.ts")).benchPublication(folder),
  scale: async () => (await import("./scale/main.ts")).benchScale(),
  "scale-constants": async (folder) =>
    (await import("./scale/measure.ts")).measureConstants(folder),
}

const [part = "complete", ...others] = process.argv.slice(2)
const work = part === "complete" ? complete : parts[part]
if (work === undefined || others.length > 0) {
  console.error(
    `ARGS is one of ${Object.keys(parts).join(", ")}, or empty for the comparison with the floor.`,
  )
  process.exit(64)
}
const folder = await mkdtemp(join(tmpdir(), "vaulthouse-bench-"))
try {
  await work(folder)
} finally {
  await rm(folder, { recursive: true, force: true })
}
