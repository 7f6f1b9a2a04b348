// What a network costs: a first sync and one without news against a service that answers after 0, 50, 150 and 300 ms, beside
// the plain script and dlt over the same URLs, and how many requests were under way meanwhile.
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Simulator, startSimulator } from "../simulator/index.ts"
import { bars } from "./bars.ts"
import { runChild } from "./child.ts"
import type { Measured } from "./measured.ts"
import { writeSection } from "./section.ts"
import { urlsOf } from "./scripts/urls.ts"

const LATENCIES = [0, 50, 150, 300]
const AT_ONCE = 32
const AIM = 0.85
/** The latency of which the ratios are recorded. */
const RECORDED = 150
/** The latency of the chart, and the width of one of its columns. */
const CHARTED = 300

const python = join(import.meta.dirname, "../node_modules/.dlt/bin/python")

export interface Delayed {
  readonly latency: number
  readonly first: Measured
  readonly again: Measured
  readonly plain: Measured | undefined
  /** Where dlt is installed. */
  readonly dlt: Measured | undefined
  /** Requests under way in each round trip. */
  readonly underWay: {
    readonly first: ReadonlyArray<number>
    readonly again: ReadonlyArray<number>
  }
}

/** Requests by the round trip in which they arrived. */
const arrivals = (simulator: Simulator, before: number, latency: number): ReadonlyArray<number> => {
  const { last, total } = simulator.requests()
  const times = last.slice(before - total).map(({ at }) => Date.parse(at))
  const start = times[0] ?? 0
  const counts: Array<number> = []
  for (const time of times) {
    const trip = Math.floor((time - start) / Math.max(latency, 1))
    counts[trip] = (counts[trip] ?? 0) + 1
  }
  return Array.from(counts, (count) => count ?? 0)
}

/** `others`: whether the plain script and dlt read the same, too. */
export const measureAt = async (
  latency: number,
  folder: string,
  { others }: { readonly others: boolean },
): Promise<Delayed> => {
  const simulator = await startSimulator({ vaults: 50, days: 365, latencyMs: latency })
  const dataDir = join(folder, `latency-${latency}`)
  try {
    const run = async (): Promise<{ measured: Measured; trips: ReadonlyArray<number> }> => {
      const before = simulator.requests().total
      const measured = await runChild<Measured>("scripts/sync.ts", simulator.url, dataDir)
      return { measured, trips: arrivals(simulator, before, latency) }
    }
    const first = await run()
    const again = await run()
    const plain = others
      ? await runChild<Measured>("scripts/plain.ts", dataDir, `${dataDir}.plain.duckdb`, "16")
      : undefined
    const urls = join(folder, "urls.json")
    await writeFile(urls, JSON.stringify(await urlsOf(dataDir)))
    return {
      latency,
      first: first.measured,
      again: again.measured,
      plain,
      dlt: others && existsSync(python) ? await runDlt(urls, `${dataDir}.dlt.duckdb`) : undefined,
      underWay: { first: first.trips, again: again.trips },
    }
  } finally {
    await simulator.close()
    for (const made of [dataDir, `${dataDir}.plain.duckdb`, `${dataDir}.dlt.duckdb`]) {
      await rm(made, { recursive: true, force: true })
    }
  }
}

const runDlt = async (urls: string, database: string): Promise<Measured> => {
  const script = join(import.meta.dirname, "dlt/dlt_pipeline.py")
  const { stdout } = await promisify(execFile)(python, [script, urls, database, `${AT_ONCE}`])
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measured
}

/** The least that the latency allows with this many requests at once. */
const idealSeconds = ({ requests }: Measured, latency: number): number =>
  ((requests / AT_ONCE) * latency) / 1000

/** How near a run comes to the ideal and its own time without latency. */
export const share = (measured: Measured, alone: Measured, latency: number): number =>
  (idealSeconds(measured, latency) + alone.seconds) / measured.seconds

const chartOf = (counts: ReadonlyArray<number>): string =>
  bars(counts.map((count) => count / AT_ONCE))

