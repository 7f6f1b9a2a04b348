// A pipeline that reads how things stand: each question is one request and lands on its own.
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Table } from "../../domain/table.ts"
import type { Violation } from "../../domain/violation.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import type { Endpoint, Inputs } from "../../extract/Endpoint.ts"
import type { Parameters } from "../../extract/Parameter.ts"
import type { MappedAnswer, Source } from "../../transform/Source.ts"
import { failedStep } from "../run/failedStep.ts"
import { landed } from "../run/landed.ts"
import type { Memory, Pipeline, RunContext, Step } from "../Pipeline.ts"
import { ownRows } from "../run/suspicion.ts"

/** One question about a target; `window` tells the questions about one target apart. */
export interface Question<P extends Parameters> {
  readonly window: string
  readonly inputs: Inputs<P>
}

export interface Snapshot<P extends Parameters, A, S> {
  readonly name: string
  readonly title: string
  readonly tables: ReadonlyArray<Table>
  readonly endpoint: Endpoint<P, A>
  readonly after?: ReadonlyArray<string>
  readonly atOnce?: number
  readonly targets: Pipeline<S>["targets"]
  readonly questions: (subject: S, context: RunContext) => ReadonlyArray<Question<P>>
  readonly rows: (answer: A, source: Source<S>) => Result.Result<MappedAnswer, Violation>
}

/** The one question of a target about which there is only one. */
export const ask = <P extends Parameters>(inputs: Inputs<P>): ReadonlyArray<Question<P>> => [
  { window: "snapshot", inputs },
]

export const snapshot = <P extends Parameters, A, S>(
  definition: Snapshot<P, A, S>,
): Pipeline<S, A> => {
  const { name, title, tables, endpoint, after = ["vaults"], targets, questions, rows } = definition
  const pipeline: Pipeline<S, A> = {
    name,
    title,
    tables,
    endpoint,
    after,
    ...(definition.atOnce === undefined ? {} : { atOnce: definition.atOnce }),
    targets,
    rows,
    windows: ({ subject }, context) => questions(subject, context).map(({ window }) => window),
    steps: ({ entity, subject }, memory, context) =>
      Stream.fromIterable(unsettled(questions(subject, context), memory)).pipe(
        Stream.mapEffect(({ window, inputs }) =>
          Effect.gen(function* () {
            const client = yield* ApiClient
            const answer = yield* client.call(endpoint, inputs, subject)
            const { timeFields } = context
            const mapped = yield* landed(pipeline, { entity, subject, inputs, timeFields }, answer)
            // A warning, or a total, beside lists without a member makes an answer no less empty.
            const empty = ownRows(mapped.rows).every(({ length }) => length === 0)
            return {
              window,
              isSameQuestion: true,
              endpoint: endpoint.name,
              outcome: empty ? "empty" : "landed",
              // Whether a set without members has ended is the runner's to say.
              rows: mapped.rows,
              responses: answer.responses,
              requests: answer.attempts,
              drift: mapped.drift,
            } satisfies Step
          }).pipe(
            // A question that fails leaves the others standing.
            Effect.catchTag("ApiError", (error) =>
              Effect.succeed<Step>({ ...failedStep(error, window), isSameQuestion: true }),
            ),
          ),
        ),
      ),
    expectedRequests: ({ subject }, memory, context) =>
      unsettled(questions(subject, context), memory).length,
  }
  return pipeline
}

const unsettled = <Q extends { readonly window: string }>(
  questions: ReadonlyArray<Q>,
  { isSettled }: Memory,
): ReadonlyArray<Q> => questions.filter(({ window }) => !isSettled(window))
