// Types the values of parameters that a reader types, by their form: `--param` of a command, a field of a page. SQL refers to
// them as $name or getvariable('name').
import { parseInstant, parseIsoDay } from "../../../domain/values/time.ts"
import type { QueryParameter, QueryParameters } from "../../../domain/values/queryParameter.ts"

// Each text is matched in one way only: otherwise a long one could take for ever.
const number = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/
const instant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/
const quoted = /^(['"])(.*)\1$/s

/** Quoted values are text, and so are integers that a double would round. */
export const typedValue = (text: string): QueryParameter => {
  const inQuotes = quoted.exec(text)?.[2]
  if (inQuotes !== undefined) return inQuotes
  if (text === "null") return null
  if (text === "true" || text === "false") return text === "true"
  // 007 is an identifier, not 7.
  if (number.test(text) && !/^0\d/.test(text)) {
    const value = Number(text)
    const isRounded = /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(value)
    return isRounded || !Number.isFinite(value) ? text : value
  }
  const day = parseIsoDay(text)
  if (day !== undefined) return { day }
  if (instant.test(text)) {
    const micros = parseInstant(text)
    if (micros !== undefined) return { micros }
  }
  return text
}

export const typedValues = (pairs: Readonly<Record<string, string>>): QueryParameters =>
  Object.fromEntries(Object.entries(pairs).map(([name, text]) => [name, typedValue(text)]))
