// Runs a replay and says what became of each table.
import * as Effect from "effect/Effect"
import type { Config } from "../../config/Config.ts"
import { replay, type ReplayOptions, type ReplaySummary } from "../../pipelines/archive/replay.ts"
import {
  type QuarantineSummary,
  replayQuarantine,
} from "../../pipelines/archive/replayQuarantine.ts"
import type { Arguments } from "../Command.ts"
import { counted } from "../counted.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { publishOptions } from "../publishOptions.ts"
import { textTable } from "../table.ts"

const count = (value: number): string => value.toLocaleString("en")

export const runReplay = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, (config) => {
    const options = optionsOf(argv, config)
    return argv["quarantine"] === true ? fromQuarantine(argv, options) : everything(argv, options)
  })

const optionsOf = (argv: Arguments, { settings }: Config): ReplayOptions => ({
  dataDir: settings.dataDir,
  timeFields: settings.timeFields,
  memoryLimit: settings.memoryLimit,
  publish: publishOptions(argv, settings),
  onResponse: settings.progress && process.stderr.isTTY ? progressLine() : () => undefined,
})

const MILLIS_BETWEEN_LINES = 250

/** One line that is written over, a few times a second and at the end. */
const progressLine = (): ReplayOptions["onResponse"] => {
  let writtenAt = 0
  return (done, of) => {
    const now = Date.now()
    if (done < of && now - writtenAt < MILLIS_BETWEEN_LINES) return
    writtenAt = now
    process.stderr.write(`\r${count(done)} of ${count(of)} responses${done === of ? "\n" : ""}`)
  }
}

const everything = (argv: Arguments, options: ReplayOptions) =>
  Effect.map(replay(options), (summary): ExitCode => {
    process.stdout.write(
      argv["json"] === true ? `${JSON.stringify(summary)}\n` : replayText(summary),
    )
    return exitCodes.ok
  })

const replayText = ({ responses, tables, published }: ReplaySummary): string => {
  const differing = tables.filter(({ isSame }) => !isSame)
  if (differing.length === 0) {
    return `${counted(responses, "response")} make the ${counted(tables.length, "table")} there are, to the last bit. Nothing was changed.\n`
  }
  const table = textTable(
    ["table", "rows before", "rows now"],
    differing.map((each) => [each.table, count(each.rowsBefore), count(each.rowsAfter)]),
    ["left", "right", "right"],
  )
  return `${table}\n\n${count(responses)} responses; ${differing.length} of ${tables.length} tables differed and were taken over.${published ? " Published." : ""}\n`
}

const fromQuarantine = (argv: Arguments, options: ReplayOptions) =>
  Effect.map(replayQuarantine(options), (summary): ExitCode => {
    process.stdout.write(
      argv["json"] === true ? `${JSON.stringify(summary)}\n` : quarantineText(summary),
    )
    return summary.stillBroken.length > 0 ? exitCodes.partial : exitCodes.ok
  })

const quarantineText = ({ closed, rows, stillBroken, published }: QuarantineSummary): string => {
  if (closed === 0 && stillBroken.length === 0) return "Nothing is in quarantine.\n"
  const still =
    stillBroken.length === 0
      ? ""
      : `\n${textTable(
          ["pipeline", "entity", "path", "still not as documented"],
          stillBroken.map(({ pipeline, entity, path, detail }) => [pipeline, entity, path, detail]),
        )}\n`
  return `${counted(closed, "response")} loaded from quarantine, ${counted(rows, "row")} made of ${closed === 1 ? "it" : "them"}; ${count(stillBroken.length)} still broken.${published ? " Published." : ""}\n${still}`
}
