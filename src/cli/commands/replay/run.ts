// Runs a replay and prints what changed in each table.
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import * as Effect from "effect/Effect"
import type { Config } from "../../../config/Config.ts"
import {
  replay,
  type ReplayOptions,
  type ReplaySummary,
} from "../../../pipelines/archive/replay.ts"
import {
  type QuarantineSummary,
  replayQuarantine,
} from "../../../pipelines/archive/replayQuarantine.ts"
import { checkedFields } from "../../../pipelines/readers/fields/fieldSetting.ts"
import { archiveOf } from "../../../pipelines/publication/archiveOf.ts"
import type { Arguments } from "../../parse/Command.ts"
import { lostLines, type PathOf, unreadableLines } from "../../words/archiveLosses.ts"
import { execute } from "../../execute/execute.ts"
import { hasFailedPublication } from "../../execute/failedPublication.ts"
import { type ExitCode, exitCodes } from "../../parse/exit.ts"
import { publishOptions } from "../../execute/publishOptions.ts"
import { count, counted } from "../../../domain/values/numbers.ts"
import { printError, rewriteLine, streams } from "../../terminal/output.ts"
import { printReport } from "../../execute/report.ts"
import { textTable } from "../../terminal/table.ts"

export const runReplay = (argv: Arguments) =>
  execute(argv, function* (config) {
    yield* checkedFields(config)
    const options = optionsOf(argv, config)
    return yield* argv["quarantine"] === true
      ? replayQuarantined(argv, options)
      : replayAll(argv, options)
  })

const optionsOf = (argv: Arguments, { settings }: Config): ReplayOptions => ({
  ...placeOf(settings),
  timeFields: settings.timeFields,
  fields: settings.fields,
  contracts: settings.contracts,
  publish: publishOptions(argv, settings),
  onResponse:
    settings.progress && streams().stderr.isTTY === true ? progressLine() : () => undefined,
})

const MILLIS_BETWEEN_LINES = 250

/** One line, rewritten a few times a second and at the end. */
const progressLine = (): ReplayOptions["onResponse"] => {
  let writtenAt = 0
  return (done, total) => {
    const now = Date.now()
    if (done < total && now - writtenAt < MILLIS_BETWEEN_LINES) return
    writtenAt = now
    rewriteLine(`${count(done)} of ${count(total)} responses`)
    if (done === total) printError("\n")
  }
}

const replayAll = (argv: Arguments, options: ReplayOptions) =>
  Effect.map(replay(options), (summary): ExitCode => {
    printReport(argv, summary, () => replayText(summary, archiveOf(options).pathOf))
    if (hasFailedPublication(summary)) return exitCodes.unexpected
    const { unreadable, lost, unended } = summary
    return unreadable.length + lost.length + unended.length > 0 ? exitCodes.partial : exitCodes.ok
  })

const replayText = (summary: ReplaySummary, pathOf: PathOf): string =>
  [tablesText(summary), ...lossesText(summary, pathOf)].join("\n")

const lossesText = (
  { unreadable, lost, unended }: ReplaySummary,
  pathOf: PathOf,
): ReadonlyArray<string> => [
  ...(unreadable.length > 0
    ? [
        "Responses that could not be read, as a whole or in part, and were left out:",
        ...unreadableLines(unreadable, pathOf),
        "",
      ]
    : []),
  ...(lost.length > 0
    ? ["Tables that stay as they are, since these rows would be lost:", ...lostLines(lost), ""]
    : []),
  ...unended.map(
    ({ file, unmarked }) =>
      `${pathOf(file)} is incomplete: ${counted(unmarked, "response")} in it without a commit marker, not loaded. Its run was killed, or the file was truncated. If it was truncated, restore it from a backup and replay into an empty folder.\n`,
  ),
]

const tablesText = ({ responses, tables, lost, published }: ReplaySummary): string => {
  const differing = tables.filter(({ isSame }) => !isSame)
  if (differing.length === 0 && lost.length > 0) return "Nothing was changed.\n"
  if (differing.length === 0) {
    return `All ${counted(tables.length, "table")} match the ${counted(responses, "response")}, bit for bit. Nothing was changed.\n`
  }
  const table = textTable(
    ["table", "rows before", "rows now"],
    differing.map((each) => [each.table, count(each.rowsBefore), count(each.rowsAfter)]),
    { align: ["left", "right", "right"] },
  )
  return `${table}\n\n${count(responses)} responses; ${differing.length} of ${tables.length} tables differed and were replaced.${published ? " Published." : ""}\n`
}

const replayQuarantined = (argv: Arguments, options: ReplayOptions) =>
  Effect.map(replayQuarantine(options), (summary): ExitCode => {
    printReport(argv, summary, quarantineText)
    if (hasFailedPublication(summary)) return exitCodes.unexpected
    return summary.stillBroken.length > 0 ? exitCodes.partial : exitCodes.ok
  })

const quarantineText = ({ closed, rows, stillBroken, published }: QuarantineSummary): string => {
  if (closed === 0 && stillBroken.length === 0) return "Quarantine: empty.\n"
  const still =
    stillBroken.length === 0
      ? ""
      : `\n${textTable(
          ["pipeline", "entity", "path", "still breaks the contract"],
          stillBroken.map(({ pipeline, entity, path, detail }) => [pipeline, entity, path, detail]),
        )}\n`
  return `${counted(closed, "response")} loaded from quarantine (${counted(rows, "row")}); ${count(stillBroken.length)} still broken.${published ? " Published." : ""}\n${still}`
}
