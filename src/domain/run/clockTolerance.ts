// How far a clock may be off.
import { SECONDS_PER_HOUR } from "../values/time.ts"

/**
 * From so many seconds on, a clock is wrong: beyond what a service's own clock and the caches on the way are likely to be wrong by. A
 * run loads nothing by it.
 */
export const MAX_CLOCK_SECONDS_OFF = 2 * SECONDS_PER_HOUR
