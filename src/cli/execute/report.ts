// Prints a command's result as text, or with --json as JSON, whose keys are all snake_case.
import { snakeCase } from "../../domain/values/snakeCase.ts"
import type { Arguments } from "../parse/Command.ts"
import { print, streams } from "../terminal/output.ts"

/** Keys whose values come from the service and stay as received. */
const verbatim = new Set(["body", "request", "response", "value"])

/** The value with all keys in snake_case; `undefined` members are left out, as in JSON. */
export const withSnakeKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withSnakeKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      snakeCase(key),
      verbatim.has(key) ? member : withSnakeKeys(member),
    ]),
  )
}

/** Indented on a terminal, else on one line. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, null, streams().stdout.isTTY === true ? 2 : 0)}\n`

/** One object, never a list, so that a later version can add keys. */
type Report = object & { readonly length?: never }

export const printReport = <A extends Report>(
  argv: Arguments,
  result: A,
  text: (result: A) => string,
): void => print(argv["json"] === true ? jsonText(withSnakeKeys(result)) : text(result))
