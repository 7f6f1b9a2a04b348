// Records the ratios of runs in bench/history.json, and compares this run's with them.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import asciichart from "asciichart"
import type { ComparedRounds, Rounds } from "./rounds.ts"
import { rate } from "./measured.ts"

/** The ratios for 50 vaults and one year of history. */
export interface Ratios {
  /** Rows per second of the first sync, relative to the floor's. */
  readonly first_sync_to_floor: number
  /** The same by CPU time, which other work on the machine disturbs less. */
  readonly first_sync_to_floor_cpu: number
  /** Rows per second of the first sync, relative to the plain script's. */
  readonly first_sync_to_plain: number
  /** Seconds of a run without news, relative to the floor's. */
  readonly no_news_to_floor: number
  readonly no_news_seconds: number
  readonly peak_megabytes: number
  /** At 150 ms: the ideal plus the loopback time, as a share of what the run took (bench/latency.ts). */
  readonly delayed_first_sync: number
  readonly delayed_no_news: number
}

/** The first recorded runs lack what was not measured then. */
export type HistoryEntry = Partial<Ratios> &
  Pick<Ratios, "first_sync_to_floor"> & { readonly date: string; readonly commit: string }

export const ratiosOf = (
  { first, again, floor, plain }: ComparedRounds,
  delayed: { readonly first: number; readonly again: number },
): Ratios => ({
  first_sync_to_floor: rounded(rate(first) / rate(floor)),
  first_sync_to_floor_cpu: rounded(floor.cpuSeconds / first.cpuSeconds),
  first_sync_to_plain: rounded(rate(first) / rate(plain)),
  no_news_to_floor: rounded(again.seconds / floor.seconds),
  no_news_seconds: rounded(again.seconds),
  peak_megabytes: Math.round(Math.max(first.megabytes, again.megabytes)),
  delayed_first_sync: rounded(delayed.first),
  delayed_no_news: rounded(delayed.again),
})

export const memoryGrowth = (long: Rounds, short: Rounds): number =>
  rounded(long.first.megabytes / short.first.megabytes)

export const rounded = (value: number): number => Math.round(value * 100) / 100

const file = join(import.meta.dirname, "history.json")

export const readHistory = (): ReadonlyArray<HistoryEntry> =>
  JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<HistoryEntry>

const currentCommit = (): string =>
  execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim()

export const record = (ratios: Ratios): void => {
  const date = new Date().toISOString().slice(0, 10)
  const entries = [...readHistory(), { date, commit: currentCommit(), ...ratios }]
  writeFileSync(file, `[\n${entries.map((entry) => `  ${JSON.stringify(entry)}`).join(",\n")}\n]\n`)
}

/** One line per ratio: this run's, the last recorded one, and the change. */
export const comparison = (ratios: Ratios, last: HistoryEntry | undefined): string =>
  Object.entries(ratios)
    .map(([name, value]: [string, number]) => {
      const before = last?.[name as keyof Ratios]
      const change =
        before === undefined
          ? ""
          : `  was ${before} (${last?.commit}), ${signed((value / before - 1) * 100)} %`
      return `${name.padEnd(24)} ${String(value).padStart(6)}${change}`
    })
    .join("\n")

const signed = (percent: number): string => `${percent < 0 ? "" : "+"}${percent.toFixed(0)}`

/** A chart of the first sync relative to the floor, by wall time, over all recorded runs. */
export const chart = (entries: ReadonlyArray<Pick<Ratios, "first_sync_to_floor">>): string =>
  asciichart.plot(
    // Each run is three columns wide, because a line of single points is hard to read.
    entries.flatMap((entry) => [
      entry.first_sync_to_floor,
      entry.first_sync_to_floor,
      entry.first_sync_to_floor,
    ]),
    { height: 8, min: 0, max: 1, format: (value) => value.toFixed(2).padStart(5) },
  )
