// Runs the simulator until Ctrl-C.
import * as Effect from "effect/Effect"
import { UsageError } from "../../../domain/UsageError.ts"
import { listenFromFlags, optionsFromFlags, type FlagValues } from "../../../../simulator/flags.ts"
import { startSimulator } from "../../../../simulator/index.ts"
import { greeting } from "../../../../simulator/main.ts"
import { numberOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { listenProblem } from "../../execute/listening.ts"
import { execute } from "../../execute/execute.ts"
import { exitCodes } from "../../parse/exit.ts"
import { print } from "../../terminal/output.ts"

export const runSimulate = (argv: Arguments) =>
  execute(
    argv,
    function* () {
      const values = argv as FlagValues
      for (const flag of ["vaults", "days"]) yield* numberOf(argv, flag, 1)
      const port = yield* numberOf(argv, "port", 0, 65_535)
      const simulator = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () => startSimulator(optionsFromFlags(values), listenFromFlags(values)),
          catch: (cause) => {
            const error = cause as NodeJS.ErrnoException
            // An error about an option of the simulator has no code.
            if (error.code === undefined) return new UsageError({ why: error.message })
            const advice = "Choose others with --host and --port; `--port 0` takes any free port."
            return listenProblem(error, String(values["host"]), port, advice)
          },
        }),
        (started) => Effect.promise(() => started.close()),
      )
      print(`${greeting(simulator)}\n`)
      return yield* Effect.never
    },
    // A simulator normally ends by Ctrl-C.
    { code: exitCodes.ok, text: "" },
  )
