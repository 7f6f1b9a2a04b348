// The figures of the proof's parts, and docs/reliability.md, which is made of them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { answersSection } from "./answers.ts"
import { fuzzSection, mutantsSection } from "./fuzz.ts"
import { repeatedSection } from "./repeated.ts"

export interface CommandFigures {
  readonly command: string
  /** Of the uninterrupted command. */
  readonly effects: number
  /** Deaths by way, those that leave an equal state included. */
  readonly tried: Readonly<Record<string, number>>
  /** Different states and failures, each tried once. */
  readonly distinct: number
  /** Deaths that a whole proof tries. */
  readonly planned: number
  /** After how many of them a row, version or response was missing, was there twice, and so on. */
  readonly lost: number
  readonly doubled: number
  readonly unclear: number
  readonly other: number
}

export interface Figures {
  readonly title: string
  readonly text: string
  readonly effects: string
  readonly commit: string
  readonly date: string
  readonly minutes: number
  readonly commands: ReadonlyArray<CommandFigures>
  readonly failures: ReadonlyArray<{
    readonly command: string
    readonly way: string
    readonly at: number
    readonly what: string
  }>
}

export interface Found {
  readonly part: string
  readonly found: string
  readonly mended: string
  /** Of what is not mended: words that each of its failures has, which then fails no slice. */
  readonly words?: ReadonlyArray<string>
}

const folder = join(import.meta.dirname, "figures")
const page = join(import.meta.dirname, "../../docs/reliability.md")

const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"))

/** Keeps the figures of a part, and makes the page again. */
export const writeFigures = (part: string, figures: Figures): void => {
  writeFileSync(join(folder, `${part}.json`), `${JSON.stringify(figures, null, 2)}\n`)
  writePage()
}

export const writePage = (): void => {
  const parts = readdirSync(folder)
    .filter((name) => name.endsWith(".json") && name !== "found.json")
    .toSorted()
    .map((name) => read(name) as Figures)
  writeFileSync(page, pageOf(parts, read("found.json") as ReadonlyArray<Found>))
}

const words = (read("found.json") as ReadonlyArray<Found>).flatMap((each) =>
  each.words === undefined ? [] : [each.words],
)

/** Whether that is what an earlier proof found and nothing mends yet. */
export const isKnown = (text: string): boolean =>
  words.some((each) => each.every((word) => text.includes(word)))

const number = (value: number): string => value.toLocaleString("en")

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [
    row(head),
    row(
      head.map((_, at) =>
        at === 0 || rows.some((each) => !/^[\d,]+$/.test(each[at] ?? "")) ? "---" : "--:",
      ),
    ),
    ...rows.map(row),
  ].join("\n")

const sum = (values: ReadonlyArray<number>): number => values.reduce((all, each) => all + each, 0)

const isOpen = ({ mended }: Found): boolean => /\bnot mended\b/i.test(mended)

const triedOf = ({ tried }: CommandFigures): number => sum(Object.values(tried))

const section = (figures: Figures, isMended: boolean): string => {
  const { commands } = figures
  const ways = [...new Set(commands.flatMap(({ tried }) => Object.keys(tried)))]
  const tried = sum(commands.map(triedOf))
  const planned = sum(commands.map((each) => each.planned))
  const untried = commands.filter((each) => each.planned === 0).map(({ command }) => command)
  const share = planned === 0 ? 0 : Math.min(100, Math.floor((100 * tried) / planned))
  return [
    `## ${figures.title}`,
    figures.text,
    `On commit \`${figures.commit}\`, ${figures.date}: **${number(tried)} deaths** of ${number(planned)} planned (${share} %), in ${figures.minutes} minutes.${untried.length === 0 ? "" : ` Not tried on it, and not among those planned: ${untried.join(", ")}.`}`,
    table(
      [
        "command",
        figures.effects,
        ...ways.map((way) => `\`${way}\``),
        "different",
        "lost",
        "doubled",
        "unclear end",
        "other",
      ],
      commands.map((each) => [
        each.command,
        number(each.effects),
        ...ways.map((way) => number(each.tried[way] ?? 0)),
        number(each.distinct),
        ...[each.lost, each.doubled, each.unclear, each.other].map(number),
      ]),
    ),
    figures.failures.length === 0
      ? `Nothing that was tried failed.${isMended ? "" : " What an earlier proof found and nothing mends yet is below."}`
      : [
          "What failed on that commit (the end of the page says what is mended since):",
          "",
          ...figures.failures
            .slice(0, 40)
            .map(
              ({ command, way, at, what }) =>
                `- ${command}, \`${way} ${at}\`: ${what.replaceAll(/\s+/g, " ")}`,
            ),
          ...(figures.failures.length > 40 ? [`- and ${figures.failures.length - 40} more`] : []),
        ].join("\n"),
  ].join("\n\n")
}

const pageOf = (parts: ReadonlyArray<Figures>, found: ReadonlyArray<Found>): string =>
  `${[
    "# Reliability",
    "Made by `make proof`, `make matrix`, `make fuzz`, `make mutants` and `make flaky`; not written by hand.",
    "The README promises that a run can be ended at any moment. `make proof` ends it at each, and then does what a user does: it runs `sync` again. After each death, that sync must succeed without help; every table with its versions must equal that of a run that was not interrupted; the published copy must equal the warehouse, and at no moment may a reader see half of one; `verify` and `check` must find nothing; every row must lead to its response; a replay of the archive into an empty folder must make the same rows; no file may stay for ever; and no request of a committed task may be sent again. A command in which something fails must end with a sentence and a documented exit code.",
    "`kill`: the process is killed. `torn`: in the middle of a write. `data`: the power fails, and what was not flushed is lost. `names`: with it, names in folders that were not flushed. `killed`: a real process, as a check of the record. Others: the error that the operating system returns, once or from there on. A death that leaves the same files as another, but for unfinished ones under a temporary name, is counted, and tried once.",
    ...parts.map((part) =>
      section(part, !found.some((each) => isOpen(each) && part.title.includes(each.part))),
    ),
    ...answersSection(),
    ...fuzzSection(),
    ...mutantsSection(),
    ...repeatedSection(),
    ...(found.length === 0
      ? []
      : [
          "## What a proof found",
          table(
            ["part", "what was found", "how it was fixed"],
            found.map(({ part, found: what, mended }) => [part, what, mended]),
          ),
        ]),
  ].join("\n\n")}\n`
