// PnL history: newest first, at most 1000, no cursor. Asks for just enough to reach what is stored; what
// that can't reach can't be asked for at all, and is recorded as a permanent gap.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { JsonObject } from "../../domain/json.ts"
import { dayOf, formatInstant, MICROS_PER_DAY, parseInstant } from "../../domain/time.ts"
import type { VaultRef } from "../../domain/vault.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import { unrealizedPnl } from "../../extract/endpoints/transparency/unrealized_pnl.ts"
import { looksCutOff } from "../../extract/paginators/plausibleCap.ts"
import { pnlHistory, pnlHistoryRows } from "../../transform/tables/transparency/pnl_history.ts"
import { givenUp, holesToFill, missingSlots } from "../walks/holes.ts"
import { landed } from "../run/landed.ts"
import type { GapNote, Holes, Memory, Pipeline, RunContext, Step, Target } from "../Pipeline.ts"
import { vaults } from "../walks/targets.ts"

/** As mart.series names it. */
const SERIES = "pnl"
const MAX_LIMIT = 1000
// More than the snapshots of the overlap, against a cadence that quickened.
const SPARE = 10
const HEADROOM = 1.25

interface Mark {
  /** Newest snapshot stored, microseconds. */
  readonly through: number
  readonly snapshotsPerDay: number
}

const decodeCursor = Schema.decodeUnknownResult(
  Schema.Struct({ through: Schema.String, snapshotsPerDay: Schema.Finite }),
)

const readMark = (stored: unknown): Mark | undefined => {
  const decoded = decodeCursor(stored)
  if (Result.isFailure(decoded)) return undefined
  const through = parseInstant(decoded.success.through)
  return through === undefined
    ? undefined
    : { through, snapshotsPerDay: decoded.success.snapshotsPerDay }
}

/** Enough snapshots to reach the mark and the overlap before it, late and revised ones included. */
const limitFor = (
  mark: Mark | undefined,
  holes: Holes | undefined,
  context: RunContext,
): number => {
  if (mark === undefined || missingSlots(holes).length > 0) return MAX_LIMIT
  const days = (context.now - mark.through) / MICROS_PER_DAY + context.overlapDays
  const expected = Math.ceil(days * mark.snapshotsPerDay * HEADROOM) + SPARE
  return Math.min(MAX_LIMIT, Math.max(SPARE, expected))
}

const ask = Effect.fnUntraced(function* (
  { entity, subject }: Target<VaultRef>,
  limit: number,
  { timeFields }: RunContext,
) {
  const client = yield* ApiClient
  const inputs = { vault: subject.served, limit }
  const answer = yield* client.call(unrealizedPnl, inputs, subject)
  const asked = { entity, subject, inputs, timeFields }
  const { rows, drift } = yield* landed(pnlHistoryPipeline, asked, answer)
  const points = rows.find(({ table }) => table === pnlHistory)
  const at = pnlHistory.columns.findIndex(({ name }) => name === pnlHistory.time)
  const times = (points?.columns[at] ?? []) as ReadonlyArray<number>
  const newest = times.reduce((max, time) => Math.max(max, time), -Infinity)
  const oldest = times.reduce((min, time) => Math.min(min, time), Infinity)
  return {
    answer,
    rows,
    drift,
    limit,
    newest,
    oldest,
    times,
    count: times.length,
    // As many as were asked for, or as a service gives out that gives out fewer: older ones may be there.
    full: times.length >= limit || looksCutOff(times.length),
  }
})

type Page = Effect.Success<ReturnType<typeof ask>>

/** Whether nothing can be missing between what is stored and the page, the overlap included. */
const reaches = (page: Page, mark: Mark, context: RunContext): boolean =>
  page.oldest <= mark.through - (page.full ? context.overlapDays * MICROS_PER_DAY : 0)

