// Tells by its name a time that says when the service looked, not what it saw: it moves with every reading,
// so it must make neither a version of a row nor another key.
import type { JsonObject } from "../domain/json.ts"
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

/** The record without the times at which it was looked up. */
export const withoutReportTimes = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !isReportTime(name)))
