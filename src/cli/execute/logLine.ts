// Prints a line of a log on standard error with its time: text for people, or a JSON object for programs, whose first
// keys are those of Effect's JSON logger.
import type { Config } from "../../config/Config.ts"
import { instantText } from "../words/numbers.ts"
import { printError, streams } from "../terminal/output.ts"
import { withSnakeKeys } from "./report.ts"

export interface LogLine {
  readonly level: "INFO" | "WARN" | "ERROR"
  readonly message: string
  /** Further keys for programs; the message already says the same. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The settings of what is logged, and how. */
export type LogSettings = Pick<Config["settings"], "logFormat" | "logLevel">

/** Whether log lines and progress are text for people rather than JSON. */
export const isPretty = ({ logFormat }: Pick<LogSettings, "logFormat">): boolean =>
  (logFormat ?? (streams().stderr.isTTY === true ? "pretty" : "json")) === "pretty"

const levels = ["DEBUG", "INFO", "WARN", "ERROR"]

/** Prints nothing below the minimum level. */
export const printLine = ({ level, message, fields }: LogLine, settings: LogSettings): void => {
  if (levels.indexOf(level) < levels.indexOf(settings.logLevel.toUpperCase())) return
  const timestamp = new Date().toISOString()
  const line = isPretty(settings)
    ? `${instantText(timestamp)}  ${message}`
    : JSON.stringify({
        timestamp,
        level,
        message,
        ...(withSnakeKeys(fields ?? {}) as object),
      })
  printError(`${line}\n`)
}
