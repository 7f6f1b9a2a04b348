// How far back a run reads an audit log: to its first entry the first time and every `auditFullScanDays`, since entries
// may be backdated; otherwise to the newest entry of the run before.
import * as Schema from "effect/Schema"
import { MICROS_PER_DAY, startOfDay } from "../../../domain/values/time.ts"
import type { RunContext } from "../../model/Pipeline.ts"
import { cursorCodec, Day, Instant, LeftInQuarantine } from "../../strategies/cursors.ts"

export interface AuditLogCursor {
  /** Newest entry read, microseconds. */
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
  const since = context.since === undefined ? undefined : startOfDay(context.since)
  if (cursor === undefined || context.full || isDue(cursor, context)) {
    return { isFull: true, back: since }
  }
  // An entry dated in the future must not hide those that arrive before that date.
  const mark = Math.min(cursor.through, context.now) - context.overlapDays * MICROS_PER_DAY
  return { isFull: false, back: Math.max(mark, since ?? -Infinity) }
}

const isDue = ({ lastFullScan, scannedFrom }: AuditLogCursor, context: RunContext): boolean =>
  context.now - lastFullScan >= context.auditFullScanDays * MICROS_PER_DAY ||
  (scannedFrom ?? -Infinity) > (context.since ?? -Infinity)

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
  const through = Math.max(newest, earlier?.through ?? -Infinity)
  return isFull || earlier === undefined
    ? { through, lastFullScan: now, scannedFrom: since, pages, leftInQuarantine }
    : { ...earlier, through, leftInQuarantine }
}
