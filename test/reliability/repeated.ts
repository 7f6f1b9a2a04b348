// What `make flaky` found, as docs/reliability.md shows it: node test/reliability/repeated.ts COMMIT AT_ONCE FILE, of which
// each line is a run that passed.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

interface Range {
  readonly least: number
  readonly most: number
}

interface Repeated {
  readonly commit: string
  readonly date: string
  readonly runs: number
  readonly atOnce: number
  /** Of one run. */
  readonly seconds: Range
  /** Of the minute before a run ended. */
  readonly load: Range
}

const file = join(import.meta.dirname, "repeated.json")

const shown = ({ least, most }: Range): string =>
  `${Math.round(least).toLocaleString("en")} to ${Math.round(most).toLocaleString("en")}`

export const repeatedSection = (): ReadonlyArray<string> => {
  if (!existsSync(file)) return []
  const { commit, date, runs, atOnce, seconds, load } = JSON.parse(
    readFileSync(file, "utf8"),
  ) as Repeated
  return [
    "## The same tests again and again",
    "`make flaky` runs `make test` until it has passed 20 times in a row. Several runs at once load the machine; each has its own seed for all random choices. A run that fails prints its seed, and the count begins again.",
    `On commit \`${commit}\`, ${date}: **${runs} runs in a row passed**, ${atOnce} at once, in ${shown(seconds)} s each, at a load of ${shown(load)}.`,
  ]
}

if (import.meta.main) {
  const [commit = "", atOnce = "", passes = ""] = process.argv.slice(2)
  const lines = readFileSync(passes, "utf8").trim().split("\n")
  const range = (of: RegExp): Range => {
    const found = lines.flatMap((line) => of.exec(line)?.[1] ?? []).map(Number)
    return { least: Math.min(...found), most: Math.max(...found) }
  }
  const repeated: Repeated = {
    commit,
    date: lines.at(-1)?.slice(0, 10) ?? "",
    runs: lines.length,
    atOnce: Number(atOnce),
    seconds: range(/, (\d+) s,/),
    load: range(/load ([\d.]+)/),
  }
  writeFileSync(file, `${JSON.stringify(repeated, null, 2)}\n`)
}
