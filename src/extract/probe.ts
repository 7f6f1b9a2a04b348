// Whether the service is there at all, and what time it says it is: one public question, without the key.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as HttpClient from "effect/http/HttpClient"
import type { ApiSettings } from "./ApiClient.ts"
import { tokenizedVaults } from "./endpoints/vaults/tokenized_vaults.ts"
import { causeOf } from "./http.ts"
import { wireRequest } from "./request.ts"

export interface Reached {
  readonly status: number
  readonly millis: number
  /** Seconds the service's clock is ahead of ours; `undefined` where it sends no date. */
  readonly skewSeconds: number | undefined
}

/** Fails with why there was no answer. */
export const probe = Effect.fnUntraced(function* ({
  baseUrl,
  wire,
  requestTimeoutSeconds,
}: Pick<ApiSettings, "baseUrl" | "wire" | "requestTimeoutSeconds">) {
  const http = yield* HttpClient.HttpClient
  const request = wireRequest(tokenizedVaults, {}, wire)
  const path = Result.isSuccess(request) ? request.success.path : "/"
  const startedAt = yield* Clock.currentTimeMillis
  const response = yield* http.get(baseUrl.replace(/\/+$/, "") + path).pipe(
    Effect.mapError(causeOf),
    Effect.timeoutOrElse({
      duration: requestTimeoutSeconds * 1000,
      orElse: () => Effect.fail(`no answer within ${requestTimeoutSeconds} s`),
    }),
  )
  const endedAt = yield* Clock.currentTimeMillis
  const date = Date.parse(response.headers["date"] ?? "")
  return {
    status: response.status,
    millis: endedAt - startedAt,
    // The header has whole seconds, so half a second is added.
    skewSeconds: Number.isNaN(date)
      ? undefined
      : Math.round((date + 500 - (startedAt + endedAt) / 2) / 1000),
  } satisfies Reached
})
