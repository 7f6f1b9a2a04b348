// What `runs` shows: the history of runs, and one run's tasks, errors, gaps, quarantine and drift, from the
// published copy. A run that published nothing is known from last-run.json alone.
import * as Effect from "effect/Effect"
import { UsageError } from "../../domain/UsageError.ts"
import { didYouMean } from "../../config/read/nearest.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import type { PublishedCopy } from "../../load/published/read/PublishedCopy.ts"
import { type LastRun, readLastRun } from "../run/lastRun.ts"

export type Row = Readonly<Record<string, unknown>>

export interface RunRow extends Row {
  readonly run_id: string
  readonly started_at: string
}

export interface RunHistory {
  /** The newest first. */
  readonly runs: ReadonlyArray<RunRow>
  /** The last run, if it is newer than the published copy. */
  readonly unpublished: LastRun | undefined
}

export interface RunReport {
  readonly run: RunRow
  readonly tasks: ReadonlyArray<Row>
  readonly errors: ReadonlyArray<Row>
  /** Failed checks, those of severity `error` first. */
  readonly checks: ReadonlyArray<Row>
  readonly gaps: ReadonlyArray<Row>
  readonly quarantine: ReadonlyArray<Row>
  readonly drift: ReadonlyArray<Row>
}

const readRuns = (copy: PublishedCopy) =>
  Effect.map(
    copy.rows(sqlFile("runs", "list")),
    (rows) => rows as ReadonlyArray<unknown> as Array<RunRow>,
  )

export const readRunHistory = Effect.fnUntraced(function* (copy: PublishedCopy, dataDir: string) {
  const runs = yield* readRuns(copy)
  const last = yield* readLastRun(dataDir)
  const isPublished = runs.some(({ run_id }) => run_id === last?.run_id)
  return { runs, unpublished: isPublished ? undefined : last } satisfies RunHistory
})

/** The newest run for `last`, else the run with this id, or the only one whose id begins with it. */
export const findRun = (
  { runs, unpublished }: RunHistory,
  typed: string,
): Effect.Effect<RunRow, UsageError> => {
  const found =
    typed === "last"
      ? runs.slice(0, 1)
      : runs.filter(({ run_id }) => run_id.startsWith(typed)).toSorted(exactFirst(typed))
  const [run, another] = found
  if (run !== undefined && (another === undefined || run.run_id === typed)) {
    return Effect.succeed(run)
  }
  if (another !== undefined) {
    return Effect.fail(
      new UsageError({
        why: `${found.length} runs begin with ${typed}: ${listOf(found.map(({ run_id }) => run_id))}.`,
        advice: "Type more of the one you mean.",
      }),
    )
  }
  if (typed === "last" && unpublished === undefined) {
    return Effect.fail(
      new UsageError({ why: "No run is published yet.", advice: "Run `vaulthouse sync` first." }),
    )
  }
  if (typed !== "" && (unpublished?.run_id.startsWith(typed) === true || typed === "last")) {
    return Effect.fail(
      new UsageError({
        why: `Run ${unpublished?.run_id ?? typed} is not in the published copy.`,
        advice: "`vaulthouse publish` makes the copy again; `vaulthouse runs` lists what it has.",
      }),
    )
  }
  const names = runs.map(({ run_id }) => run_id)
  const guess = didYouMean(typed, names)
  return Effect.fail(
    new UsageError({
      why: `There is no run ${typed}${guess || `; the newest ${names.length === 1 ? "is" : "are"} ${names.slice(0, 3).join(", ")}.`}`,
      advice: "`vaulthouse runs` lists them; `last` is the newest.",
    }),
  )
}

const exactFirst =
  (typed: string) =>
  (a: RunRow, b: RunRow): number =>
    Number(b.run_id === typed) - Number(a.run_id === typed)

const listOf = (names: ReadonlyArray<string>): string =>
  names.slice(0, 3).join(", ") + (names.length > 3 ? ", …" : "")

export const readRunReport = Effect.fnUntraced(function* (copy: PublishedCopy, run: RunRow) {
  const part = (name: string) => copy.rows(sqlFile("runs", name), { run_id: run.run_id })
  return {
    run,
    tasks: yield* part("tasks"),
    errors: yield* part("errors"),
    checks: yield* part("checks"),
    gaps: yield* part("gaps"),
    quarantine: yield* part("quarantine"),
    drift: yield* part("drift"),
  } satisfies RunReport
})
