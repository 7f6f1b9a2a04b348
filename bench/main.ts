// What a full and a no-news run cost against the floor, as ratios within one run of this script.
// Writes docs/benchmarks.md. All traffic is on loopback.
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { runChild, startChild } from "./child.ts"

interface Measured {
  readonly seconds: number
  readonly rows: number
  readonly requests: number
  readonly megabytes: number
}

const ROUNDS = 3
const folder = await mkdtemp(join(tmpdir(), "vaulthouse-bench-"))

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const typical = (all: ReadonlyArray<Measured>): Measured => ({
  seconds: median(all.map(({ seconds }) => seconds)),
  rows: median(all.map(({ rows }) => rows)),
  requests: median(all.map(({ requests }) => requests)),
  megabytes: median(all.map(({ megabytes }) => megabytes)),
})

/** First sync, no-news sync and, when asked, the floor over the same bodies. */
const measure = async (vaults: number, days: number, rounds: number, withFloor: boolean) => {
  const server = await startChild("server.ts", `${vaults}`, `${days}`)
  const first: Array<Measured> = []
  const again: Array<Measured> = []
  const floor: Array<Measured> = []
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = join(folder, `${vaults}x${days}-${round}`)
    first.push(await runChild("sync.ts", server.first, dataDir))
    again.push(await runChild("sync.ts", server.first, dataDir))
    if (withFloor) floor.push(await runChild("floor.ts", dataDir, `${dataDir}.floor.duckdb`))
    await rm(dataDir, { recursive: true })
  }
  server.process.kill()
  return { first: typical(first), again: typical(again), floor: typical(floor) }
}

const number = (value: number, digits = 0): string =>
  value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits })

const line = (name: string, { seconds, rows, requests, megabytes }: Measured): string =>
  `| ${name} | ${number(rows)} | ${number(requests)} | ${number(seconds, 2)} | ${number(rows / seconds)} | ${number(megabytes)} |`

const FLOOR_AIM = 0.5
const MEMORY_AIM = 1.2

/** One sentence on the aims, as they are printed. */
const verdict = (toFloor: number, decadeMemory: number): string => {
  const missed = [
    ...(toFloor < FLOOR_AIM
      ? [`rows/s against the floor are ${toFloor}, the aim is at least ${FLOOR_AIM}`]
      : []),
    ...(decadeMemory > MEMORY_AIM
      ? [`peak memory grows to ${decadeMemory} of itself, the aim is at most ${MEMORY_AIM}`]
      : []),
  ]
  return missed.length === 0
    ? "This run met both aims that are numbers."
    : `**This run missed an aim:** ${missed.join("; ")}.`
}

try {
  const year = await measure(50, 365, ROUNDS, true)
  const short = await measure(10, 365, ROUNDS, false)
  const long = await measure(10, 3650, ROUNDS, false)
  const decade = await measure(50, 3650, 1, false)
  const rate = ({ rows, seconds }: Measured) => rows / seconds
  const toFloor = number(rate(year.first) / rate(year.floor), 2)
  const decadeMemory = number(decade.first.megabytes / year.first.megabytes, 2)
  const report = `# Benchmarks

Written by \`make bench\`: simulator, product and floor as processes of one machine (${cpus().length} cores, Node ${process.version}), loopback
only, medians of ${ROUNDS} rounds. Trust the ratios, not the seconds. The floor fetches the same bodies with 16 requests
under way, parses them and bulk-loads them into DuckDB, and checks, archives, versions and merges nothing.

| 50 vaults × 1 year | rows | requests | seconds | rows/s | peak MB |
|---|---:|---:|---:|---:|---:|
${line("first sync", year.first)}
${line("floor", year.floor)}
${line("second sync, no news", year.again)}
${line("10 years, first sync (once)", decade.first)}

| 10 vaults | rows | requests | seconds | rows/s | peak MB |
|---|---:|---:|---:|---:|---:|
${line("1 year, first sync", short.first)}
${line("10 years, first sync", long.first)}
${line("1 year, no news", short.again)}
${line("10 years, no news", long.again)}

| ratio | value | aim |
|---|---:|---|
| first sync, rows/s against the floor | ${toFloor} | ≥ ${FLOOR_AIM} |
| peak memory, 10 years against 1, 50 vaults | ${decadeMemory} | ≤ ${MEMORY_AIM} |
| the same, 10 vaults (a year of 10 does not fill the buffers) | ${number(long.first.megabytes / short.first.megabytes, 2)} | |
| rows/s, 10 years against 1, 50 vaults | ${number(rate(decade.first) / rate(year.first), 2)} | |
| no-news run, 10 years against 1 | ${number(long.again.seconds / short.again.seconds, 2)} | about 1 |
| second sync against the first, seconds | ${number(year.again.seconds / year.first.seconds, 2)} | |

${verdict(Number(toFloor), Number(decadeMemory))}
`
  await writeFile(join(import.meta.dirname, "../docs/benchmarks.md"), report)
  console.log(report)
} finally {
  await rm(folder, { recursive: true, force: true })
}
