// PnL history: newest first, at most 1000 snapshots, no cursor. Requests just enough to reach the stored snapshots;
// what the newest 1000 do not reach can't be requested at all, and is recorded as a permanent gap.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { JsonObject } from "../../../domain/values/json.ts"
import {
  dayOf,
  formatInstant,
  MICROS_PER_DAY,
  MICROS_PER_MILLI,
} from "../../../domain/values/time.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import { unrealizedPnl } from "../../../extract/endpoints/transparency/unrealized_pnl.ts"
import { pnlHistory, pnlHistoryRows } from "../../../transform/tables/transparency/pnl_history.ts"
import type { MissingSlots, PartitionState } from "../../model/PartitionState.ts"
import type { Partition, Pipeline, RunContext } from "../../model/Pipeline.ts"
import type { GapNote, Rejected, TaskResult } from "../../model/TaskResult.ts"
import { cursorCodec, Instant, LeftInQuarantine } from "../../strategies/cursors.ts"
import {
  missingIn,
  permanentGaps,
  slotsToFill,
  stillMissing,
} from "../../strategies/missingSlots.ts"
import { vaults } from "../../strategies/partitions.ts"
import { type Page, readPage } from "../../strategies/readPage.ts"
import { resultOf } from "../../strategies/taskResult.ts"

const source = { endpoint: unrealizedPnl, tables: [pnlHistory], rows: pnlHistoryRows }

/** The name of the series in mart.series. */
const SERIES = "pnl"
const MAX_LIMIT = 1000
// More than expected, in case snapshots now come more often.
const SPARE = 10
const HEADROOM = 1.25
// The document states no cadence (§2.8). From here on the service takes a snapshot every hour, and one without is a hole.
const HOURLY_PER_DAY = 12

interface Mark {
  /**
   * Newest snapshot stored, microseconds, or when it was read if that is earlier: a snapshot dated in the future must not
   * hide those that arrive before that date. Cursors of earlier versions may lie in the future.
   */
  readonly through: number
  readonly snapshotsPerDay: number
  /** The snapshot before the oldest rejected one; each run reads back to it until none is rejected. */
  readonly rejectedSince?: number | undefined
  /** Whether the next run requests all it can: one that was to do so could not read it. */
  readonly isWholeNext?: boolean | undefined
  /** See `LeftInQuarantine`. */
  readonly leftInQuarantine: number | null
}

const cursors = cursorCodec<Mark, unknown>(
  Schema.Struct({
    through: Instant,
    snapshotsPerDay: Schema.Finite,
    rejectedSince: Schema.optional(Instant),
    isWholeNext: Schema.optional(Schema.Boolean),
    leftInQuarantine: LeftInQuarantine,
  }),
)

/** Where a full page has to begin: at the overlap before the mark, or at the response with a rejected snapshot. */
const wantedSince = (
  { through, rejectedSince = Infinity }: Mark,
  { overlapDays }: RunContext,
): number => Math.min(through - overlapDays * MICROS_PER_DAY, rejectedSince)

/**
 * Enough snapshots to reach back as far as wanted, late and revised ones included; all, if the mark asks for them or lies in the
 * future, since it then does not say how far the snapshots before now were read.
 */
const limitFor = (
  mark: Mark | undefined,
  slots: MissingSlots | undefined,
  context: RunContext,
): number => {
  if (context.full || mark === undefined || missingIn(slots).length > 0) return MAX_LIMIT
  if (mark.isWholeNext === true || mark.through > context.now) return MAX_LIMIT
  const days = (context.now - wantedSince(mark, context)) / MICROS_PER_DAY
  const expected = Math.ceil(days * mark.snapshotsPerDay * HEADROOM) + SPARE
  return Math.min(MAX_LIMIT, Math.max(SPARE, expected))
}

interface Snapshots extends Page<unknown> {
  readonly limit: number
  /** As `through` of the mark. */
  readonly newest: number
  readonly oldest: number
  /** Whether it has as many snapshots as were requested, so that there may be older ones. */
  readonly isFull: boolean
}

const readSnapshots = (partition: Partition<VaultRef>, limit: number, context: RunContext) =>
  Effect.map(
    readPage(source, partition, { vault: partition.subject.wireAddress, limit }, context),
    (page): Snapshots => ({
      ...page,
      limit,
      newest: Math.min(
        page.times.reduce((max, time) => Math.max(max, time), -Infinity),
        context.now,
      ),
      oldest: page.times.reduce((min, time) => Math.min(min, time), Infinity),
      isFull: page.count >= limit,
    }),
  )

/** The place of a rejected snapshot in the response, newest first. */
const placeOf = ({ path }: Rejected): number => Number(/^\$\[(\d+)\]/.exec(path)?.[1] ?? Infinity)

/**
 * The newest snapshot that is older than all rejected ones of the page: those are newer than it. `undefined` if the page
 * has none.
 */
const olderThanRejected = ({ rejected, times, oldest }: Snapshots): number | undefined => {
  const last = rejected.reduce((max, each) => Math.max(max, placeOf(each)), -Infinity)
  const isNewestFirst = times.every((time, at) => time <= (times[at - 1] ?? Infinity))
  return isNewestFirst ? times[last + 1 - rejected.length] : oldest
}

/** What a page shows of rejected snapshots: where to read back to for them, and the one that no page reaches any more. */
const rejectedIn = (mark: Mark | undefined, page: Snapshots) => {
  const { rejected, oldest } = page
  const before = mark?.rejectedSince
  const older = olderThanRejected(page)
  if (rejected.length > 0 && older === undefined) {
    return { since: before ?? oldest, lost: undefined }
  }
  return {
    since: rejected.length === 0 ? undefined : older,
    lost: before !== undefined && before < oldest ? before : undefined,
  }
}

