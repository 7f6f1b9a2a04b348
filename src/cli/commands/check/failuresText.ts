// Failed checks, each with its rule and some of the rows that break it.
import { paint } from "../../terminal/color.ts"
import { count, counted } from "../../../domain/values/numbers.ts"
import { paragraph } from "../../terminal/terminal.ts"
import type { CheckResult } from "../../../domain/run/checkResult.ts"

const MAX_EXAMPLES = 3

/** Rounds off the last digits of computed numbers such as 0.30000000000000004. */
const shortNumber = (value: unknown): string =>
  typeof value === "number" ? String(Number(value.toPrecision(12))) : String(value)

const rowText = (row: Readonly<Record<string, unknown>>): string =>
  Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        `${name}=${typeof value === "object" ? JSON.stringify(value) : shortNumber(value)}`,
    )
    .join(" ")

const failureText = ({
  name,
  severity,
  description,
  failures,
  tolerance,
  examples,
}: CheckResult): string => {
  const shown = examples.slice(0, MAX_EXAMPLES)
  const more = failures - shown.length
  return [
    `  ${severity === "error" ? paint("ERROR", "bad") : paint("warn ", "warning")}  ${name}: ${counted(failures, "row")}`,
    `         ${paragraph(`${description}${tolerance === null ? "" : ` (tolerance ${tolerance})`}`, 9)}`,
    ...shown.map((row) => `         - ${paragraph(rowText(row), 11)}`),
    ...(more > 0 ? [`         and ${count(more)} more`] : []),
  ].join("\n")
}

/** The failed checks, errors first. */
export const failuresText = (failed: ReadonlyArray<CheckResult>): string =>
  failed
    .toSorted((a, b) => a.severity.localeCompare(b.severity))
    .map(failureText)
    .join("\n")
