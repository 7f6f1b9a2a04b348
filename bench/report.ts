// Renders docs/benchmarks.md.
import { cpus } from "node:os"
import { memoryGrowth, type Ratios, rounded } from "./history.ts"
import type { ComparedRounds, Rounds } from "./rounds.ts"
import { readSection } from "./section.ts"
import type { StartTimes } from "./startTimes.ts"
import { header, line } from "./table.ts"

export interface Report {
  readonly year: ComparedRounds
  readonly decade: Rounds
  readonly fewYear: Rounds
  readonly fewDecade: Rounds
  readonly start: StartTimes
}

interface Aim {
  readonly name: string
  readonly value: number
  readonly atLeast?: number
  readonly atMost?: number
}

const aimsOf = ({ year, decade, fewYear, fewDecade, start }: Report, ratios: Ratios) =>
  [
    {
      name: "first sync, rows/s against the floor",
      value: ratios.first_sync_to_floor,
      // The best so far: it may not fall.
      atLeast: 0.43,
    },
    { name: "the same by CPU time", value: ratios.first_sync_to_floor_cpu },
    { name: "first sync, rows/s against the plain script", value: ratios.first_sync_to_plain },
    { name: "run without news, seconds", value: ratios.no_news_seconds },
    {
      name: "run without news, 10 years against 1, 10 vaults",
      value: rounded(fewDecade.again.seconds / fewYear.again.seconds),
      atMost: 1.1,
    },
    { name: "peak MB, 50 vaults, 1 year", value: ratios.peak_megabytes, atMost: 500 },
    {
      name: "peak memory, 10 years against 1, 50 vaults",
      value: memoryGrowth(decade, year),
      atMost: 1.2,
    },
    { name: "the same, 10 vaults", value: memoryGrowth(fewDecade, fewYear) },
    {
      name: "`--help` as installed, whole command, seconds",
      value: rounded(start.helpSeconds),
      atMost: 0.25,
    },
    { name: "`query`, the same", value: rounded(start.querySeconds), atMost: 0.35 },
    {
      name: "`sync`, the first, 50 vaults × 1 year, the same",
      value: rounded(start.firstSyncSeconds),
    },
    { name: "`sync` without news, the same", value: rounded(start.noNewsSeconds) },
  ] satisfies ReadonlyArray<Aim>

const isMissed = ({ value, atLeast = -Infinity, atMost = Infinity }: Aim): boolean =>
  value < atLeast || value > atMost

const aimLine = (aim: Aim): string => {
  const { name, value, atLeast, atMost } = aim
  const wanted =
    atLeast === undefined ? (atMost === undefined ? "" : `≤ ${atMost}`) : `≥ ${atLeast}`
  return `| ${name} | ${isMissed(aim) ? `**${value}**` : value} | ${wanted} |`
}

export const reportOf = (report: Report, ratios: Ratios, rounds: number, tried: string): string => {
  const { year, decade, fewYear, fewDecade } = report
  const aims: ReadonlyArray<Aim> = aimsOf(report, ratios)
  const missed = aims.filter(isMissed)
  return `# Benchmarks

Written by \`make bench\`: simulator, product and the others as processes of one machine (${cpus().length} cores, Node ${process.version}),
loopback only, medians of ${rounds} rounds. Trust the ratios, not the seconds. The floor fetches the same bodies with 16
requests at once, parses them and bulk-loads them into DuckDB; it checks, archives, versions and merges nothing. The
plain script (\`bench/scripts/plain.ts\`) is what a competent engineer would write in an afternoon: retries, one table per history
with a primary key, insert or replace. \`make bench ARGS=quick\` takes a minute and compares with the last recorded
ratios.

What bounds a run without news is its main thread: of 0.72 CPU-seconds there (measured between its requests and statements, on
a busy machine) 0.30 load Node, DuckDB and the 450 modules of a checkout before the seconds below begin, 0.03 open and plan, 0.05 read and commit
the list of vaults, 0.24 send 245 requests and commit in between, 0.06 commit the rest, and 0.04 check, record the state and close.
No part of a request stands out (the last section). Other threads take about as much again: V8's garbage collection and compilation a quarter of all CPU time, DuckDB and
decompression another.

${readSection("latency")}

${readSection("lake")}

## On the loopback
Earlier runs are in \`bench/history.json\`.

${header("50 vaults × 1 year")}
${line("first sync", year.first)}
${line("floor", year.floor)}
${line("plain script", year.plain)}
${line("second sync, no news", year.again)}
${line("10 years, first sync (once)", decade.first)}
${line("10 years, no news (once)", decade.again)}

${header("10 vaults")}
${line("1 year, first sync", fewYear.first)}
${line("10 years, first sync", fewDecade.first)}
${line("1 year, no news", fewYear.again)}
${line("10 years, no news", fewDecade.again)}

| ratio | value | aim |
|---|---:|---|
${aims.map(aimLine).join("\n")}

${missed.length === 0 ? "This run met every aim." : `This run missed ${missed.length} of ${aims.filter(({ atLeast, atMost }) => (atLeast ?? atMost) !== undefined).length} aims, in bold.`}

${readSection("marts")}

${readSection("publication")}

${readSection("dlt")}

${tried.trim()}
`
}
