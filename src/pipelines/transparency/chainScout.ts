// Asks about transactions of a chain that has not been traced before, and stops where it turns out that it is not
// traced at all (§4.1, §7), or that now is no time to ask.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../domain/errors.ts"
import type { ApiClient } from "../../extract/ApiClient.ts"
import type { ArchiveError } from "../../extract/ResponseArchive.ts"
import { canonicalHash } from "../../transform/tables/transparency/revert_reasons.ts"
import { failedStep } from "../run/failedStep.ts"
import type { Step, Steps } from "../Pipeline.ts"

/** What the step is filed under that says that a chain is not traced at all. */
export const CHAIN = "tracing"

/** What the answers so far tell of a chain. */
interface Scouting {
  readonly pending: ReadonlyArray<string>
  /** One transaction at least was traced, so that the chain is. */
  readonly isTraced: boolean
  /** What the service said of the transactions it has no trace of. */
  readonly refusals: ReadonlySet<string>
  readonly failures: number
}

const AT_ONCE = 8
const MAX_FAILURES_IN_A_ROW = 2
const NOT_IMPLEMENTED = 501

/** What a refusal says, but for the transaction it names. */
const wordsOf = ({ detail, subject }: ApiError): string =>
  detail.replaceAll(subject, "").replaceAll(/0x[0-9a-f]+|\d+/gi, "")

/**
 * One transaction after the other until one is traced, then several at once. A refusal speaks of its transaction:
 * of the chain only when two transactions meet the same one, or when the service has no such thing (501).
 */
export const scoutChain = (
  transactionHashes: ReadonlyArray<string>,
  ask: (transactionHash: string) => Effect.Effect<Step, ApiError | ArchiveError, ApiClient>,
): Steps =>
  Stream.paginate<Scouting, Step, ArchiveError, ApiClient>(
    { pending: transactionHashes, isTraced: false, refusals: new Set(), failures: 0 },
    (state) =>
      Effect.map(
        Effect.forEach(
          state.pending.slice(0, state.isTraced ? AT_ONCE : 1),
          (transactionHash) =>
            ask(transactionHash).pipe(
              // A trace that fails leaves the others standing.
              Effect.catchTag("ApiError", (error) =>
                Effect.succeed(failedStep(error, canonicalHash(transactionHash))),
              ),
            ),
          { concurrency: "unbounded" },
        ),
        (steps) => learnt(state, steps),
      ),
  )

const learnt = (
  { pending, isTraced: wasTraced, refusals, failures }: Scouting,
  steps: ReadonlyArray<Step>,
): readonly [ReadonlyArray<Step>, Option.Option<Scouting>] => {
  const [first] = steps
  const isTraced = wasTraced || steps.some(({ outcome }) => outcome === "landed")
  const refused = first?.outcome === "unsupported" && !isTraced ? first.error : undefined
  const words = refused === undefined ? undefined : wordsOf(refused)
  if (refused !== undefined && words !== undefined) {
    const isOfChain = refused.status === NOT_IMPLEMENTED || refusals.has(words)
    if (isOfChain) return [[...steps, notTraced(refused)], Option.none()]
  }
  const next: Scouting = {
    pending: pending.slice(steps.length),
    isTraced,
    refusals: words === undefined ? refusals : new Set([...refusals, words]),
    failures: steps.every(isFailure) ? failures + 1 : 0,
  }
  // What fails one time after the other, or may not be asked for now, is left to the next run.
  const isOver =
    next.pending.length === 0 ||
    next.failures >= MAX_FAILURES_IN_A_ROW ||
    steps.some(({ outcome }) => outcome === "deferred")
  return [steps, isOver ? Option.none() : Option.some(next)]
}

const isFailure = ({ outcome }: Step): boolean => outcome === "failed" || outcome === "deferred"

const notTraced = (error: ApiError): Step => ({
  ...failedStep(error, CHAIN),
  responses: [],
  requests: 0,
})
