// Tells by its name a time that says when the service looked, not what it saw: it moves with every reading,
// so it must make neither a version of a row nor another key.
import { isJsonObject, type JsonObject } from "../../domain/json.ts"
import { parseInstant } from "../../domain/time.ts"
import { fieldWords } from "./fieldWords.ts"

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const readings = words(
  "cached calculated checked computed fetched generated polled queried refreshed refresh retrieved synced",
)
// Of a fee or a status, when it was changed is a fact of it; of a figure it is one of these times.
const updates = words("updated update")
const figures = words(
  "apy apr tvl nav aum pnl price prices ratio balance balances metrics performance data snapshot record",
)
const times = words("at on time timestamp datetime date utc")
const fillers = words("last latest")
const whole = words(
  "reported_at reportedAt as_of asOf server_time serverTime response_time responseTime",
)

const classify = (name: string): boolean => {
  if (whole.has(name)) return true
  const parts = fieldWords(name).filter((word) => !fillers.has(word))
  const others = parts.filter((word) => !times.has(word))
  // `last_checked` and `checked_at` are times; `checked_by` is none, and `refresh` alone may be anything.
  const isTime = others.length < parts.length || parts.length < fieldWords(name).length
  const isBare = others.length === 1
  const endsAsTime = times.has(parts.at(-1) ?? "")
  if (others.some((word) => readings.has(word))) return isTime && (isBare || endsAsTime)
  return (
    isTime &&
    others.some((word) => updates.has(word)) &&
    others.every((word) => updates.has(word) || figures.has(word))
  )
}

// The same names come with every record.
const known = new Map<string, boolean>()

export const isReportTime = (name: string): boolean => {
  let is = known.get(name)
  if (is === undefined) {
    is = classify(name)
    if (known.size < 10_000) known.set(name, is)
  }
  return is
}

/** Only what is a time, or nothing at all: a text under such a name stays where it was. */
export const holdsReportTime = (name: string, value: unknown): boolean =>
  isReportTime(name) && (value === null || parseInstant(value) !== undefined)

/** The value without such times in the records nested in it, each of which `told` learns with its place. */
export const withoutNestedReportTimes = (
  value: unknown,
  place: string,
  told: (place: string, time: unknown) => void = () => undefined,
): unknown => {
  if (Array.isArray(value)) {
    const items = value.map((item, index) =>
      withoutNestedReportTimes(item, `${place}[${index}]`, told),
    )
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isJsonObject(value)) return value
  let isOther = false
  const rest: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    const at = `${place}.${name}`
    if (holdsReportTime(name, inner)) {
      told(at, inner)
      isOther = true
      continue
    }
    const kept = withoutNestedReportTimes(inner, at, told)
    if (kept !== inner) isOther = true
    rest[name] = kept
  }
  return isOther ? rest : value
}

/** The record without the times at which it was looked up, or what is in it. */
export const withoutReportTimes = (record: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !isReportTime(name))
      .map(([name, value]) => [name, withoutNestedReportTimes(value, name)]),
  )
