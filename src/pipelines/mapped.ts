// Joins an answer with its mapping: a violation found while mapping is the same typed error as one found
// while decoding.
import * as Result from "effect/Result"
import { ApiError } from "../domain/errors.ts"
import type { Violation } from "../domain/violation.ts"
import type { Answer } from "../extract/ApiClient.ts"
import type { AnyEndpoint } from "../extract/Endpoint.ts"

export const mappedOrViolation = <A>(
  endpoint: AnyEndpoint,
  subject: string,
  answer: Answer<unknown>,
  mapped: Result.Result<A, Violation>,
): Result.Result<A, ApiError> =>
  Result.mapError(
    mapped,
    ({ path, detail }) =>
      new ApiError({
        reason: { _tag: "ContractViolation", path },
        endpoint: endpoint.name,
        subject,
        status: 200,
        detail: `the answer is not as documented (${endpoint.section}): ${path} ${detail}`,
        attempts: answer.attempts,
        responses: answer.responses,
      }),
  )
