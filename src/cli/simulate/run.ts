// Serves the simulator until Ctrl-C.
import * as Effect from "effect/Effect"
import { listenFromFlags, optionsFromFlags, type FlagValues } from "../../../simulator/flags.ts"
import { startSimulator } from "../../../simulator/index.ts"
import { greeting } from "../../../simulator/main.ts"
import type { Arguments } from "../Command.ts"
import { UsageError } from "../errors.ts"
import { execute } from "../execute.ts"
import { type ExitCode, exitCodes } from "../exit.ts"

export const runSimulate = (argv: Arguments): Promise<ExitCode> =>
  execute(
    argv,
    () =>
      Effect.gen(function* () {
        const values = argv as FlagValues
        const simulator = yield* Effect.acquireRelease(
          Effect.tryPromise({
            try: () => startSimulator(optionsFromFlags(values), listenFromFlags(values)),
            catch: (cause) => new UsageError({ why: explain(cause, values) }),
          }),
          (started) => Effect.promise(() => started.close()),
        )
        process.stdout.write(`${greeting(simulator)}\n`)
        return yield* Effect.never
      }).pipe(Effect.scoped),
    // Ctrl-C is how a simulator is meant to end.
    { code: exitCodes.ok, text: "" },
  )

const explain = (cause: unknown, { port }: FlagValues): string => {
  const { code, message } = cause as NodeJS.ErrnoException
  return code === "EADDRINUSE"
    ? `Port ${String(port)} is taken; name another with --port, or 0 for any free one.`
    : message
}
