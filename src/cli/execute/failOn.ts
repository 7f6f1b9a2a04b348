// --fail-on: problems anywhere in the warehouse that fail a run, in addition to its own failures.
import type { Settings } from "../../config/settings/settings.ts"
import type { Problem, ProblemKind } from "../../domain/run/problem.ts"
import { type ExitCode, exitCodes } from "../parse/exit.ts"
import { kindsText } from "../words/problemsText.ts"

export type FailOn = Settings["failOn"][number]

interface Policy {
  readonly kinds: ReadonlyArray<ProblemKind>
  readonly code: ExitCode
}

/** The first broken policy decides the exit code. */
const policies: Readonly<Record<FailOn, Policy>> = {
  partial: {
    kinds: [
      "run_failed",
      "key_rejected",
      "publication_failed",
      "run_partial",
      "run_deferred",
      "quarantine",
    ],
    code: exitCodes.partial,
  },
  // A permanent gap can't be closed, and would fail every run from then on.
  gaps: { kinds: ["gap"], code: exitCodes.partial },
  checks: { kinds: ["failed_check"], code: exitCodes.checks },
  stale: { kinds: ["stale"], code: exitCodes.checks },
}

export interface BrokenPolicy {
  readonly code: ExitCode
  readonly text: string
}

export const brokenPolicies = (
  failOn: ReadonlyArray<FailOn>,
  problems: ReadonlyArray<Problem>,
): ReadonlyArray<BrokenPolicy> =>
  (Object.entries(policies) as Array<[FailOn, Policy]>).flatMap(([name, { kinds, code }]) => {
    if (!failOn.includes(name)) return []
    const found = problems.filter(({ kind }) => kinds.includes(kind))
    return found.length === 0 ? [] : [{ code, text: `fail-on ${name}: ${kindsText(found)}` }]
  })
