// Runs the simulator until Ctrl-C.
import * as Effect from "effect/Effect"
import { listenFromFlags, optionsFromFlags, type FlagValues } from "../../../simulator/flags.ts"
import { startSimulator } from "../../../simulator/index.ts"
import { greeting } from "../../../simulator/main.ts"
import type { Arguments } from "../Command.ts"
import { UsageError, wrongUse } from "../errors.ts"
import { execute } from "../execute.ts"
import { exitCodes } from "../exit.ts"
import { print } from "../output.ts"

export const runSimulate = (argv: Arguments) =>
  execute(
    argv,
    function* () {
      const values = argv as FlagValues
      for (const flag of ["vaults", "days"]) {
        if (Number(values[flag]) < 1) {
          return yield* wrongUse(`--${flag} ${String(values[flag])} is not a number of at least 1.`)
        }
      }
      const simulator = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () => startSimulator(optionsFromFlags(values), listenFromFlags(values)),
          catch: (cause) => new UsageError({ why: explain(cause, values) }),
        }),
        (started) => Effect.promise(() => started.close()),
      )
      print(`${greeting(simulator)}\n`)
      return yield* Effect.never
    },
    // Ctrl-C is how a simulator is meant to end.
    { code: exitCodes.ok, text: "" },
  )

const explain = (cause: unknown, { port, host }: FlagValues): string => {
  const { code, message } = cause as NodeJS.ErrnoException
  switch (code) {
    case "EADDRINUSE":
      return `Port ${String(port)} is in use; choose another with --port, or 0 for any free one.`
    case "ERR_SOCKET_BAD_PORT":
      return `--port ${String(port)} is not a port: choose one from 1 to 65535, or 0 for any free one.`
    case "EACCES":
      return `Port ${String(port)} needs special rights; choose one above 1023 with --port.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `--host ${String(host)} is not an address of this machine.`
    default:
      return message
  }
}