const readHistory = Effect.fnUntraced(function* (
  target: Target<VaultRef>,
  memory: Memory,
  context: RunContext,
) {
  const mark = readMark(memory.cursor(memory.entity))
  const holes = oldHoles(mark, memory, context)
  const limit = context.full ? MAX_LIMIT : limitFor(mark, holes, context)
  const first = yield* ask(target, limit, context)
  const short = mark !== undefined && first.limit < MAX_LIMIT && !reaches(first, mark, context)
  const page = short ? yield* ask(target, MAX_LIMIT, context) : first
  const responses = short
    ? [...first.answer.responses, ...page.answer.responses]
    : page.answer.responses
  const requests = page.answer.attempts + (short ? first.answer.attempts : 0)
  const step = toStep(memory.entity, mark, page, { responses, requests }, context)
  return step.outcome !== "landed" || holes === undefined
    ? step
    : { ...step, gaps: [...(step.gaps ?? []), ...notFilled(holes, page, context)] }
})

/** Holes older than what this run reads anyway. */
const oldHoles = (mark: Mark | undefined, memory: Memory, context: RunContext) =>
  mark === undefined
    ? undefined
    : holesToFill(
        memory.holes?.get(SERIES),
        context,
        (day) => day < dayOf(mark.through) - context.overlapDays,
      )

/** What the newest snapshots do not hold, or do not reach, can't be asked for in any other way. */
const notFilled = (holes: Holes, page: Page, context: RunContext): ReadonlyArray<GapNote> => {
  const { slotMicros } = holes
  const found = new Set(page.times.map((time) => Math.floor(time / slotMicros) * slotMicros))
  const still = missingSlots(holes).filter((slot) => !found.has(slot))
  const isReached = (slot: number) => !page.full || slot + slotMicros > page.oldest
  return [
    ...givenUp(still.filter(isReached), holes, context),
    ...givenUp(
      still.filter((slot) => !isReached(slot)),
      holes,
      context,
      `the service serves the newest ${MAX_LIMIT} snapshots only, which do not reach it`,
    ),
  ]
}

const toStep = (
  entity: string,
  mark: Mark | undefined,
  page: Page,
  sent: Pick<Step, "responses" | "requests">,
  { today }: RunContext,
): Step => {
  const shared = {
    ...sent,
    window: `newest ${page.limit}`,
    series: SERIES,
    // A full page says nothing of what is older; what lies between it and the mark is recorded as a gap.
    covers: { from: page.full ? dayOf(page.oldest) : undefined, to: today },
    endpoint: unrealizedPnl.name,
    drift: page.drift,
  }
  if (page.count === 0) {
    return mark === undefined
      ? { ...shared, outcome: "empty", rows: [] }
      : {
          ...shared,
          outcome: "suspicious_empty",
          rows: [],
          warning: "no PnL snapshots where there were some before; kept them",
        }
  }
  const missed = mark !== undefined && page.oldest > mark.through
  const gaps: ReadonlyArray<GapNote> = missed
    ? [
        {
          fromAt: mark.through,
          toAt: page.oldest,
          reason: "unreachable",
          state: "permanent",
          detail: `the service served the newest ${page.count} snapshots only and they no longer reach ${formatInstant(mark.through)}; run sync more often`,
        },
      ]
    : []
  const days = (page.newest - page.oldest) / MICROS_PER_DAY
  const snapshotsPerDay = days > 0 ? (page.count - 1) / days : (mark?.snapshotsPerDay ?? MAX_LIMIT)
  const through = Math.max(page.newest, mark?.through ?? -Infinity)
  return {
    ...shared,
    outcome: "landed",
    rows: page.rows,
    gaps,
    cursor: {
      entity,
      value: { through: formatInstant(through), snapshotsPerDay },
    },
    ...(missed && gaps[0] !== undefined ? { warning: gaps[0].detail } : {}),
  }
}

export const pnlHistoryPipeline: Pipeline<VaultRef, ReadonlyArray<JsonObject>> = {
  name: "pnl_history",
  title: "PnL history",
  tables: [pnlHistory],
  endpoint: unrealizedPnl,
  after: ["vaults"],
  targets: vaults,
  rows: pnlHistoryRows,
  steps: (target, memory, context) => Stream.fromEffect(readHistory(target, memory, context)),
  expectedRequests: () => 1,
}
