// Runs a command's effect with its settings: logs to standard error, stops on Ctrl-C, explains errors, and returns the
// exit code.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import { stackTrace } from "./stackTrace.ts"
import { type Config, readProcessConfig, withoutFile } from "../../config/Config.ts"
import { type ConfigError, problemText } from "../../config/ConfigError.ts"
import { decideColors, paintLevel } from "../terminal/color.ts"
import type { Arguments } from "../parse/Command.ts"
import { complain, warn } from "../terminal/complaints.ts"
import { errorText } from "../parse/errors.ts"
import { type ExitCode, exitCodeOf, exitCodes } from "../parse/exit.ts"
import { flagValues } from "../parse/globalFlags.ts"
import { printError } from "../terminal/output.ts"
import { isPretty } from "./logLine.ts"

/** The message and exit code of a command that Ctrl-C or SIGTERM stops. */
export interface Stopped {
  readonly code: ExitCode
  readonly text: string
}

export const stopped: Stopped = { code: exitCodes.interrupted, text: "vaulthouse: stopped\n" }

const stoppedWriter: Stopped = {
  code: exitCodes.interrupted,
  text: "vaulthouse: stopped; what was committed stays, and the next run continues from there\n",
}

/** The work of a command, as in `Effect.gen`; no exit code means success. What it opens is closed at its end. */
type Work = (
  config: Config,
) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, ExitCode | void, never>

export const execute = async (
  argv: Arguments,
  work: Work,
  whenStopped: Stopped = stoppedWriter,
): Promise<ExitCode> => {
  let level = "info"
  const whole = Effect.gen(function* () {
    const config = yield* readCommandConfig(argv)
    level = config.settings.logLevel
    for (const problem of [...config.unknownVariables, ...config.warnings]) {
      warn(problemText(problem))
    }
    const code = yield* Effect.gen(() => work(config)).pipe(
      Effect.scoped,
      Effect.provide([logging(config), metricsOfCommand]),
    )
    return code ?? exitCodes.ok
  })
  return runToEnd(whole, whenStopped, () => level)
}

/** Reads the settings of a command and decides its colours: until the file is read, by flags and environment alone. */
export const readCommandConfig = (argv: Arguments): Effect.Effect<Config, ConfigError> =>
  Effect.suspend(() => {
    const flags = flagValues(argv)
    decideColors(withoutFile("color", flags))
    return readProcessConfig(flags).pipe(
      Effect.tap(({ settings }) => Effect.sync(() => decideColors(settings.color))),
    )
  })

/** Runs an effect that reads its settings itself. */
export const runToEnd = async <E>(
  whole: Effect.Effect<ExitCode, E>,
  whenStopped: Stopped,
  level: () => string = () => "info",
): Promise<ExitCode> => {
  const fiber = Effect.runFork(whole)
  const ignoreSignals = stopOnSignals(fiber)
  const exit = await Effect.runPromise(Fiber.await(fiber))
  ignoreSignals()
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.squash(exit.cause)
  if (!Cause.hasInterruptsOnly(exit.cause)) {
    complain(errorText(error))
    if (level() === "debug") printError(`${stackTrace(exit.cause)}\n`)
  }
  // What a signal stops may fail too before it ends.
  const isStopped = Cause.hasInterrupts(exit.cause) && !Cause.hasDies(exit.cause)
  if (!isStopped) return exitCodeOf(error)
  printError(whenStopped.text)
  return whenStopped.code
}

/** Tests run several commands in one process. */
const metricsOfCommand = Layer.sync(Metric.MetricRegistry, () => new Map())

/** One flat JSON object per line; annotations, such as `run_id`, are keys of their own. */
const formatJson = Logger.make(({ date, logLevel, message, cause, fiber }) => {
  const texts = (Array.isArray(message) ? message : [message]).map(String)
  return JSON.stringify({
    timestamp: date.toISOString(),
    level: logLevel.toUpperCase(),
    message: texts.join(" "),
    ...fiber.getRef(References.CurrentLogAnnotations),
    ...(cause.reasons.length === 0 ? {} : { error: stackTrace(cause) }),
  })
})

const logging = ({ settings }: Config): Layer.Layer<never> => {
  const format = isPretty(settings) ? Logger.map(Logger.formatLogFmt, paintLevel) : formatJson
  const levels = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const
  return Layer.mergeAll(
    Logger.layer([Logger.map(format, (line) => printError(`${line}\n`))]),
    Layer.succeed(References.MinimumLogLevel, levels[settings.logLevel]),
  )
}

/** The first signal lets the run finish what it is committing; a second one ends the process. */
const stopOnSignals = (fiber: Fiber.Fiber<unknown, unknown>): (() => void) => {
  let isStopping = false
  const onSignal = (): void => {
    if (isStopping) process.exit(exitCodes.interrupted)
    isStopping = true
    fiber.interruptUnsafe()
  }
  const signals = ["SIGINT", "SIGTERM"] as const
  for (const signal of signals) process.on(signal, onSignal)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
  }
}
