// Transactions of each subaccount: the first run reads the whole history, later runs read what is new, with an overlap
// for transactions that the service decodes late.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { JsonObject } from "../../../domain/values/json.ts"
import { FIRST_DAY } from "../../../domain/subject/firstDay.ts"
import type { SubaccountRef } from "../../../domain/subject/subaccount.ts"
import {
  endOfDay,
  formatMicros,
  MICROS_PER_DAY,
  MICROS_PER_MILLI,
  startOfDay,
} from "../../../domain/values/time.ts"
import { transactions as endpoint } from "../../../extract/endpoints/subaccounts/transactions.ts"
import type { TimeCursor } from "../../../extract/paginators/timeCursor.ts"
import {
  type TimeStep,
  type TimeWindow,
  timeWindows,
} from "../../../extract/paginators/timeWindows.ts"
import {
  transactionRows,
  transactions,
} from "../../../transform/tables/subaccounts/transactions.ts"
import type { PartitionState } from "../../model/PartitionState.ts"
import type { Partition, Pipeline, RunContext } from "../../model/Pipeline.ts"
import type { GapNote, TaskResult } from "../../model/TaskResult.ts"
import { cursorCodec, Instant, leftAfter, LeftInQuarantine } from "../../strategies/cursors.ts"
import { evmSubaccounts, subaccountSources } from "../../strategies/partitions.ts"
import { type Page, readPage } from "../../strategies/readPage.ts"
import { resultOf } from "../../strategies/taskResult.ts"

const source = { endpoint, tables: [transactions], rows: transactionRows }

const OpenInstant = Schema.optional(Instant)

interface StoredCursor extends TimeCursor {
  /** See `LeftInQuarantine`. */
  readonly leftInQuarantine: number | null
}

const cursors = cursorCodec<StoredCursor, unknown>(
  Schema.Struct({
    through: OpenInstant,
    from: OpenInstant,
    largest: Schema.Finite,
    whole: Schema.optional(Schema.Struct({ count: Schema.Finite, oldest: Instant, at: Instant })),
    leftInQuarantine: LeftInQuarantine,
    pending: Schema.optional(
      Schema.Struct({ from: OpenInstant, to: OpenInstant, newest: OpenInstant }),
    ),
  }),
)

const storedCursor = (
  { entity }: Partition<SubaccountRef>,
  { cursor }: PartitionState,
  { full }: RunContext,
): StoredCursor | undefined => (full ? undefined : cursors.decode(cursor(entity)))

/** What the run leaves in quarantine before its first page: nothing, if it reads everything. */
const leftBefore = (
  { entity }: Partition<SubaccountRef>,
  { cursor }: PartitionState,
  { full, since, until }: RunContext,
): number | null =>
  full && since === undefined && until === undefined
    ? null
    : (cursors.decode(cursor(entity))?.leftInQuarantine ?? null)

const inputsOf = ({ wireAddress }: SubaccountRef, { from, to }: TimeWindow) => ({
  subaccountAddress: wireAddress,
  startTime: from ?? Math.min(startOfDay(FIRST_DAY), to ?? Infinity),
  ...(to === undefined ? {} : { endTime: to }),
})

const windowText = ({ from, to }: TimeWindow): string =>
  `${from === undefined ? "" : formatMicros(from)}..${to === undefined ? "" : formatMicros(to)}`

type Unreached = NonNullable<TimeStep<unknown>["unreached"]>

const tieGap = (at: number): GapNote => ({
  // A service that compares no finer times leaves out others of the millisecond.
  fromAt: Math.floor(at / MICROS_PER_MILLI) * MICROS_PER_MILLI,
  toAt: at,
  reason: "tie",
  state: "permanent",
  detail: `more transactions at ${formatMicros(at)} than a response holds; the service has no way to request the others`,
})

const unreachedGap = ({ after, before }: Unreached): GapNote => ({
  fromAt: after,
  toAt: before,
  reason: "unreachable",
  state: "permanent",
  detail: `the service returned no transactions between ${formatMicros(after)} and ${formatMicros(before)}, and older ones only in a request of their own; there may be some in between. Run sync more often`,
})

const taskResult = (
  entity: string,
  step: TimeStep<Page<unknown>>,
  leftInQuarantine: number | null,
): TaskResult => {
  const gaps = [
    ...(step.tie === undefined ? [] : [tieGap(step.tie)]),
    ...(step.unreached === undefined ? [] : [unreachedGap(step.unreached)]),
  ]
  const warning = step.ignoresEnd
    ? "the service ignores endTime, so older transactions may be out of reach; if it uses another name, set it in wire.names"
    : gaps[0]?.detail
  return {
    ...resultOf(windowText(step.window), step.content),
    gaps,
    hadRows: step.suspicious,
    ...(step.cursor === undefined
      ? {}
      : { cursor: { entity, value: cursors.encode({ ...step.cursor, leftInQuarantine }) } }),
    ...(warning === undefined ? {} : { warning }),
  }
}

export const transactionsPipeline: Pipeline<SubaccountRef, ReadonlyArray<JsonObject>> = {
  name: "transactions",
  title: "Transactions",
  cadence: "hourly",
  limitedBy: ["since", "until"],
  ...source,
  after: subaccountSources,
  leavesInQuarantine: true,
  partitions: evmSubaccounts,
  read: (partition, state, context) =>
    timeWindows({
      cursor: storedCursor(partition, state, context),
      overlap: context.overlapDays * MICROS_PER_DAY,
      recheck: context.auditFullScanDays * MICROS_PER_DAY,
      since: context.since === undefined ? undefined : startOfDay(context.since),
      // After today there is nothing, and an end that is far away is no instant that can be sent.
      until:
        context.until === undefined || context.until > context.today
          ? undefined
          : endOfDay(context.until),
      read: (window) =>
        Effect.map(
          readPage(source, partition, inputsOf(partition.subject, window), context),
          // Repetitions, of which one becomes a row, fill a response too.
          (page) => ({ content: page, times: page.times, count: page.value.length }),
        ),
    }).pipe(
      Stream.mapAccum(
        () => leftBefore(partition, state, context),
        (before, step) => {
          const left = leftAfter(before, step.content)
          return [left, [taskResult(partition.entity, step, left)]] as const
        },
      ),
    ),
  cursorForWhole: (partition, state, context) => {
    const stored = cursors.decode(state.cursor(partition.entity))
    const from = context.since === undefined ? undefined : startOfDay(context.since)
    return stored === undefined
      ? undefined
      : cursors.encode({
          ...stored,
          from,
          pending: { from, newest: stored.pending?.newest },
          leftInQuarantine: leftBefore(partition, state, context),
        })
  },
  // A first reading goes on until nothing is older; how many responses that takes is unknown.
  expectedRequests: (partition, state, context) =>
    storedCursor(partition, state, context) === undefined ? 2 : 1,
}
