// The period that a page shows. It is part of the address, `?from=2026-05-01&to=2026-05-31`, so that a link shows what its
// sender saw. Both days are included; days are UTC.
import * as Effect from "effect/Effect"
import { MILLIS_PER_DAY, parseInstant, parseIsoDay } from "../../domain/values/time.ts"
import { ReadError } from "../../pipelines/readers/published.ts"

/** `YYYY-MM-DD`, both included. */
export interface Days {
  readonly from: string
  readonly to: string
}

export interface Period extends Days {
  /** Milliseconds since 1970; the end is exclusive. Within the days, if the address names instants. */
  readonly fromAt: number
  readonly toAt: number
  /** The number of days. */
  readonly days: number
}

/** What an address may have: days, or instants where a chart was zoomed. */
export interface PeriodText {
  readonly from?: string
  readonly to?: string
}

/** Of pages whose address has no period. */
export const INITIAL_DAYS = 30

export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const ADVICE =
  "Choose a period on the page, or write both days in the address: ?from=2026-05-01&to=2026-05-31."

/** The day that is `days` days before another one. */
export const daysBefore = (day: string, days: number): string =>
  dayOf(Date.parse(day) - days * MILLIS_PER_DAY)

/** The last `days` days up to the day, which is one of them. */
export const lastDays = (to: string, days: number): Days => ({ from: daysBefore(to, days - 1), to })

/** The beginning of the day or the instant, in milliseconds since 1970, and how long it is. */
const momentOf = (
  name: string,
  text: string,
): Effect.Effect<{ readonly at: number; readonly isDay: boolean }, ReadError> => {
  const days = parseIsoDay(text)
  const isDay = days !== undefined
  const micros = isDay ? undefined : parseInstant(text)
  const at = isDay ? days * MILLIS_PER_DAY : (micros ?? Number.NaN) / 1000
  return Number.isNaN(at)
    ? Effect.fail(
        new ReadError({ why: `${name}=${text} is not a day such as 2026-05-31.`, advice: ADVICE }),
      )
    : Effect.succeed({ at, isDay })
}

/** The period in an address; without one, the last `initialDays` days of the whole. Fails if it is wrong. */
export const periodOf = Effect.fnUntraced(function* (
  { from = "", to = "" }: PeriodText,
  whole: Days,
  initialDays: number,
) {
  const end = yield* momentOf("to", to.trim() === "" ? whole.to : to.trim())
  const toAt = end.isDay ? end.at + MILLIS_PER_DAY : end.at
  const start = yield* momentOf(
    "from",
    from.trim() === "" ? daysBefore(dayOf(toAt - 1), initialDays - 1) : from.trim(),
  )
  if (start.at >= toAt) {
    return yield* new ReadError({
      why: `from=${from} is after to=${to || whole.to}.`,
      advice: ADVICE,
    })
  }
  const [first, last] = [dayOf(start.at), dayOf(toAt - 1)]
  return {
    from: first,
    to: last,
    fromAt: start.at,
    toAt,
    days: (Date.parse(last) - Date.parse(first)) / MILLIS_PER_DAY + 1,
  } satisfies Period
})
