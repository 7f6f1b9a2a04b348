// Runs a command's effect with its settings: logging to standard error, Ctrl-C, errors as a few lines
// that say what to do, and the exit code.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { type Config, readProcessConfig, withoutFile } from "../config/Config.ts"
import type { ConfigError } from "../config/ConfigError.ts"
import { adviceFor } from "./advice.ts"
import { decideColors, paintComplaint, paintLevel, warningText } from "./color.ts"
import type { Arguments } from "./Command.ts"
import { type ExitCode, exitCodeOf, exitCodes } from "./exit.ts"
import { flagValues } from "./globalFlags.ts"
import { paragraph, terminalWidth } from "./terminal.ts"

/** How a command that is stopped by Ctrl-C or SIGTERM ends. */
export interface Stopped {
  readonly code: ExitCode
  readonly text: string
}

const stoppedRun: Stopped = {
  code: exitCodes.interrupted,
  text: "vaulthouse: stopped; what was committed stays, the next run goes on from there\n",
}

export const execute = async <E>(
  argv: Arguments,
  program: (config: Config) => Effect.Effect<ExitCode, E>,
  stopped: Stopped = stoppedRun,
): Promise<ExitCode> => {
  let level = "info"
  const whole = Effect.gen(function* () {
    const config = yield* readCommandConfig(argv)
    level = config.settings.logLevel
    for (const warning of config.warnings) process.stderr.write(`${warningText(warning)}\n`)
    return yield* program(config).pipe(Effect.provide(logging(config)))
  })
  return runToEnd(whole, stopped, () => level)
}

/** The settings of a command, by which its colours are decided; before the file is read, without it. */
export const readCommandConfig = (argv: Arguments): Effect.Effect<Config, ConfigError> =>
  Effect.suspend(() => {
    const flags = flagValues(argv)
    decideColors(withoutFile("color", flags))
    return readProcessConfig(flags).pipe(
      Effect.tap(({ settings }) => Effect.sync(() => decideColors(settings.color))),
    )
  })

/** Runs an effect whose settings are its own affair. */
export const runToEnd = async <E>(
  whole: Effect.Effect<ExitCode, E>,
  stopped: Stopped,
  level: () => string = () => "info",
): Promise<ExitCode> => {
  const fiber = Effect.runFork(whole)
  const stop = stopOnSignals(fiber)
  const exit = await Effect.runPromise(Fiber.await(fiber))
  stop()
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) {
    process.stderr.write(stopped.text)
    return stopped.code
  }
  const error = Cause.squash(exit.cause)
  const told = paragraph(explain(error), 0, terminalWidth(process.stderr))
  process.stderr.write(`${paintComplaint(told)}\n`)
  if (level() === "debug") process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
  return exitCodeOf(error)
}

/** A typed error speaks for itself; anything else is a defect of ours. */
const explain = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error && error instanceof Error) {
    const advice = adviceFor(error)
    return `vaulthouse: ${error.message.trim()}${advice === undefined ? "" : `\n${advice}`}`
  }
  const text = error instanceof Error ? error.message : String(error)
  return `vaulthouse: unexpected: ${text.split("\n")[0] ?? ""}\nThis is a defect: please report it with what --log-level debug adds.`
}

const logging = ({ settings }: Config): Layer.Layer<never> => {
  const isPretty = (settings.logFormat ?? (process.stderr.isTTY ? "pretty" : "json")) === "pretty"
  const format = isPretty ? Logger.map(Logger.formatLogFmt, paintLevel) : Logger.formatJson
  const levels = { error: "Error", warn: "Warn", info: "Info", debug: "Debug" } as const
  return Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(format)]),
    Layer.succeed(References.MinimumLogLevel, levels[settings.logLevel]),
  )
}

/** The first signal lets the run finish what it is committing; a second one ends the process. */
const stopOnSignals = (fiber: Fiber.Fiber<unknown, unknown>): (() => void) => {
  let asked = false
  const onSignal = (): void => {
    if (asked) process.exit(exitCodes.interrupted)
    asked = true
    fiber.interruptUnsafe()
  }
  const signals = ["SIGINT", "SIGTERM"] as const
  for (const signal of signals) process.on(signal, onSignal)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
  }
}