/** Whether no snapshot can be missing between the stored ones and the page, those wanted again included. */
const reaches = (page: Snapshots, mark: Mark, context: RunContext): boolean =>
  page.oldest <= (page.isFull ? wantedSince(mark, context) : mark.through)

const readHistory = Effect.fnUntraced(function* (
  partition: Partition<VaultRef>,
  state: PartitionState,
  context: RunContext,
) {
  const stored = cursors.decode(state.cursor(partition.entity))
  const mark =
    stored === undefined ? undefined : { ...stored, through: Math.min(stored.through, context.now) }
  const slots = slotsToFill(
    state.missingSlots?.get(SERIES),
    mark === undefined ? undefined : { before: dayOf(mark.through) - context.overlapDays },
    context,
  )
  const first = yield* readSnapshots(partition, limitFor(stored, slots, context), context)
  const isShort = mark !== undefined && first.limit < MAX_LIMIT && !reaches(first, mark, context)
  if (!isShort) return taskResult(partition.entity, mark, slots, first, context)
  const whole = yield* readSnapshots(partition, MAX_LIMIT, context)
  const page = {
    ...whole,
    responses: [...first.responses, ...whole.responses],
    requests: first.requests + whole.requests,
  }
  return taskResult(partition.entity, mark, slots, page, context)
})

/** Slots that the newest snapshots lack or do not reach. They can't be requested in any other way. */
const notFilled = (
  slots: MissingSlots,
  page: Snapshots,
  context: RunContext,
): ReadonlyArray<GapNote> => {
  const still = stillMissing(missingIn(slots), slots, page.times)
  const isReached = (slot: number) => !page.isFull || slot + slots.slotMicros > page.oldest
  return [
    ...permanentGaps(still.filter(isReached), slots, context),
    ...permanentGaps(
      still.filter((slot) => !isReached(slot)),
      slots,
      context,
      `the service has only the newest ${MAX_LIMIT} snapshots, which do not reach it`,
    ),
  ]
}

const taskResult = (
  entity: string,
  mark: Mark | undefined,
  slots: MissingSlots | undefined,
  page: Snapshots,
  context: RunContext,
): TaskResult => {
  const { newest, oldest, times, limit, isFull } = page
  const result = {
    ...resultOf(`newest ${limit}`, page),
    series: SERIES,
    // A full page says nothing about what is older; what lies between it and the mark is recorded as a gap.
    covers: { from: isFull ? dayOf(oldest) : undefined, to: context.today },
    hadRows: mark !== undefined,
  }
  if (times.length === 0) return result
  const rejected = rejectedIn(mark, page)
  const lost = [
    ...(mark === undefined || oldest <= mark.through ? [] : [lostGap(mark, page)]),
    ...(rejected.lost === undefined ? [] : [lostRejectedGap(rejected.lost, page)]),
  ]
  const days = (newest - oldest) / MICROS_PER_DAY
  const snapshotsPerDay =
    days > 0 ? (times.length - 1) / days : (mark?.snapshotsPerDay ?? MAX_LIMIT)
  const through = Math.max(newest, mark?.through ?? -Infinity)
  const leftInQuarantine =
    rejected.lost === undefined ? (mark?.leftInQuarantine ?? null) : receivedBefore(page)
  return {
    ...result,
    // A rejected snapshot may be the one that is missing.
    gaps:
      slots === undefined || page.rejected.length > 0 || snapshotsPerDay < HOURLY_PER_DAY
        ? lost
        : [...lost, ...notFilled(slots, page, context)],
    cursor: {
      entity,
      value: cursors.encode({
        through,
        snapshotsPerDay,
        rejectedSince: rejected.since,
        leftInQuarantine,
      }),
    },
    ...(lost[0] === undefined ? {} : { warning: lost[0].detail }),
  }
}

const lostGap = ({ through }: Mark, { oldest, times }: Snapshots): GapNote => ({
  fromAt: through,
  toAt: oldest,
  reason: "unreachable",
  state: "permanent",
  detail: `the service returned the newest ${times.length} snapshots only, which no longer reach ${formatInstant(through)}; run sync more often`,
})

const lostRejectedGap = (since: number, { oldest, times }: Snapshots): GapNote => ({
  fromAt: since,
  toAt: oldest,
  reason: "unreachable",
  state: "permanent",
  detail: `a snapshot since ${formatInstant(since)} was not as documented and is in quarantine; the newest ${times.length} no longer reach it`,
})

/** When responses before those of the page had been received. */
const receivedBefore = ({ responses }: Snapshots): number | null => {
  const [first] = responses
  return first === undefined ? null : first.receivedAt - MICROS_PER_MILLI
}

export const pnlHistoryPipeline: Pipeline<VaultRef, ReadonlyArray<JsonObject>> = {
  name: "pnl_history",
  title: "PnL history",
  cadence: "hourly",
  // The service has no parameters for days: it returns the newest points.
  limitedBy: [],
  ...source,
  after: ["vaults"],
  partitions: vaults,
  read: (partition, state, context) => Stream.fromEffect(readHistory(partition, state, context)),
  cursorForWhole: ({ entity }, { cursor }) => {
    const stored = cursors.decode(cursor(entity))
    return stored === undefined ? undefined : cursors.encode({ ...stored, isWholeNext: true })
  },
  expectedRequests: () => 1,
}
