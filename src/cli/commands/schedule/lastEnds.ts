// How the newest run and the newest maintenance of a scheduler ended: for the exit code of `--once`, and for /readyz. One may
// be well while the other is not, and each runs at its own times.
import type { LastRun } from "../../../pipelines/run/lastRun.ts"
import { type ExitCode, exitCodes } from "../../parse/exit.ts"
import { lastRunText } from "../../words/lastRunText.ts"

export interface LastEnd {
  readonly code: ExitCode
  /** Why the scheduler is not ready. */
  readonly problem: string | undefined
  /** Whether last-run.json records it, which it does not for a run that could not begin. */
  readonly isRecorded: boolean
  /** Whether the groups did their work: otherwise they are due again. */
  readonly isDone: boolean
}

export interface LastEnds {
  readonly reading: LastEnd
  readonly maintenance: LastEnd
}

export const well: LastEnd = {
  code: exitCodes.ok,
  problem: undefined,
  isRecorded: true,
  isDone: true,
}

/** Before this process has run any: `last` is of another. */
export const endsBefore = (last: LastRun | undefined): LastEnds => ({
  reading: { ...well, problem: problemOf(last) },
  maintenance: well,
})

export const exitCodeOfEnds = ({ reading, maintenance }: LastEnds): ExitCode =>
  reading.isDone && !maintenance.isDone ? maintenance.code : reading.code

/** Why the newest of either did not end well. By `last`, restarts and runs of other processes count; during a run, the one before counts. */
export const problemOfEnds = (
  { reading, maintenance }: LastEnds,
  last: LastRun | undefined,
): string | undefined => {
  const isKnown = reading.isRecorded && last?.state !== "running"
  return (isKnown ? problemOf(last) : reading.problem) ?? maintenance.problem
}

/** Why the last run did not end well; `undefined` if it did, is in progress, or was stopped. */
export const problemOf = (last: LastRun | undefined): string | undefined => {
  if (last === undefined || last.state === "running" || last.outcome === "stopped") return undefined
  const failed = last.failed_checks.filter(({ severity }) => severity === "error")
  if (last.outcome !== "complete") return lastRunText(last)
  return failed.length === 0
    ? undefined
    : `failed checks: ${failed.map(({ name }) => name).join(", ")}`
}
