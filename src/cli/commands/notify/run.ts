// vaulthouse notify test: sends a test message to every receiver and prints the results.
import type * as Effect from "effect/Effect"
import { notifyTest } from "../../../pipelines/notifications/notify.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { exitCodes } from "../../parse/exit.ts"
import { printReport } from "../../execute/report.ts"
import { textTable } from "../../terminal/table.ts"

export const runNotify = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings: { notify: receivers, dataDir }, apiKey, proxies }) {
      const word = textOf(argv, "what") ?? ""
      if (word !== "test") {
        return yield* wrongUse(
          word === "" ? "Name what to do." : `\`notify ${word}\` is not a command.`,
          "`vaulthouse notify test` sends a test message to every receiver.",
        )
      }
      if (receivers.length === 0) {
        return yield* wrongUse(
          "The configuration file has no `notify` entries, so there is no receiver to test.",
          "Add one, for example `notify: [{ webhook: https://… }]`.",
        )
      }
      const options = { receivers, dataDir, apiKey, proxies }
      const deliveries = yield* notifyTest(options)
      printReport(argv, { deliveries }, () => resultText(deliveries))
      return deliveries.some(({ state }) => state === "failed") ? exitCodes.checks : exitCodes.ok
    },
    stopped,
  )

const resultText = (deliveries: Effect.Success<ReturnType<typeof notifyTest>>): string =>
  `${textTable(
    ["receiver", "state", "detail"],
    deliveries.map(({ receiver, state, detail }) => [receiver, state, detail]),
    { outcomes: ["state"] },
  )}\n`
