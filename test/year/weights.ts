// What runs left, as a table of docs/scale.md. Each measurement is kept in weights.json until one of as many hours replaces it.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Bytes } from "../month/bytes.ts"

export interface Weights {
  readonly runs: number
  /** Between two runs. */
  readonly hours: number
  readonly keepDays: number
  readonly files: number
  readonly segments: number
  /** The most that there were at once. */
  readonly mostSegments: number
  readonly bytes: Bytes
  readonly counts: Readonly<Record<string, number>>
  /** Medians of 24 runs, without the first of all; the longest is without it too. */
  readonly firstSeconds: number
  readonly lastSeconds: number
  readonly longestSeconds: number
}

const page = join(import.meta.dirname, "../../docs/scale.md")
const kept = join(import.meta.dirname, "weights.json")

export const writeWeights = (measured: Weights): void => {
  const earlier = JSON.parse(readFileSync(kept, "utf8")) as ReadonlyArray<Weights>
  const all = [...earlier.filter(({ hours }) => hours !== measured.hours), measured].toSorted(
    (a, b) => a.hours - b.hours,
  )
  writeFileSync(kept, `${JSON.stringify(all, null, 2)}\n`)
  const text = readFileSync(page, "utf8")
  const [before = "", rest = ""] = text.split("<!-- year -->")
  const [, after = ""] = rest.split("<!-- /year -->")
  writeFileSync(page, `${before}<!-- year -->\n\n${table(all)}\n<!-- /year -->${after}`)
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

const columns: ReadonlyArray<readonly [string, (weights: Weights) => string]> = [
  ["runs", ({ runs }) => runs.toLocaleString("en-US")],
  ["hours apart", ({ hours }) => String(hours)],
  ["days covered", ({ runs, hours }) => ((runs * hours) / 24).toFixed(0)],
  ["`keepDays`", ({ keepDays }) => String(keepDays)],
  ["files", ({ files }) => String(files)],
  ["of the archive", ({ segments }) => String(segments)],
  ["at most", ({ mostSegments }) => String(mostSegments)],
  ["MB archive", ({ bytes }) => megabytes(bytes.raw)],
  ["MB warehouse", ({ bytes }) => megabytes(bytes.warehouse)],
  ["MB Parquet", ({ bytes }) => megabytes(bytes.parquet)],
  [
    "tasks kept of those recorded",
    ({ counts }) => `${counts["tasks"]} of ${counts["tasks_recorded"]}`,
  ],
  ["responses kept", ({ counts }) => String(counts["responses"])],
  ["results of checks", ({ counts }) => String(counts["results"])],
  ["seconds a run, at the start", ({ firstSeconds }) => firstSeconds.toFixed(2)],
  ["at the end", ({ lastSeconds }) => lastSeconds.toFixed(2)],
  ["longest", ({ longestSeconds }) => longestSeconds.toFixed(2)],
]

/** A column for each measurement: there are more figures than measurements. */
const table = (all: ReadonlyArray<Weights>): string => {
  const [[first] = [""], ...others] = columns
  const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |\n`
  const runs = columns[0]?.[1] ?? (() => "")
  return [
    line([first, ...all.map(runs)]),
    line(["---", ...all.map(() => "---:")]),
    ...others.map(([name, value]) => line([name, ...all.map(value)])),
  ].join("")
}
