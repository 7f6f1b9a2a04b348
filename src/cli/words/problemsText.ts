// Counts the problems of each kind in one line.
import type { Problem, ProblemKind } from "../../domain/run/problem.ts"
import { counted } from "../../domain/values/numbers.ts"

const nouns: Readonly<Record<ProblemKind, readonly [one: string, many: string]>> = {
  run_failed: ["failed run", "failed runs"],
  key_rejected: ["problem with the API key", "problems with the API key"],
  clock_ahead: ["clock ahead", "clocks ahead"],
  clock_behind: ["clock behind", "clocks behind"],
  publication_failed: ["failed publication", "failed publications"],
  run_partial: ["failing pipeline", "failing pipelines"],
  run_deferred: ["deferred pipeline", "deferred pipelines"],
  failed_check: ["failed check", "failed checks"],
  stale: ["stale series", "stale series"],
  quarantine: ["pipeline with quarantine", "pipelines with quarantine"],
  gap: ["pipeline with gaps", "pipelines with gaps"],
  permanent_gap: ["pipeline with permanent gaps", "pipelines with permanent gaps"],
}

export const kindsText = (problems: ReadonlyArray<Problem>): string =>
  [...Map.groupBy(problems, ({ kind }) => kind)]
    .map(([kind, { length }]) => counted(length, ...nouns[kind]))
    .join(", ")
