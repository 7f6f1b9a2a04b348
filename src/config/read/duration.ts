// Durations as they are written in the file, the environment and flags.
import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from "../../domain/values/time.ts"

const unitSeconds: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  sec: 1,
  second: 1,
  m: 60,
  min: 60,
  minute: 60,
  h: SECONDS_PER_HOUR,
  hour: SECONDS_PER_HOUR,
  d: SECONDS_PER_DAY,
  day: SECONDS_PER_DAY,
}

/** Seconds of `30s`, `1.5 min`, `250ms`, `2 hours` or a plain number; must be above zero. */
export const parseDuration = (value: unknown): number | undefined => {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(value))
  const [, digits = "", word = ""] = match ?? []
  const unit = unitSeconds[word.toLowerCase()] ?? unitSeconds[word.toLowerCase().replace(/s$/, "")]
  const seconds = Number(digits) * (word === "" ? 1 : (unit ?? Number.NaN))
  return match !== null && seconds > 0 ? seconds : undefined
}
