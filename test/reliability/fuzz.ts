// What `make fuzz` and `make mutants` tried, as docs/reliability.md shows it.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { MutantFigures } from "../mutants/figures.ts"

interface Figures {
  readonly commit: string
  readonly date: string
  readonly seed: string
  readonly counts: Readonly<Record<string, number>>
}

const tests = join(import.meta.dirname, "..")
const fuzz = join(tests, "fuzz/figures")
const mutants = join(tests, "mutants/figures.json")

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
    "`make fuzz` changes what the product reads, at random places: responses of every endpoint, those of whole runs, the configuration file, the command line, segments of the archive and the manifest. Nothing crashes or hangs, and no response needs more than 512 MB; each figure, text and time of a row is one that the row's own record in the response holds, or the request; what becomes no row has a reason; a changed archive or manifest is found by `verify`, or makes the same rows.",
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
  if (!existsSync(mutants)) return []
  const figures = read(mutants) as MutantFigures
  const { noticed, hung, judged, tried, chosen, mutations, files, survivors } = figures
  const { unreached, red } = figures
  const shouldBe = tried - judged
  const share = shouldBe === 0 ? 0 : Math.floor((100 * (noticed + hung)) / shouldBe)
  return [
    "## Changed source",
    "`make mutants` changes the source of what reads, loads and joins, one place at a time, and runs tests that reach the place: up to eight of those nearest to it (those of the file's name, that import it, of its folder, or of what uses it alone), then the quickest of the others, two minutes of them. Which tests reach a place is found by running all of them once, with source that writes down where it was. What none of them notices is a survivor, unless `test/mutants/judged.ts` says why no test need notice it. Code that only a lake, PostgreSQL or commands that read reach is left out.",
    `On commit \`${figures.commit}\`, ${figures.date}, in ${figures.minutes} minutes: **${share} % noticed**, ${noticed + hung} of ${shouldBe} (${hung} by tests that did not end), and ${judged} that need not be; of ${chosen} places chosen by seed ${figures.seed} among ${mutations.toLocaleString("en")} in ${files} files, ${tried} were tried. Of those not noticed, ${unreached} are reached by no test.`,
    ...(survivors.length === 0
      ? []
      : [
          survivors
            .map(
              ({ file, line, text, replacement }) =>
                `- not noticed: ${file}:${line}: \`${text}\` → \`${replacement}\``,
            )
            .join("\n"),
        ]),
    ...(red.length === 0
      ? []
      : [
          `Tests that fail where the source writes down what is reached, so that nothing was tried by them: ${red.join(", ")}.`,
        ]),
  ]
}
