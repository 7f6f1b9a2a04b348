// The partitions that earlier runs did not read whole: which pipelines read again although nothing has changed, how often a
// failed request is repeated, and what waits because it keeps failing (docs/decisions/0030-what-keeps-failing.md).
import * as Effect from "effect/Effect"
import { isRetried } from "../../domain/wire/errors.ts"
import { withoutAttempts } from "../../domain/values/errorText.ts"
import { formatInstant, MICROS_PER_DAY, timestampText } from "../../domain/values/time.ts"
import { decodeRow, number, optional, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import type { Failing } from "../model/PartitionState.ts"
import type { RunContext } from "../model/Pipeline.ts"

/** By entity. */
export type Unread = ReadonlyMap<string, Failing | undefined>

// As far as warehouse/health/failing.sql looks back: more than twice as long as runs may be apart (40 days, README).
const DAYS_BACK = 90
// The daily runs of a schedule are further apart, so they read what fails every time.
const MAX_HOURS = 6

const unreadPartition = decodeRow({
  pipeline: text("pipeline"),
  entity: text("entity"),
  errorTag: optional(text)("error_tag"),
  errorText: optional(text)("error_text"),
  failingSince: optional(number)("failing_since"),
  retryAt: optional(number)("retry_at"),
})

type UnreadPartition = ReturnType<typeof unreadPartition>

/** Returns a function from a pipeline to its partitions that the newest run did not read whole. */
export const unreadPartitions = Effect.fnUntraced(function* (
  warehouse: Pick<Warehouse["Service"], "rows">,
  { now, full, fillGaps }: Pick<RunContext, "now" | "full" | "fillGaps">,
) {
  const limits = [timestampText(now - DAYS_BACK * MICROS_PER_DAY), timestampText(now), MAX_HOURS]
  const rows = yield* warehouse.rows(sqlFile("state", "unread"), limits, ["ops.tasks"])
  const isEager = full || fillGaps
  const byPipeline = Map.groupBy(rows.map(unreadPartition), ({ pipeline }) => pipeline)
  return (pipeline: string): Unread =>
    new Map(
      (byPipeline.get(pipeline) ?? []).map((each) => [
        each.entity,
        isEager ? undefined : failingOf(each, now),
      ]),
    )
})

/** An error that is not retried costs one request in each run, so it does not wait. */
const failingOf = (partition: UnreadPartition, now: number): Failing | undefined => {
  const { errorTag, errorText, failingSince, retryAt } = partition
  if (errorTag === undefined || !isRetried(errorTag)) return undefined
  if (failingSince === undefined || retryAt === undefined || retryAt <= now) return { errorTag }
  const why = withoutAttempts(errorText ?? errorTag)
  return {
    errorTag,
    waits: `${why}; it has failed since ${minute(failingSince)}, and is read again after ${minute(retryAt)}`,
  }
}

/** `2026-11-23 14:05 UTC`. */
const minute = (micros: number): string =>
  `${formatInstant(micros).slice(0, 16).replace("T", " ")} UTC`
