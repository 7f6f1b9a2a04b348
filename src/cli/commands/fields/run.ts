// Prints the fields without a column, and adds suggested ones to the configuration file.
import { existsSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { unwritable } from "../../../config/ConfigError.ts"
import { withFields } from "../../../config/write/withFields.ts"
import { replaceFile } from "../../../config/write/replaceFile.ts"
import { configFile } from "../../../config/Config.ts"
import { openPublishedCopy } from "../../../pipelines/readers/openPublishedCopy.ts"
import {
  type UndeclaredShape,
  undeclaredShapes,
  type UnmappedField,
  unmappedFields,
} from "../../../pipelines/readers/fields/unmappedFields.ts"
import type { Arguments } from "../../parse/Command.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { flagValues } from "../../parse/globalFlags.ts"
import { counted } from "../../../domain/values/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { textTable } from "../../terminal/table.ts"
import { paragraph } from "../../terminal/terminal.ts"

interface Report {
  readonly fields: ReadonlyArray<UnmappedField>
  readonly shapes: ReadonlyArray<UndeclaredShape>
  /** The configuration file, if suggestions were added to it. */
  readonly written: string | undefined
}

export const runFields = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings: { dataDir, fields: setting } }) {
      const copy = yield* openPublishedCopy(dataDir)
      const fields = yield* unmappedFields(copy, { fields: setting })
      const shapes = yield* undeclaredShapes(copy)
      const suggested = suggestionsOf(fields)
      const isWritten = argv["write"] === true && Object.keys(suggested).length > 0
      const written = isWritten ? configFile(flagValues(argv)) : undefined
      if (written !== undefined) {
        yield* Effect.tryPromise({
          try: () =>
            replaceFile(
              written,
              withFields(existsSync(written) ? readFileSync(written, "utf8") : "", suggested),
            ),
          catch: (error) => unwritable(written, error),
        })
      }
      printReport(argv, { fields, shapes, written }, fieldsText)
    },
    stopped,
  )

/** The most frequent field of each suggested column. */
const suggestionsOf = (fields: ReadonlyArray<UnmappedField>): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  for (const { suggestion, path } of fields) {
    if (suggestion !== undefined) found[suggestion] ??= path
  }
  return found
}

const EXAMPLE_LENGTH = 32

const shortened = (text: string): string =>
  text.length > EXAMPLE_LENGTH ? `${text.slice(0, EXAMPLE_LENGTH - 1)}…` : text

const fieldsText = ({ fields, shapes, written }: Report): string =>
  [
    ...(fields.length === 0 ? ["Every field has a column."] : [columnsText(fields, written)]),
    ...choicesText(fields, shapes),
    "",
  ].join("\n")

/** Ready lines of YAML between which the user chooses. */
const choicesText = (
  fields: ReadonlyArray<UnmappedField>,
  shapes: ReadonlyArray<UndeclaredShape>,
): ReadonlyArray<string> => {
  const open = fields.filter(({ choices }) => choices.length > 0)
  if (open.length + shapes.length === 0) return []
  return [
    "",
    paragraph(
      "Only you know what these mean. Copy the lines that are right into the configuration file; then `vaulthouse replay` (for records in quarantine `vaulthouse replay --quarantine`) loads them from the archive:",
    ),
    "",
    "fields:",
    ...shapes.flatMap(({ pipeline, count, detail, choices }) => [
      `  # ${pipeline}, ${counted(count, "entry", "entries")} in quarantine: ${oneLine(detail)}`,
      ...choices.map((line) => `  # ${oneLine(line)}`),
    ]),
    ...open.flatMap(({ table, path, example, choices }) => [
      `  # ${table}: ${oneLine(path)}, such as ${oneLine(shortened(example))}`,
      ...choices.map((line) => `  # ${oneLine(line)}`),
    ]),
  ]
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ")

const columnsText = (fields: ReadonlyArray<UnmappedField>, written: string | undefined): string => {
  const listed = textTable(
    ["table", "field", "type", "records", "example", "suggested column"],
    fields.map(({ table, path, type, share, example, suggestion }) => [
      table,
      path,
      type,
      `${Math.round(share * 100)}%`,
      shortened(example),
      suggestion ?? "",
    ]),
    { align: ["left", "left", "left", "right", "left", "left"] },
  )
  return `${listed}\n\n${paragraph(adviceOn(fields, written))}`
}

const adviceOn = (fields: ReadonlyArray<UnmappedField>, written: string | undefined): string => {
  const count = Object.keys(suggestionsOf(fields)).length
  if (written !== undefined) {
    return `${counted(count, "name")} added to ${written}. \`vaulthouse replay\` fills the columns for all history.`
  }
  return count === 0
    ? "Give a field to a column in the setting `fields`, as `table.column: field`; `vaulthouse replay` then fills it for all history."
    : "`vaulthouse fields --write` gives the suggested columns their fields; `vaulthouse replay` then fills them for all history."
}
