// Prints the data dictionary, from the tables and marts the database is created from.
import { didYouMean } from "../../../config/read/nearest.ts"
import { type DictionaryEntry, dictionary } from "../../../pipelines/readers/dictionary.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute } from "../../execute/execute.ts"
import { printReport } from "../../execute/report.ts"
import { textTable } from "../../terminal/table.ts"
import { sqlLines } from "../../words/sqlLines.ts"
import { paragraph, terminalWidth } from "../../terminal/terminal.ts"

export const runTables = (argv: Arguments) =>
  execute(argv, function* () {
    const entries = dictionary()
    const wanted = textOf(argv, "name")
    const found =
      wanted === undefined
        ? entries
        : isSchema(entries, wanted)
          ? entries.filter(({ name }) => schemaOf(name) === wanted)
          : entries.filter((entry) => isNamed(entry, wanted))
    if (found.length === 0) {
      const names = entries.flatMap(({ name }) => [name, withoutSchema(name)])
      return yield* wrongUse(
        `There is no table \`${wanted}\`${didYouMean(wanted ?? "", names) || "."}`,
        "`vaulthouse tables` lists them all.",
      )
    }
    printReport(argv, { tables: found }, () =>
      wanted === undefined || isSchema(entries, wanted)
        ? listText(found)
        : found.map(entryText).join("\n"),
    )
  })

/** Whether the entry has this name, with or without its schema. */
const isNamed = ({ name }: DictionaryEntry, wanted: string): boolean =>
  name === wanted || withoutSchema(name) === wanted

const schemaOf = (name: string): string => name.slice(0, name.indexOf("."))

const isSchema = (entries: ReadonlyArray<DictionaryEntry>, wanted: string): boolean =>
  entries.some(({ name }) => schemaOf(name) === wanted)

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
    ...(entry.parameters.length === 0
      ? []
      : [`called as    ${entry.name}(${entry.parameters.join(", ")})`]),
    `key          ${paragraph(entry.key.join(", "), 13)}`,
    `source       ${paragraph(entry.source, 13)}`,
    ...(entry.neededBy === undefined ? [] : [`needed by    ${paragraph(entry.neededBy, 13)}`]),
    ...(entry.shapes.length === 0
      ? []
      : [`shapes       ${paragraph(entry.shapes.join("; "), 13)}`]),
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

/** A command to paste, on one line or with one clause of its SQL per line. */
const exampleText = (example: string): string => {
  const [first = "", ...rest] = sqlLines(example, Math.min(EXAMPLE_WIDTH, terminalWidth() - 8))
  return rest.length === 0 && first.length < EXAMPLE_WIDTH - 22
    ? `  vaulthouse query "${first}"`
    : ['  vaulthouse query "', ...[first, ...rest].map((line) => `    ${line}`)]
        .join("\n")
        .concat('"')
}
