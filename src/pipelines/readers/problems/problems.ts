// The list of problems that `status`, `--fail-on` and notifications read. It follows from last-run.json, health.json,
// postgres.json and the present time. A pipeline without a key, a remembered absence and a vault without facts are
// normal, and not problems.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { reasonOf } from "../../../domain/values/errorText.ts"
import { type Problem, problemKinds } from "../../../domain/run/problem.ts"
import { type Health, readHealth } from "../../publication/health.ts"
import { type PostgresState, readPostgresState } from "../../publication/postgres.ts"
import { type LastRun, readLastRun, settledRun } from "../../run/lastRun.ts"
import { freshnessOf } from "./freshness.ts"
import {
  clockWrong,
  failedCheck,
  failedPublication,
  failedRun,
  failingPipeline,
  gap,
  keyRejected as keyRejectedProblem,
  quarantined,
  stale,
} from "./problemTexts.ts"

export const readProblems = Effect.fnUntraced(function* (dataDir: string) {
  const health = yield* readHealth(dataDir)
  const last = yield* readLastRun(dataDir)
  const postgres = yield* readPostgresState(dataDir)
  return problemsOf(health, last, yield* Clock.currentTimeMillis, postgres)
})

/** `undefined` where there is no record of them, or none that this user may read: then none is known, and nothing is well. */
export const readKnownProblems = Effect.fnUntraced(function* (dataDir: string) {
  const problems = yield* readProblems(dataDir)
  const health = yield* readHealth(dataDir)
  return health === undefined && problems.length === 0 ? undefined : problems
})

/** `now` in milliseconds since 1970; `health` is undefined before the first run has ended. */
export const problemsOf = (
  health: Health | undefined,
  newest: LastRun | undefined,
  now: number,
  postgres?: PostgresState,
): ReadonlyArray<Problem> => {
  const last = settledRun(newest)
  const failed = runFailed(health, last)
  const found = [
    ...failed,
    ...keyRejected(health, last),
    ...clockProblem(last),
    ...failedPublication(postgres),
  ]
  if (health !== undefined) {
    const { failing, failed_checks, freshness, quarantine, gaps } = health
    // If the whole run failed, that is the only problem to report about it.
    const others = failing.filter(({ run_id }) => failed.length === 0 || run_id !== last?.run_id)
    found.push(
      ...others.flatMap(failingPipeline),
      ...failed_checks.map(failedCheck),
      ...freshnessOf(freshness, now).flatMap((each) => stale(each, now)),
      ...quarantine.map(quarantined),
      ...gaps.map(gap),
    )
  }
  return found.toSorted((a, b) => problemKinds.indexOf(a.kind) - problemKinds.indexOf(b.kind))
}

const runFailed = (
  health: Health | undefined,
  last: LastRun | undefined,
): ReadonlyArray<Problem> => {
  if (last?.state === "died") {
    return [
      {
        kind: "run_failed",
        subject: "sync",
        text: `The last run did not end: its process ${last.pid} on ${last.host} is gone.`,
        advice:
          "Run `vaulthouse sync`, or `sync --workers` where workers read: it continues from what was committed.",
        since: last.alive_at ?? last.started_at,
      },
    ]
  }
  if (last?.state !== "ended" || last.outcome !== "failed") return []
  // Nothing landed because the key was rejected: that is the problem to report.
  if (last.key_rejected) return []
  const ofTask = health?.failing.find(({ run_id }) => run_id === last.run_id)?.failed_text
  return [failedRun(last.error ?? reasonOf(ofTask ?? "nothing landed"), last.finished_at)]
}

const clockProblem = (last: LastRun | undefined): ReadonlyArray<Problem> =>
  typeof last?.clock_ahead_seconds === "number"
    ? [clockWrong(last.clock_ahead_seconds, last.finished_at)]
    : []

const keyRejected = (
  health: Health | undefined,
  last: LastRun | undefined,
): ReadonlyArray<Problem> => {
  const refused = (health?.failing ?? []).filter(({ is_refused }) => is_refused)
  if (refused.length === 0 && last?.key_rejected !== true) return []
  const pipelines = refused.map(({ pipeline }) => pipeline)
  const since = refused[0]?.since ?? last?.finished_at ?? null
  const isOlder = refused.length > 0 && refused.every(({ run_id }) => run_id !== last?.run_id)
  return [keyRejectedProblem(pipelines, last?.key_access ?? undefined, since, isOlder)]
}
