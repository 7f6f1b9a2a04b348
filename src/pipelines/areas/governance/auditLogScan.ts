// How far back a run reads an audit log: to its first entry the first time and every `auditFullScanDays`, since entries
// may be backdated; otherwise to the newest entry of the run before.
import * as Schema from "effect/Schema"
import { MAX_CLOCK_SECONDS_OFF } from "../../../domain/run/clockTolerance.ts"
import { MICROS_PER_DAY, MICROS_PER_SECOND, startOfDay } from "../../../domain/values/time.ts"
import type { RunContext } from "../../model/Pipeline.ts"
import { cursorCodec, Day, Instant, LeftInQuarantine } from "../../strategies/cursors.ts"

export interface AuditLogCursor {
  /** Newest entry read, or when it was read if it is dated after that; microseconds. */
  readonly through: number
  readonly lastFullScan: number
  /** Day the full scan went back to; without it, to the first entry. */
  readonly scannedFrom?: number | undefined
  /** Pages of the full scan. */
  readonly pages: number
  /** See `LeftInQuarantine`. */
  readonly leftInQuarantine: number | null
}

export const cursors = cursorCodec<AuditLogCursor, unknown>(
  Schema.Struct({
    through: Instant,
    lastFullScan: Instant,
    scannedFrom: Schema.optional(Day),
    pages: Schema.Int,
    leftInQuarantine: LeftInQuarantine,
  }),
)

export interface Scan {
  readonly isFull: boolean
  /** Instant to read back to; `undefined` for the first entry. */
  readonly back: number | undefined
}

export const scanOf = (cursor: AuditLogCursor | undefined, context: RunContext): Scan => {
  if (cursor === undefined || context.full || isDue(cursor, context)) {
    return {
      isFull: true,
      back: context.since === undefined ? undefined : startOfDay(context.since),
    }
  }
  // Not only to `since`: the cursor moves past all entries since its mark.
  const mark = Math.min(cursor.through, context.now)
  return { isFull: false, back: mark - context.overlapDays * MICROS_PER_DAY }
}

/**
 * Also if the mark lies ahead by more than a clock may be off. Earlier versions took it from entries dated in the future; since when
 * they read no others is unknown.
 */
const isDue = (
  { through, lastFullScan, scannedFrom }: AuditLogCursor,
  context: RunContext,
): boolean =>
  context.now - lastFullScan >= context.auditFullScanDays * MICROS_PER_DAY ||
  (scannedFrom ?? -Infinity) > (context.since ?? -Infinity) ||
  through > context.now + MAX_CLOCK_SECONDS_OFF * MICROS_PER_SECOND

/** The cursor after which the next scan is a full one. */
export const beforeFullScan = (cursor: AuditLogCursor): AuditLogCursor => ({
  ...cursor,
  lastFullScan: 0,
})

/** The cursor after a scan that reached its end. */
export const afterScan = (
  earlier: AuditLogCursor | undefined,
  { isFull }: Scan,
  read: { readonly newest: number; readonly pages: number; readonly left: number | null },
  { now, since }: RunContext,
): AuditLogCursor => {
  const { newest, pages, left: leftInQuarantine } = read
  // An entry dated in the future must not hide those that arrive before that date.
  const through = Math.min(Math.max(newest, earlier?.through ?? -Infinity), now)
  return isFull || earlier === undefined
    ? { through, lastFullScan: now, scannedFrom: since, pages, leftInQuarantine }
    : { ...earlier, through, leftInQuarantine }
}