const perMillion = (name: string, { cpuSeconds, megabytes, rows }: Measured): string =>
  `| ${name} | ${((cpuSeconds / rows) * 1e6).toFixed(1)} | ${Math.round((megabytes / rows) * 1e6)} |`

const sectionOf = (all: ReadonlyArray<Delayed>): string => {
  const [none] = all
  if (none === undefined) return ""
  const lineOf = ({ latency, first, again, plain, dlt }: Delayed): string => {
    const cell = (measured: Measured, alone: Measured): string =>
      latency === 0
        ? measured.seconds.toFixed(2)
        : `${measured.seconds.toFixed(2)} (${share(measured, alone, latency).toFixed(2)})`
    const of = (measured: Measured): string => idealSeconds(measured, latency).toFixed(1)
    return `| ${latency} ms | ${cell(first, none.first)} | ${of(first)} | ${cell(again, none.again)} | ${of(again)} | ${plain?.seconds.toFixed(2) ?? "–"} | ${dlt?.seconds.toFixed(2) ?? "–"} |`
  }
  const withDlt = all.find(({ dlt }) => dlt !== undefined)?.dlt
  const charted = all.find(({ latency }) => latency === CHARTED)
  const missed = all
    .filter(({ latency }) => latency >= RECORDED)
    .flatMap(({ latency, first, again }) => [
      { name: `first sync at ${latency} ms`, value: share(first, none.first, latency) },
      { name: `no news at ${latency} ms`, value: share(again, none.again, latency) },
    ])
    .filter(({ value }) => value < AIM)
  return `## A service with latency
Written by \`make bench ARGS=latency\`, once: 50 vaults × 1 year, four histories, each response delayed; seconds. In brackets: the
ideal (requests ÷ ${AT_ONCE} × latency) plus the time of the same run without latency, as a share of what it took; the aim is ${AIM} from ${RECORDED} ms on.
The plain script has 16 requests under way, dlt ${AT_ONCE}; both read the URLs of the first sync again in every run.

| latency | first sync, ${none.first.requests} requests | ideal | no news, ${none.again.requests} requests | ideal | plain script | dlt |
|---|---:|---:|---:|---:|---:|---:|
${all.map(lineOf).join("\n")}

${missed.length === 0 ? "Every run met the aim." : `Missed: ${missed.map(({ name, value }) => `${name} (${value.toFixed(2)})`).join(", ")}.`}

What a million rows cost, by a first sync of ${none.first.rows.toLocaleString("en")} (the peak memory hardly grows with more rows):

| | CPU-seconds | MB |
|---|---:|---:|
${[
  perMillion("vaulthouse", none.first),
  ...(none.plain === undefined ? [] : [perMillion("plain script", none.plain)]),
  ...(withDlt === undefined ? [] : [perMillion("dlt", withDlt)]),
].join("\n")}

Requests sent in each round trip of ${CHARTED} ms, of ${AT_ONCE} that may be under way. The two lists of vaults come first, in a first
run one after the other, so that a vault that is closed meanwhile is in one at least; the window then doubles, and the next run
starts with it:

\`\`\`
first sync  ${chartOf(charted?.underWay.first ?? [])}
no news     ${chartOf(charted?.underWay.again ?? [])}
\`\`\`
`
}

export const benchLatency = async (folder: string): Promise<void> => {
  const all: Array<Delayed> = []
  // The first run leaves the template of a new warehouse, and compiled modules.
  await measureAt(0, folder, { others: false })
  for (const latency of LATENCIES) all.push(await measureAt(latency, folder, { others: true }))
  const section = sectionOf(all)
  console.log(section)
  writeSection("latency", section)
}

/** For the recorded history: the shares of one run at the recorded latency. */
export const delayedShares = async (
  alone: Pick<Delayed, "first" | "again">,
  folder: string,
): Promise<{ readonly first: number; readonly again: number }> => {
  const { first, again } = await measureAt(RECORDED, folder, { others: false })
  return {
    first: share(first, alone.first, RECORDED),
    again: share(again, alone.again, RECORDED),
  }
}
