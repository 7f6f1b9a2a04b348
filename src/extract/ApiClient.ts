// Asks one endpoint, once per call (§8): validates first, waits its turn, archives what comes, retries
// what can help, and hands back a typed value or a typed error.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as HttpClient from "effect/http/HttpClient"
import { canonicalAddress } from "../domain/address.ts"
import { ApiError, isRetryable } from "../domain/errors.ts"
import { parseJson } from "../domain/json.ts"
import type { ArchivedResponse, Origin } from "../domain/response.ts"
import type { Retry } from "../domain/retry.ts"
import { ServedTime } from "../domain/ServedTime.ts"
import { CurrentTask } from "../domain/task.ts"
import { interpret } from "./answer.ts"
import type { AnyEndpoint, Endpoint, Inputs } from "./Endpoint.ts"
import { exchange, type Failure } from "./exchange.ts"
import type { Parameters } from "./Parameter.ts"
import { isOfPlatform } from "./refusal.ts"
import { unsendable, type WireSettings, wireRequest } from "./request.ts"
import { type Paused, RequestBudget } from "./RequestBudget.ts"
import { type ArchiveError, ResponseArchive } from "./ResponseArchive.ts"
import {
  convinced,
  maxAttempts,
  nothingSeen,
  patienceMillis,
  seenAgain,
  waitBefore,
  withoutPatience,
} from "./retry.ts"

export interface ApiSettings {
  /** Origin and base path of the service; the only place the key is ever sent to. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string> | undefined
  readonly wire: WireSettings
  readonly requestTimeoutSeconds: number
  /**
   * How long one call may go on retrying, from when its first request is sent: the waits the service asks for and
   * its own count, those for a turn do not. 0: it is not tried again.
   */
  readonly retryBudgetSeconds: number
  /** Told before each wait for another attempt. */
  readonly onRetry?: (retry: Retry) => void
}

export interface Answer<A> extends Origin {
  /** As documented, unknown fields kept, integers beyond 2^53 as `JSON.rawJSON`. */
  readonly value: A
  /** All responses of the call, failed attempts included, the answer last. */
  readonly responses: ReadonlyArray<ArchivedResponse>
  /** Requests sent for it, unanswered ones included. */
  readonly attempts: number
}

const notThere: Failure = {
  reason: { _tag: "Transport" },
  status: undefined,
  detail: "not asked: the service was asked before and has answered nothing yet",
}

export class ApiClient extends Context.Service<
  ApiClient,
  {
    readonly call: <P extends Parameters, A>(
      endpoint: Endpoint<P, A>,
      inputs: Inputs<P>,
      /** What the question is about, kept in the archive for whoever makes rows of the answer. */
      subject?: unknown,
    ) => Effect.Effect<Answer<A>, ApiError | ArchiveError>
  }
