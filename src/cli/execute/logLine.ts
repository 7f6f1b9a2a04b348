// Prints a line of a log on standard error with its time: text for people, or a JSON object for programs, whose first
// keys are those of Effect's JSON logger.
import { instantText } from "../words/numbers.ts"
import { printError } from "../terminal/output.ts"
import { withSnakeKeys } from "./report.ts"

export interface LogLine {
  readonly level: "INFO" | "WARN" | "ERROR"
  readonly message: string
  /** Further keys for programs; the message already says the same. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export const printLine = ({ level, message, fields }: LogLine, isPretty: boolean): void => {
  const timestamp = new Date().toISOString()
  const line = isPretty
    ? `${instantText(timestamp)}  ${message}`
    : JSON.stringify({
        timestamp,
        level,
        message,
        ...(withSnakeKeys(fields ?? {}) as object),
      })
  printError(`${line}\n`)
}
