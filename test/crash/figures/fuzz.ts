// What `make fuzz` and `make mutants` tried, as docs/reliability.md shows it.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Figures {
  readonly commit: string
  readonly date: string
  readonly seed: string
  readonly counts: Readonly<Record<string, number>>
}

export interface MutantFigures extends Figures {
  readonly survivors: ReadonlyArray<string>
}

const tests = join(import.meta.dirname, "../..")
const fuzz = join(tests, "fuzz/figures")
export const mutantsFile = join(tests, "mutants/mutants.json")

const read = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"))

const shown = ({ commit, date, seed, counts }: Figures): string =>
  `${Object.entries(counts)
    .map(([name, count]) => `${count.toLocaleString("en")} ${name}`)
    .join(", ")} | \`${commit}\`, ${date}, seed ${seed}`

export const fuzzSection = (): ReadonlyArray<string> => {
  if (!existsSync(fuzz)) return []
  const parts = readdirSync(fuzz).toSorted()
  return [
    "## Changed answers, settings and files",
    "`make fuzz` changes what the product reads, at random places: responses of every endpoint, those of whole runs, the configuration file, the command line, segments of the archive and the manifest. Nothing crashes, hangs or needs more memory than 512 MB; each value of a row is one that the row's own record in the response holds; what becomes no row has a reason; a changed byte of the archive is found by `verify`.",
    [
      "| changed | what became of it | commit, date, seed |",
      "| --- | --- | --- |",
      ...parts.map(
        (name) =>
          `| ${name.replace(/\.json$/, "")} | ${shown(read(join(fuzz, name)) as Figures)} |`,
      ),
    ].join("\n"),
  ]
}

export const mutantsSection = (): ReadonlyArray<string> => {
  if (!existsSync(mutantsFile)) return []
  const figures = read(mutantsFile) as MutantFigures
  return [
    "## Changed source",
    "`make mutants` changes the source of what reads, loads and joins, one place at a time, and runs the tests: one that no test notices is a survivor, unless `test/mutants/judged.ts` says why no test need notice it.",
    ["| what became of them | commit, date, seed |", "| --- | --- |", `| ${shown(figures)} |`].join(
      "\n",
    ),
    ...(figures.survivors.length === 0
      ? []
      : [figures.survivors.map((each) => `- not noticed: \`${each}\``).join("\n")]),
  ]
}
