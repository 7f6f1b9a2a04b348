// What runs left, as tables of docs/scale.md. Each measurement is kept in weights.json until one with the same options replaces
// it.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Bytes } from "../month/bytes.ts"

/** What there is after so many runs. */
export interface Size {
  readonly runs: number
  readonly files: number
  readonly segments: number
  readonly bytes: Bytes
  /** Of a run: the median of the last 24. */
  readonly seconds: number
}

export interface Weights extends Size {
  /** Between two runs. */
  readonly hours: number
  readonly keepDays: number
  /** How many runs a publication followed; absent: each. */
  readonly publishEvery?: number
  /** The most that there were at once. */
  readonly mostSegments: number
  readonly counts: Readonly<Record<string, number>>
  /** The median of the first 24 runs without the very first; the longest is without that too. */
  readonly firstSeconds: number
  readonly longestSeconds: number
  /** What there was after each 30 days. */
  readonly months?: ReadonlyArray<Size>
}

const page = join(import.meta.dirname, "../../docs/scale.md")
const kept = join(import.meta.dirname, "weights.json")

export const writeWeights = (measured: Weights): void => {
  const earlier = JSON.parse(readFileSync(kept, "utf8")) as ReadonlyArray<Weights>
  const isOther = ({ hours, keepDays }: Weights): boolean =>
    hours !== measured.hours || keepDays !== measured.keepDays
  const all = [...earlier.filter(isOther), measured].toSorted(
    (a, b) => a.hours - b.hours || b.keepDays - a.keepDays,
  )
  writeFileSync(kept, `${JSON.stringify(all, null, 2)}\n`)
  const text = readFileSync(page, "utf8")
  const [before = "", rest = ""] = text.split("<!-- year -->")
  const [, after = ""] = rest.split("<!-- /year -->")
  const tables = [table(all), ...all.flatMap(growth)].join("\n")
  writeFileSync(page, `${before}<!-- year -->\n\n${tables}\n<!-- /year -->${after}`)
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
const count = (number: number): string => number.toLocaleString("en-US")

type Column<A> = readonly [string, (of: A) => string]

const sizes: ReadonlyArray<Column<Size>> = [
  ["files", ({ files }) => String(files)],
  ["of the archive", ({ segments }) => String(segments)],
  ["MB archive", ({ bytes }) => megabytes(bytes.raw)],
  ["MB warehouse", ({ bytes }) => megabytes(bytes.warehouse)],
  ["MB Parquet", ({ bytes }) => megabytes(bytes.parquet)],
  ["seconds a run", ({ seconds }) => seconds.toFixed(2)],
]

const columns: ReadonlyArray<Column<Weights>> = [
  ["runs", ({ runs }) => count(runs)],
  ["hours apart", ({ hours }) => String(hours)],
  ["days covered", ({ runs, hours }) => ((runs * hours) / 24).toFixed(0)],
  ["`keepDays`", ({ keepDays }) => String(keepDays)],
  ["runs for each publication", ({ publishEvery = 1 }) => String(publishEvery)],
  ...sizes,
  ["seconds a run, at the start", ({ firstSeconds }) => firstSeconds.toFixed(2)],
  ["seconds of the longest", ({ longestSeconds }) => longestSeconds.toFixed(2)],
  ["most files of the archive at once", ({ mostSegments }) => String(mostSegments)],
  [
    "tasks kept of those recorded",
    ({ counts }) => `${count(counts["tasks"] ?? 0)} of ${count(counts["tasks_recorded"] ?? 0)}`,
  ],
  ["responses kept", ({ counts }) => count(counts["responses"] ?? 0)],
  ["results of checks", ({ counts }) => count(counts["results"] ?? 0)],
]

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |\n`

/** A column for each measurement: there are more figures than measurements. */
const table = (all: ReadonlyArray<Weights>): string => {
  const [[first] = [""], ...others] = columns
  const runs = columns[0]?.[1] ?? (() => "")
  return [
    line([first, ...all.map(runs)]),
    line(["---", ...all.map(() => "---:")]),
    ...others.map(([name, value]) => line([name, ...all.map(value)])),
  ].join("")
}

/** A line for each 30 days of a measurement that has covered more than that. */
const growth = ({ months = [], hours, keepDays }: Weights): ReadonlyArray<string> => {
  if (months.length < 2) return []
  const names = sizes.map(([name]) => name)
  const lines = months.map((size) =>
    line([
      String((size.runs * hours) / 24),
      count(size.runs),
      ...sizes.map(([, value]) => value(size)),
    ]),
  )
  const text = [
    `Runs ${hours === 1 ? "an hour" : `${hours} hours`} apart with \`keepDays: ${keepDays}\`, every 30 days:\n\n`,
    line(["days", "runs", ...names]),
    line(["---:", "---:", ...names.map(() => "---:")]),
    ...lines,
  ].join("")
  return [text]
}