>()("vaulthouse/extract/ApiClient") {
  static readonly layer = (
    settings: ApiSettings,
  ): Layer.Layer<ApiClient, never, HttpClient.HttpClient | RequestBudget | ResponseArchive> =>
    Layer.effect(
      ApiClient,
      Effect.gen(function* () {
        const http = yield* HttpClient.HttpClient
        const budget = yield* RequestBudget
        const archive = yield* ResponseArchive
        const { wire, apiKey, retryBudgetSeconds } = settings
        const base = settings.baseUrl.replace(/\/+$/, "")
        const key = apiKey === undefined ? undefined : Redacted.value(apiKey)
        let hasAnswered = false
        /** A call was given up before the service had answered anything: it is not there. */
        let isGivenUp = false
        let isPlatformKnown = false

        const call = Effect.fnUntraced(function* <P extends Parameters, A>(
          endpoint: Endpoint<P, A>,
          inputs: Inputs<P>,
          subject: unknown = null,
        ) {
          const about = subjectOf(endpoint, inputs)
          const responses: Array<ArchivedResponse> = []
          let attempts = 0
          const failed = ({ reason, status, detail }: Failure): ApiError =>
            new ApiError({
              reason,
              endpoint: endpoint.name,
              subject: about,
              status,
              detail,
              attempts,
              responses: [...responses],
            })

          if (isGivenUp && !hasAnswered) return yield* failed(notThere)
          const spelled = wireRequest(endpoint, inputs, wire)
          if (Result.isFailure(spelled)) return yield* failed(unsendable(endpoint, spelled.failure))
          const request = spelled.success
          const url = base + request.path
          const { attemptSeconds = 0 } = endpoint
          const isSlow = attemptSeconds > 0
          const seconds = Math.max(settings.requestTimeoutSeconds, attemptSeconds)
          const served = new ServedTime(yield* Clock.currentTimeMillis)
          const task = yield* CurrentTask
          const send = Effect.suspend(() => {
            attempts += 1
            return exchange({ http, base, key }, request, seconds, () => {
              hasAnswered = true
            })
          })

          const attempt: Effect.Effect<Answer<A>, Failure | ArchiveError> = Effect.gen(
            function* () {
              const turn = yield* waitingFor(task === undefined ? [served] : [served, task.served])
              const received = yield* budget
                .spend(Effect.andThen(turn, send), retryBudgetSeconds * 1000, isSlow)
                .pipe(
                  Effect.ensuring(turn),
                  Effect.mapError((error) => ("_tag" in error ? paused(error) : error)),
                )
              const parsed = parseJson(received.body)
              const kept = yield* archive.keep({
                endpoint: endpoint.name,
                method: request.method,
                url,
                requestBody: request.body ?? null,
                inputs: JSON.stringify(inputs),
                subject: JSON.stringify(subject),
                status: received.status,
                body: received.body,
                isJson: Result.isSuccess(parsed),
              })
              responses.push(kept)
              const asked = { endpoint, request, url, wire, isPlatformKnown }
              const value = yield* Effect.fromResult(interpret<A>(asked, received, parsed))
              if (isOfPlatform(endpoint)) isPlatformKnown = true
              return {
                value,
                responseId: kept.responseId,
                receivedAt: kept.receivedAt,
                responses: [...responses],
                attempts,
              }
            },
          )

          let seen = nothingSeen
          for (;;) {
            const outcome = yield* Effect.result(attempt)
            if (Result.isSuccess(outcome)) return outcome.success
            const failure = outcome.failure
            if ("_tag" in failure) return yield* Effect.fail(failure)
            seen = seenAgain(seen, failure.doubt)
            const meant = convinced(failure, seen)
            if (meant !== undefined) return yield* failed(meant)
            const mayHelp =
              failure.isFinal !== true &&
              (failure.doubt !== undefined || isRetryable(failure.reason))
            if (!mayHelp || attempts >= maxAttempts(endpoint, hasAnswered)) {
              isGivenUp ||= mayHelp && !hasAnswered
              return yield* failed(failure)
            }
            const patience = patienceMillis(retryBudgetSeconds, endpoint, failure)
            const left = patience - served.elapsed(yield* Clock.currentTimeMillis)
            const wait = yield* waitBefore(attempts, failure.delaySeconds)
            if (wait >= left) return yield* failed(withoutPatience(failure, left))
            settings.onRetry?.({
              endpoint: endpoint.name,
              status: failure.status,
              detail: failure.detail,
              waitSeconds: wait / 1000,
              attempt: attempts + 1,
              attempts: maxAttempts(endpoint, hasAnswered),
            })
            yield* Effect.sleep(wait)
          }
        })

        return ApiClient.of({ call })
      }),
    )
}

/** Stops the clocks now; they go on, once, when the effect it gives runs. */
const waitingFor = (clocks: ReadonlyArray<ServedTime>): Effect.Effect<Effect.Effect<void>> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    for (const clock of clocks) clock.wait(now)
    let isOver = false
    return Effect.map(Clock.currentTimeMillis, (then) => {
      if (!isOver) for (const clock of clocks) clock.proceed(then)
      isOver = true
    })
  })

const paused = ({ seconds }: Paused): Failure => ({
  reason: { _tag: "RateLimited", delaySeconds: seconds },
  status: 429,
  detail: `not sent: the service has refused others and asked to wait ${Math.ceil(seconds)} s more, longer than the retry budget`,
  isFinal: true,
})

/** What the question is about, for messages and task records: an address if there is one. */
const subjectOf = (
  { parameters }: AnyEndpoint,
  inputs: Readonly<Record<string, unknown>>,
): string => {
  const texts = Object.entries(inputs).filter(
    (input): input is [string, string] => typeof input[1] === "string",
  )
  const subject =
    texts.find(([, text]) => canonicalAddress(text) !== undefined) ??
    texts.find(([name]) => parameters[name]?.place === "path") ??
    texts[0]
  return subject?.[1] ?? "-"
}
