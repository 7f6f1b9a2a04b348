// Reads which figure is meant, follows it, and prints the way back.
import * as Effect from "effect/Effect"
import { parseInstant } from "../../domain/time.ts"
import { openPublishedCopy } from "../../pipelines/readers/published.ts"
import { trace } from "../../pipelines/readers/trace.ts"
import type { Moment } from "../../pipelines/readers/traceTarget.ts"
import { vaultNamed } from "../../pipelines/readers/vaultNamed.ts"
import { type Arguments, textOf } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"
import { rowLimit } from "../rowLimit.ts"
import { traceText } from "./texts.ts"

export const runTrace = (argv: Arguments): Promise<ExitCode> =>
  execute(argv, ({ settings: { dataDir } }) =>
    Effect.gen(function* () {
      const table = textOf(argv, "table")
      if (table === undefined) {
        return yield* new UsageError({
          why: "Which figure? Name a mart or a table.",
          advice: "For example: vaulthouse trace vault_latest --vault 0x…",
        })
      }
      const options = {
        table,
        moment: yield* momentOf(argv),
        key: yield* keyOf(argv),
        column: textOf(argv, "column"),
        maxRows: yield* rowLimit(argv),
        withBody: argv["body"] === true,
      }
      const copy = yield* openPublishedCopy(dataDir)
      const vault = textOf(argv, "vault")
      const request = {
        ...options,
        vault: vault === undefined ? undefined : yield* vaultNamed(copy, vault),
      }
      const found = yield* trace(copy, dataDir, request)
      process.stdout.write(
        argv["json"] === true ? `${JSON.stringify(found, null, 2)}\n` : traceText(found, request),
      )
      return exitCodes.ok
    }).pipe(Effect.scoped),
  )

const MICROS = { day: 86_400_000_000, hour: 3_600_000_000, minute: 60_000_000, second: 1_000_000 }

/** An instant covers what was left out of it: an hour without minutes is all of that hour. */
const momentOf = (argv: Arguments): Effect.Effect<Moment | undefined, UsageError> => {
  const date = textOf(argv, "date")
  const at = textOf(argv, "at")
  if (date !== undefined && at !== undefined) {
    return Effect.fail(new UsageError({ why: "Give --date or --at, not both." }))
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
    return Effect.fail(
      new UsageError({
        why:
          date === undefined
            ? `--at ${text} is no instant: write YYYY-MM-DDTHH:MM, in UTC.`
            : `--date ${text} is not a day: write YYYY-MM-DD.`,
      }),
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

const keyOf = (argv: Arguments): Effect.Effect<Readonly<Record<string, string>>, UsageError> => {
  const given = argv["key"]
  const pairs = (Array.isArray(given) ? given : given === undefined ? [] : [given]).map(String)
  const wrong = pairs.find((pair) => !/^\w+=/.test(pair))
  if (wrong !== undefined) {
    return Effect.fail(new UsageError({ why: `--key ${wrong} is not of the form name=value.` }))
  }
  return Effect.succeed(
    Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
    ),
  )
}
