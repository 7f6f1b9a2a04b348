// Prints the dictionary, from the same values the database is made of.
import * as Effect from "effect/Effect"
import { didYouMean } from "../../config/nearest.ts"
import { type DictionaryEntry, dictionary } from "../../pipelines/readers/dictionary.ts"
import { type Arguments, textOf } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { textTable } from "../table.ts"
import { sqlLines } from "../sqlLines.ts"
import { paragraph, terminalWidth } from "../terminal.ts"

export const runTables = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, () =>
    Effect.gen(function* () {
      const entries = dictionary()
      const asked = textOf(argv, "name")
      const found = asked === undefined ? entries : entries.filter((entry) => isNamed(entry, asked))
      if (found.length === 0) {
        const names = entries.flatMap(({ name }) => [name, withoutSchema(name)])
        return yield* new UsageError({
          why: `There is no table \`${asked}\`${didYouMean(asked ?? "", names) || "."}`,
          advice: "`vaulthouse tables` lists them all.",
        })
      }
      if (argv["json"] === true) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
      else if (asked === undefined) process.stdout.write(listText(found))
      else process.stdout.write(found.map(entryText).join("\n"))
      return exitCodes.ok
    }),
  )

/** With or without its schema. */
const isNamed = ({ name }: DictionaryEntry, asked: string): boolean =>
  name === asked || withoutSchema(name) === asked

const withoutSchema = (name: string): string => name.slice(name.indexOf(".") + 1)

const listText = (entries: ReadonlyArray<DictionaryEntry>): string =>
  `${textTable(
    ["table", "one row per"],
    entries.map(({ name, grain }) => [name, grain]),
  )}\n\n\`vaulthouse tables NAME\` describes one, column by column.\n`

const entryText = (entry: DictionaryEntry): string =>
  [
    paragraph(`${entry.name}: ${entry.comment}`),
    "",
    `one row per  ${paragraph(entry.grain, 13)}`,
    `key          ${paragraph(entry.key.join(", "), 13)}`,
    `source       ${paragraph(entry.source, 13)}`,
    ...(entry.asOf === undefined ? [] : [`as of        ${paragraph(entry.asOf, 13)}`]),
    "",
    textTable(
      ["column", "type", "unit", "meaning"],
      entry.columns.map(({ name, type, unit, comment }) => [name, type, unit ?? "", comment]),
    ),
    "",
    "example",
    exampleText(entry.example),
    "",
  ].join("\n")

const EXAMPLE_WIDTH = 92

/** The command to paste, whole on one line or a clause of its SQL a line. */
const exampleText = (example: string): string => {
  const [first = "", ...rest] = sqlLines(example, Math.min(EXAMPLE_WIDTH, terminalWidth() - 8))
  return rest.length === 0 && first.length < EXAMPLE_WIDTH - 22
    ? `  vaulthouse query "${first}"`
    : ['  vaulthouse query "', ...[first, ...rest].map((line) => `    ${line}`)]
        .join("\n")
        .concat('"')
}
