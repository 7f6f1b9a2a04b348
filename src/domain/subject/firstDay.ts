// The day before which the platform has no facts.
import { MILLIS_PER_DAY } from "../values/time.ts"

/** No platform of smart contracts is older than the first chain that has them. */
export const FIRST_YEAR = 2015

/**
 * Days since 1970. Requests for everything name it as their start: a service may take one that is left out for a day of its
 * own, such as 30 days ago (§4.1 and §4.3 name none), and an empty response would then show nothing of what is older.
 */
export const FIRST_DAY = Date.UTC(FIRST_YEAR, 0, 1) / MILLIS_PER_DAY
