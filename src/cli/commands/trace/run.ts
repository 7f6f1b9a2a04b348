// Finds the row to trace and prints where its values come from.
import * as Effect from "effect/Effect"
import {
  parseInstant,
  MICROS_PER_DAY,
  MICROS_PER_HOUR,
  MICROS_PER_SECOND,
} from "../../../domain/values/time.ts"
import type { UsageError } from "../../../domain/UsageError.ts"
import { openPublishedCopy } from "../../../pipelines/readers/openPublishedCopy.ts"
import { archiveOf } from "../../../pipelines/publication/archiveOf.ts"
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import { trace } from "../../../pipelines/readers/trace/trace.ts"
import type { Moment } from "../../../pipelines/readers/trace/traceTarget.ts"
import { vaultNamed } from "../../../pipelines/readers/vaultNamed.ts"
import { pairsOf, rowLimit, textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute } from "../../execute/execute.ts"
import { printReport } from "../../execute/report.ts"
import { traceText } from "./texts.ts"

export const runTrace = (argv: Arguments) =>
  execute(argv, function* ({ settings }) {
    const table = textOf(argv, "table")
    if (table === undefined) {
      return yield* wrongUse(
        "Name a mart or a table.",
        "For example: vaulthouse trace vault_latest --vault 0x…",
      )
    }
    const options = {
      table,
      moment: yield* momentOf(argv),
      key: yield* pairsOf(argv, "key"),
      column: textOf(argv, "column"),
      maxRows: yield* rowLimit(argv),
      withBody: argv["body"] === true,
    }
    const copy = yield* openPublishedCopy(settings.dataDir)
    const vault = textOf(argv, "vault")
    const request = {
      ...options,
      vault: vault === undefined ? undefined : yield* vaultNamed(copy, vault),
      named: flagFor,
    }
    const place = placeOf(settings)
    const found = yield* trace(copy, place, request)
    const { pathOf } = archiveOf(place)
    printReport(argv, found, () => traceText(found, { ...request, pathOf }))
  })

const flagFor = (column: string, value: string, isTime: boolean): string =>
  column === "vault_address"
    ? `--vault ${value}`
    : isTime
      ? `--at ${value}`
      : `--key ${column}=${value}`

const MICROS = {
  day: MICROS_PER_DAY,
  hour: MICROS_PER_HOUR,
  minute: MICROS_PER_HOUR / 60,
  second: MICROS_PER_SECOND,
}

/** The range of time that --date or --at gives: an hour without minutes is the whole hour, and so on. */
const momentOf = (argv: Arguments): Effect.Effect<Moment | undefined, UsageError> => {
  const date = textOf(argv, "date")
  const at = textOf(argv, "at")
  if (date !== undefined && at !== undefined) {
    return wrongUse("Give --date or --at, not both.")
  }
  const text = date ?? at
  if (text === undefined) return Effect.succeed(undefined)
  const shape =
    /^\d{4}-\d{2}-\d{2}(?:[T ](\d{2})(?::(\d{2})(?::(\d{2})(\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(
      text,
    )
  const [, hour, minute, second, fraction] = shape ?? []
  const whole =
    hour !== undefined && minute === undefined ? text.replace(/([T ]\d{2})/, "$1:00") : text
  const from = parseInstant(whole)
  if (shape === null || from === undefined || (date !== undefined && hour !== undefined)) {
    return wrongUse(
      date === undefined
        ? `--at ${text} is not a time: write YYYY-MM-DDTHH:MM, in UTC.`
        : `--date ${text} is not a day: write YYYY-MM-DD.`,
    )
  }
  const covers =
    hour === undefined
      ? MICROS.day
      : minute === undefined
        ? MICROS.hour
        : second === undefined
          ? MICROS.minute
          : fraction === undefined
            ? MICROS.second
            : 1
  return Effect.succeed({ from, to: from + covers, text })
}
