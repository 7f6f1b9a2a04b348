// Joins an answer with its mapping: a violation found while mapping is the same typed error as one found
// while decoding.
import * as Effect from "effect/Effect"
import { ApiError } from "../../domain/errors.ts"
import type { Rows } from "../../domain/table.ts"
import type { Answer } from "../../extract/ApiClient.ts"
import type { MappedAnswer, Source } from "../../transform/Source.ts"
import type { Pipeline } from "../Pipeline.ts"

export type Asked<S> = Omit<Source<S>, "origin"> & { readonly entity: string }

/** The rows of an answer. */
export const landed = <S, A>(
  { endpoint, rows }: Pick<Pipeline<S, A>, "endpoint" | "rows">,
  { entity, ...asked }: Asked<S>,
  answer: Answer<A>,
): Effect.Effect<MappedAnswer, ApiError> => {
  const { responseId, receivedAt } = answer
  const mapped = rows(answer.value, { ...asked, origin: { responseId, receivedAt } })
  return Effect.mapError(
    Effect.fromResult(mapped),
    ({ path, detail }) =>
      new ApiError({
        reason: { _tag: "ContractViolation", path },
        endpoint: endpoint.name,
        subject: entity,
        status: 200,
        detail: `the answer is not as documented (${endpoint.section}): ${path} ${detail}`,
        attempts: answer.attempts,
        responses: answer.responses,
      }),
  )
}

/** Rows of a part of a list: what is not among them may be elsewhere in it, and has not ended. */
export const asPart = (rows: Rows): Rows => {
  const { scope: _scope, ...part } = rows
  return part
}
