// Shows a swap; sends it with --execute and a confirmation.
import type { UsageError } from "../../../domain/UsageError.ts"
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import * as Effect from "effect/Effect"
import type { Config } from "../../../config/Config.ts"
import { API_KEY } from "../../../config/settings/Setting.ts"
import { type CheckedSwap, checkSwap, sendSwap } from "../../../pipelines/service/swap.ts"
import { readSwaps } from "../../../pipelines/service/swapJournal.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { complain, warn } from "../../terminal/complaints.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, type Stopped } from "../../execute/execute.ts"
import { exitCodes } from "../../parse/exit.ts"
import { printError, streams } from "../../terminal/output.ts"
import { printReport } from "../../execute/report.ts"
import { serviceOf, wireOf } from "../../execute/service.ts"
import { version } from "../../execute/version.ts"
import { confirmed } from "../../terminal/prompts.ts"
import { journalText, outcomeText, requestText } from "./texts.ts"

const inputNames = [
  "address",
  "source_token",
  "source_chain",
  "destination_token",
  "destination_chain",
  "source_amount",
  "destination_amount",
  "markets",
  "max_slippage",
] as const

const whenStopped: Stopped = {
  code: exitCodes.interrupted,
  text: "vaulthouse: stopped; `vaulthouse swap --list` shows whether anything was sent\n",
}

export const runSwap = (argv: Arguments) =>
  execute(
    argv,
    function* (config) {
      return yield* argv["list"] === true ? list(argv, config) : swap(argv, config)
    },
    whenStopped,
  )

const list = (argv: Arguments, { settings }: Config) =>
  Effect.map(readSwaps(settings), (swaps) => {
    printReport(argv, { swaps }, () => journalText(swaps))
    return exitCodes.ok
  })

const swap = Effect.fnUntraced(function* (argv: Arguments, config: Config) {
  const checked = yield* Effect.fromResult(checkSwap(typedInputs(argv), wireOf(config.settings)))
  const url = (config.settings.baseUrl ?? "{base_url}") + checked.request.path
  for (const warning of checked.warnings) warn(warning)
  if (argv["execute"] !== true) {
    printReport(
      argv,
      { executed: false, request: requestOf(checked, url) },
      () =>
        `${requestText(checked.request, url)}\nNothing was sent. Add --execute to send it once.\n`,
    )
    return exitCodes.ok
  }
  const service = yield* serviceOf(config)
  if (config.apiKey === undefined) {
    return yield* wrongUse("A swap needs an API key.", `Set ${API_KEY}. Nothing was sent.`)
  }
  printError(`${requestText(checked.request, url)}\n`)
  if (argv["yes"] !== true && !(yield* confirmSwap(checked))) {
    printError("vaulthouse: not confirmed; nothing was sent.\n")
    return exitCodes.unexpected
  }
  const place = placeOf(config.settings)
  const outcome = yield* sendSwap({ ...service, ...checked, ...place, version })
  const result = { executed: true, request: requestOf(checked, url), ...outcome }
  printReport(argv, result, () => outcomeText(outcome))
  if (outcome.journalError !== null) {
    complain(
      `vaulthouse: core.swaps still has swap ${outcome.swapId} as sent: ${outcome.journalError}`,
    )
    return exitCodes.unexpected
  }
  return outcome.state === "confirmed" ? exitCodes.ok : exitCodes.unexpected
})

/** The inputs from the flags, by their names in the API document. */
const typedInputs = (argv: Arguments): Readonly<Record<string, string>> =>
  Object.fromEntries(
    inputNames.flatMap((name) => {
      const text = textOf(argv, name.replaceAll("_", "-"))
      return text === undefined ? [] : [[name, text]]
    }),
  )

const requestOf = ({ request: { method, body } }: CheckedSwap, url: string) => ({
  method,
  url,
  body: JSON.parse(body ?? "{}") as unknown,
})

const confirmSwap = (checked: CheckedSwap): Effect.Effect<boolean, UsageError> => {
  const { stdin, stderr } = streams()
  if (stdin.isTTY !== true) {
    return wrongUse(
      "There is no terminal to confirm the swap.",
      "Add --yes to send it without confirmation. Nothing was sent.",
    )
  }
  return Effect.promise((signal) =>
    confirmed(
      "swap",
      `This swaps tokens of ${checked.inputs.address} and can't be undone. Type swap to send it: `,
      stdin,
      stderr,
      signal,
    ),
  )
}
