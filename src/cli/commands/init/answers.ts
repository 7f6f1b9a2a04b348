// The values for a new configuration file: from flags and the environment, from answers on a terminal, or defaults.
import { dirname, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { UsageError } from "../../../domain/UsageError.ts"
import type { Config } from "../../../config/Config.ts"
import { type Chosen, chosenSettings } from "../../../config/write/newFile.ts"
import { expected } from "../../../config/settings/kinds.ts"
import { read } from "../../../config/read/read.ts"
import { settings } from "../../../config/settings/settings.ts"
import { paintComplaint } from "../../terminal/color.ts"
import { wrongUse } from "../../parse/errors.ts"
import { printError, streams } from "../../terminal/output.ts"
import { openPrompts, type Prompts } from "../../terminal/prompts.ts"

type Answers = Partial<Record<keyof Chosen, string>>

/** `given` holds what flags and environment set. The data directory becomes relative to the folder of `file`. */
export const readAnswers = Effect.fnUntraced(function* (given: Config, file: string) {
  const answers = yield* completed(givenAnswers(given))
  const { baseUrl, platformSegment = settings.platformSegment.default, dataDir } = answers
  if (baseUrl === undefined) {
    return yield* wrongUse(
      "No base address is given.",
      "Pass --base-url https://…, or run `vaulthouse init` on a terminal, where it asks. To try it without a service, run `vaulthouse simulate` in another terminal.",
    )
  }
  const folder = relative(dirname(file), resolve(dataDir ?? settings.dataDir.default))
  const shown = folder.startsWith("..") ? resolve(dirname(file), folder) : `./${folder}`
  return { baseUrl, platformSegment, dataDir: shown } satisfies Chosen
})

const givenAnswers = ({ settings: values, origins }: Config): Answers =>
  Object.fromEntries(
    chosenSettings.flatMap((name) =>
      origins[name].from === "default" ? [] : [[name, values[name]]],
    ),
  )

/** Asks for the missing answers on a terminal; without one, returns `answers` unchanged. */
const completed = (answers: Answers): Effect.Effect<Answers, UsageError> => {
  const { stdin, stderr } = streams()
  const missing = chosenSettings.filter((name) => answers[name] === undefined)
  if (stdin.isTTY !== true || stderr.isTTY !== true || missing.length === 0) {
    return Effect.succeed(answers)
  }
  return Effect.promise(async (signal) => {
    const prompts = openPrompts(stdin, stderr, signal)
    const all = { ...answers }
    printError("Enter accepts what is in brackets.\n")
    try {
      for (const name of missing) {
        const answer = await ask(prompts, name)
        if (answer === undefined) {
          printError("\n")
          return undefined
        }
        all[name] = answer
      }
      return all
    } finally {
      prompts.close()
    }
  }).pipe(
    Effect.flatMap((all) =>
      all === undefined
        ? wrongUse("The input ended before the last answer; nothing was written.")
        : Effect.succeed(all),
    ),
  )
}

/** Asks until the answer is valid; an empty one is the default. `undefined` if the input ends. */
const ask = async (prompts: Prompts, name: keyof Chosen): Promise<string | undefined> => {
  const { kind, describe, default: fallback } = settings[name]
  const hint = fallback === undefined ? ` (${expected(kind)})` : ` [${fallback}]`
  for (;;) {
    const typed = await prompts.ask(`${describe}${hint}: `)
    if (typed === undefined) return undefined
    if (typed === "" && fallback !== undefined) return fallback
    const answer = read(kind, typed, [name])
    if (Result.isSuccess(answer)) return String(answer.success)
    const [problem] = answer.failure
    const complaint = typed === "" ? `an answer is required: ${expected(kind)}` : problem?.detail
    printError(`${paintComplaint(complaint ?? "")}\n`)
  }
}
