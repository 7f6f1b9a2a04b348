// Decides what becomes of a task (docs/decisions/0010). An empty response where rows exist is suspicious; if the next
// run after the cache time gets the same for a whole set, the set has ended. A series never ends.
import * as Effect from "effect/Effect"
import { MICROS_PER_SECOND } from "../../../domain/values/time.ts"
import { counted } from "../../../domain/values/numbers.ts"
import type { ApiError } from "../../../domain/wire/errors.ts"
import type { Outcome } from "../../../domain/run/outcome.ts"
import type { Rows } from "../../../domain/table/table.ts"
import { decodeRow, number } from "../../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"
import { Warehouse } from "../../../load/Warehouse.ts"
import type { TaskResult } from "../../model/TaskResult.ts"
import { hasRows } from "../../strategies/taskResult.ts"
import { holdCurrent, wasLoaded } from "./storedBefore.ts"

export interface TaskKey {
  readonly runId: string
  readonly pipeline: string
  readonly entity: string
  readonly window: string
}

export interface Circumstances {
  /** Microseconds since 1970 UTC. */
  readonly now: number
  /** How long the service caches a response (§8). */
  readonly cacheSeconds: number
  /** Whether the pipeline reads the same windows in every run. */
  readonly hasFixedWindows: boolean
}

export interface Resolved {
  readonly outcome: Outcome
  /** The rows to land. */
  readonly rows: ReadonlyArray<Rows>
  readonly errorTag?: string | undefined
  readonly text?: string | undefined
}

export const resolveOutcome = Effect.fnUntraced(function* (
  key: TaskKey,
  result: TaskResult,
  circumstances: Circumstances,
) {
  const { rows, error, rejected = [], warning, hadRows } = result
  if (error !== undefined) {
    const outcome = outcomeOf(error)
    const { pipeline, entity } = key
    const window = circumstances.hasFixedWindows ? key.window : null
    const isAbsence = outcome === "empty" || outcome === "unsupported"
    const isSuspicious = isAbsence && (hadRows ?? (yield* wasLoaded({ pipeline, entity, window })))
    return {
      outcome: isSuspicious ? "suspicious_empty" : outcome,
      rows,
      errorTag: error.reason._tag,
      text: isSuspicious
        ? `${error.detail}, where there were rows before; kept them`
        : error.message,
    } satisfies Resolved
  }
  const [broken] = rejected
  if (broken !== undefined) {
    return {
      outcome: "quarantined",
      rows,
      errorTag: "ContractViolation",
      text: `${rejectedText(rejected.length)} ${broken.path}: ${broken.detail}; the others landed`,
    } satisfies Resolved
  }
  if (hasRows(rows)) return { outcome: "landed", rows, text: warning } satisfies Resolved
  return yield* resolveEmpty(key, result, circumstances)
})

const rejectedText = (records: number): string =>
  records === 1
    ? "1 record is in quarantine because it is not as documented, at"
    : `${counted(records, "record")} are in quarantine because they are not as documented, the first at`

const outcomeOf = ({ reason }: ApiError): Outcome => {
  switch (reason._tag) {
    case "Unauthorized":
    case "Forbidden":
    case "NotConfigured":
      return "skipped"
    case "NotFound":
      return reason.expected ? "empty" : "failed"
    case "Unsupported":
      return "unsupported"
    case "RateLimited":
      return "deferred"
    case "ContractViolation":
      return "quarantined"
    default:
      return "failed"
  }
}

/** Whether an error is more than an absence or a lack of access. */
export const isReadFailure = (error: ApiError): boolean =>
  ["failed", "quarantined", "deferred"].includes(outcomeOf(error))

const resolveEmpty = Effect.fnUntraced(function* (
  key: TaskKey,
  { rows, hadRows, warning }: TaskResult,
  { now, cacheSeconds }: Circumstances,
) {
  const primary = rows.filter(({ secondary }) => secondary === undefined)
  const secondary = rows.filter(({ secondary: kind }) => kind !== undefined)
  const sets = primary.filter(({ mergeKey }) => mergeKey !== undefined)
  const kept = withoutEmptySets(rows)
  const suspicious = { outcome: "suspicious_empty", rows: kept } as const
  const keptRowsText = "the response is empty where there were rows before; kept them"
  if (!(yield* holdCurrent(sets))) {
    const isSeries = sets.length < primary.length || primary.length === 0
    if (isSeries && (hadRows === true || (yield* wasLoaded(key)))) {
      return { ...suspicious, text: warning ?? keptRowsText } satisfies Resolved
    }
    const hasWarning = kept.some(({ secondary: kind }) => kind === "warning")
    return {
      // Beside a warning (§4.1) nothing says that the set is empty; a total says nothing either way.
      outcome: !isSeries && hasWarning ? "landed" : "empty",
      // Warnings that no longer arrive have ended; rows that are not a set can't end.
      rows: (yield* holdCurrent(secondary.filter(({ mergeKey }) => mergeKey !== undefined)))
        ? [...new Set([...kept, ...secondary])]
        : kept,
      text: warning,
    } satisfies Resolved
  }
  if (secondary.some(({ secondary: kind, length }) => kind === "warning" && length > 0)) {
    // The service could not read everything (§4.1): the response is not whole, and confirms nothing.
    const text =
      "the response holds only a warning where there were rows before; kept them until one comes without a warning"
    return { ...suspicious, errorTag: "Warned", text } satisfies Resolved
  }
  const { rows: read } = yield* Warehouse
  const [since] = (yield* read(sqlFile("state", "suspicious_since"), [
    key.pipeline,
    key.entity,
    key.window,
    key.runId,
  ])).map(decodeRow({ at: number("finished_at") }))
  if (since !== undefined && since.at + cacheSeconds * MICROS_PER_SECOND <= now) {
    const text = "the response is empty, as in the run before: the rows stored before have ended"
    return { outcome: "empty", rows, text } satisfies Resolved
  }
  const later = cacheSeconds === 0 ? "the next run" : `a run ${cacheSeconds} s later (§8)`
  return { ...suspicious, text: `${keptRowsText} until ${later} confirms it` } satisfies Resolved
})

/** Without sets that have no members: the rows of a suspicious response that land, in a run as in a replay. */
export const withoutEmptySets = (rows: ReadonlyArray<Rows>): ReadonlyArray<Rows> =>
  rows.filter(({ length, emptySets = [] }) => length + emptySets.length > 0)
