// What ops.cursors remembers of an audit log: how far it is known, and when it was last read whole.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  formatDay,
  formatInstant,
  MICROS_PER_DAY,
  parseDay,
  parseInstant,
  startOfDay,
} from "../../domain/time.ts"
import type { RunContext } from "../Pipeline.ts"

export interface AuditLogCursor {
  /** Newest entry read, microseconds. */
  readonly through: number
  readonly lastFullScan: number
  /** Day the full walk went back to; without it, to the first entry. */
  readonly scannedFrom: number | undefined
  /** Pages of the full walk. */
  readonly pages: number
}

const decode = Schema.decodeUnknownResult(
  Schema.Struct({
    through: Schema.String,
    lastFullScan: Schema.String,
    scannedFrom: Schema.NullOr(Schema.String),
    pages: Schema.Int,
  }),
)

/** `undefined` where there is none yet, or none this version understands: the log is read whole. */
export const readAuditLogCursor = (stored: unknown): AuditLogCursor | undefined => {
  const decoded = decode(stored)
  if (Result.isFailure(decoded)) return undefined
  const { scannedFrom: from, pages } = decoded.success
  const through = parseInstant(decoded.success.through)
  const lastFullScan = parseInstant(decoded.success.lastFullScan)
  const scannedFrom = from === null ? undefined : parseDay(from)
  return through === undefined || lastFullScan === undefined
    ? undefined
    : { through, lastFullScan, scannedFrom, pages }
}

export const writeAuditLogCursor = (cursor: AuditLogCursor): unknown => ({
  through: formatInstant(cursor.through),
  lastFullScan: formatInstant(cursor.lastFullScan),
  scannedFrom: cursor.scannedFrom === undefined ? null : formatDay(cursor.scannedFrom),
  pages: cursor.pages,
})

/** What a walk has to reach back to; a full one to its very beginning, or to `since`. */
export interface Walk {
  readonly isFull: boolean
  readonly back: number | undefined
}

/** Whole the first time and every `auditFullScanDays`, since entries are dated back; else what came since. */
export const walkOf = (cursor: AuditLogCursor | undefined, context: RunContext): Walk => {
  const since = context.since === undefined ? undefined : startOfDay(context.since)
  if (cursor === undefined || context.full || isDue(cursor, context)) {
    return { isFull: true, back: since }
  }
  // An entry dated into the future must not hide what comes until then.
  const mark = Math.min(cursor.through, context.now) - context.overlapDays * MICROS_PER_DAY
  return { isFull: false, back: Math.max(mark, since ?? -Infinity) }
}

const isDue = ({ lastFullScan, scannedFrom }: AuditLogCursor, context: RunContext): boolean =>
  context.now - lastFullScan >= context.auditFullScanDays * MICROS_PER_DAY ||
  (scannedFrom ?? -Infinity) > (context.since ?? -Infinity)

/** The cursor after a walk that reached its end. */
export const afterWalk = (
  earlier: AuditLogCursor | undefined,
  { isFull }: Walk,
  { newest, pages }: { readonly newest: number; readonly pages: number },
  context: RunContext,
): AuditLogCursor => {
  const through = Math.max(newest, earlier?.through ?? -Infinity)
  return isFull || earlier === undefined
    ? { through, lastFullScan: context.now, scannedFrom: context.since, pages }
    : { ...earlier, through }
}
