// Whether an empty answer is believed. Where there was something it is not, the first time; a set has ended when the
// next run that asks is told the same. A series has no such end: what it held stays (docs/decisions/0010).
import * as Effect from "effect/Effect"
import type { Outcome } from "../../domain/outcome.ts"
import type { Rows } from "../../domain/table.ts"
import { identifier, qualified } from "../../load/sql.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import type { Step } from "../Pipeline.ts"

type Store = Warehouse["Service"]

/** What tasks are filed under. */
interface Question {
  readonly runId: string
  readonly pipeline: string
  readonly entity: string
  readonly window: string
}

interface Judged {
  readonly outcome: Outcome
  /** What is to land: a set without members only where that is believed, what is said beside it either way. */
  readonly rows: ReadonlyArray<Rows>
  readonly warning: string | undefined
  /** For the task's record: what can't be believed the next time either. */
  readonly tag?: string
}

/** The service said that it could not read everything (§4.1): emptiness is no answer then, however often it comes. */
const WARNED = "Warned"

const MICROS_PER_SECOND = 1_000_000

/**
 * What a step comes to at the instant `now` (microseconds); `cacheSeconds` is how long the server gives the same
 * answer again (§8).
 */
export const judged = Effect.fnUntraced(function* (
  warehouse: Store,
  question: Question,
  step: Step,
  { now, cacheSeconds }: { readonly now: number; readonly cacheSeconds: number },
) {
  const { outcome, error, rows, endpoint } = step
  const wasKnown = step.isSameQuestion === true ? hadRows : everHadRows
  if (outcome === "empty" && error?.status === 404 && (yield* wasKnown(warehouse, question))) {
    // Known before and unknown now: no answer to a question, so that it ends nothing the second time either.
    const warning = `${error.detail}, where there was something before; kept it`
    return { outcome: "suspicious_empty", rows, warning } satisfies Judged
  }
  if (outcome !== "empty" || error !== undefined) {
    return { outcome, rows, warning: step.warning } satisfies Judged
  }
  const own = ownRows(rows)
  const others = rows.filter(({ beside }) => beside !== undefined)
  const sets = own.filter(({ scope }) => scope !== undefined)
  const isSeries = sets.length < own.length || own.length === 0
  const isHeld = yield* holdsCurrent(warehouse, sets)
  const hadPoints = isSeries && (yield* hadRows(warehouse, question))
  if (!isHeld && !hadPoints) {
    const told = withoutEmptySets(rows)
    return {
      outcome: !isSeries && told.length > 0 ? "landed" : outcome,
      // Warnings that no longer come have ended.
      rows: (yield* holdsCurrent(warehouse, others)) ? [...new Set([...told, ...others])] : told,
      warning: step.warning,
    } satisfies Judged
  }
  const kept = `nothing in ${endpoint} where there was something before; kept it`
  if (!isHeld) {
    const warning = step.warning ?? kept
    return {
      outcome: "suspicious_empty",
      rows: withoutEmptySets(rows),
      warning,
    } satisfies Judged
  }
  if (others.some(({ beside, length }) => beside === "warning" && length > 0)) {
    const warning = `nothing in ${endpoint} but a warning, where there was something before; kept it until it comes without one`
    return {
      outcome: "suspicious_empty",
      tag: WARNED,
      rows: withoutEmptySets(rows),
      warning,
    } satisfies Judged
  }
  const doubted = hadPoints
    ? undefined
    : yield* doubtedAt(warehouse, question, step.isSameQuestion !== true)
  if (doubted !== undefined && doubted + cacheSeconds * MICROS_PER_SECOND <= now) {
    const warning = `nothing in ${endpoint}, as the run before was told: what there was has ended`
    return { outcome, rows, warning } satisfies Judged
  }
  const later = cacheSeconds === 0 ? "the next run" : `a run ${cacheSeconds} s later (§8)`
  const warning = `${kept} until ${later} is told the same`
  return { outcome: "suspicious_empty", rows: withoutEmptySets(rows), warning } satisfies Judged
})

/** Rows of what was asked for, without what is said beside it. */
export const ownRows = (rows: ReadonlyArray<Rows>): ReadonlyArray<Rows> =>
  rows.filter(({ beside }) => beside === undefined)

/**
 * What lands of an answer that is doubted, and of it again in a replay: all but the sets that are said to have no
 * member.
 */
export const withoutEmptySets = (rows: ReadonlyArray<Rows>): ReadonlyArray<Rows> =>
  rows.filter(({ length, emptySets = [] }) => length + emptySets.length > 0)

/** Whether any of these sets has a current row. */
const holdsCurrent = Effect.fnUntraced(function* (warehouse: Store, sets: ReadonlyArray<Rows>) {
  for (const { table, scope } of sets) {
    const of = Object.entries(scope ?? {})
    const within = of.map(
      ([name], at) => ` and ${identifier(name)} is not distinct from $${at + 1}`,
    )
    const found = yield* warehouse.rows(
      `select 1 from ${qualified(table)} where is_current${within.join("")} limit 1`,
      of.map(([, value]) => value),
    )
    if (found.length > 0) return true
  }
  return false
})

/** Whether the question has ever had an answer with something in it. */
const hadRows = Effect.fnUntraced(function* (
  warehouse: Store,
  { pipeline, entity, window }: Question,
) {
  const rows = yield* warehouse.rows(
    `select 1 from ops.tasks where pipeline = $1 and entity = $2 and "window" = $3
       and outcome in ('loaded', 'unchanged') limit 1`,
    [pipeline, entity, window],
  )
  return rows.length > 0
})

/** Whether any question about the entity has. */
const everHadRows = Effect.fnUntraced(function* (warehouse: Store, { pipeline, entity }: Question) {
  const rows = yield* warehouse.rows(
    `select 1 from ops.tasks where pipeline = $1 and entity = $2
       and outcome in ('loaded', 'unchanged') limit 1`,
    [pipeline, entity],
  )
  return rows.length > 0
})

/**
 * When the last run that asked was told nothing and did not believe it; undefined where anything else came since, be it
 * under another window: a failure, which may be of the task as a whole, and where a task is `oneQuestion` any answer.
 */
const doubtedAt = Effect.fnUntraced(function* (
  warehouse: Store,
  { runId, pipeline, entity, window }: Question,
  oneQuestion: boolean,
) {
  const [doubt] = yield* warehouse.rows(
    `with earlier as (
       select * from ops.tasks where pipeline = $1 and entity = $2 and run_id <> $4
     ),
     last as (select * from earlier where "window" = $3 order by finished_at desc limit 1)
     select epoch_us(finished_at)::double as finished_at from last
     where outcome = 'suspicious_empty' and error_tag is null and not exists (
       select 1 from earlier
       where earlier.finished_at > last.finished_at and earlier.run_id <> last.run_id
         and (earlier.outcome in ('failed', 'quarantined', 'deferred')
           or ($5 and earlier.outcome <> 'suspicious_empty'))
     )`,
    [pipeline, entity, window, runId, oneQuestion],
  )
  return doubt === undefined ? undefined : Number(doubt["finished_at"])
})
