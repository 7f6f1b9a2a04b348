// Exports the lines on standard error as log records, so that OpenTelemetry gets what a run prints.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import type { Severity } from "effect/LogLevel"
import * as References from "effect/References"
import { copyErrors } from "../terminal/output.ts"

/** Until the scope ends, `logger` gets every line, with the run and the span it comes from. */
export const logLines = (logger: Logger.Logger<unknown, void>) =>
  Effect.acquireRelease(
    Effect.sync(() => copyErrors((text, severity) => log(logger, text.trim(), severity))),
    () => Effect.sync(() => copyErrors(undefined)),
  )

const log = (logger: Logger.Logger<unknown, void>, text: string, severity: Severity): void => {
  if (text === "") return
  const { level, message, fields } = recordOf(text, severity)
  const context = Fiber.getCurrent()?.context ?? Context.empty()
  Effect.runSyncWith(context)(
    Effect.logWithLevel(level)(message).pipe(
      Effect.annotateLogs(fields),
      Effect.provideService(Logger.CurrentLoggers, new Set([logger])),
      // Printed lines have already passed --log-level.
      Effect.provideService(References.MinimumLogLevel, "All"),
    ),
  )
}

const levels: Readonly<Record<string, Severity>> = {
  ERROR: "Error",
  WARN: "Warn",
  INFO: "Info",
  DEBUG: "Debug",
}

/** The level, message and fields of a line of JSON; any other line is a message. */
const recordOf = (text: string, severity: Severity) => {
  const parsed = objectIn(text)
  if (parsed === undefined) return { level: severity, message: text, fields: {} }
  const { timestamp: _now, level, message, ...fields } = parsed
  return {
    level: levels[String(level)] ?? severity,
    message: typeof message === "string" ? message : text,
    fields,
  }
}

const objectIn = (text: string): Readonly<Record<string, unknown>> | undefined => {
  if (!text.startsWith("{")) return undefined
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}
