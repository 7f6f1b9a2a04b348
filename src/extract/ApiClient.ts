// Makes one call (§8): validates the inputs, waits for a start, sends the request, archives every response, retries if
// that can help, and returns a typed value or a typed error.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ActiveTime } from "../domain/run/ActiveTime.ts"
import { canonicalAddress } from "../domain/values/address.ts"
import { ApiError, isRetryable } from "../domain/wire/errors.ts"
import { parseJson } from "../domain/values/json.ts"
import { countRetries } from "../domain/run/metrics.ts"
import type { Proxies } from "../domain/wire/proxies.ts"
import type { ArchivedResponse, Lineage } from "../domain/wire/response.ts"
import { annotateSpan, spanned } from "../domain/run/span.ts"
import type { Retry } from "../domain/wire/retry.ts"
import { CurrentTask, type Task } from "../domain/run/task.ts"
import { decodeResponse } from "./decode.ts"
import type { AnyEndpoint, Endpoint, Inputs } from "./Endpoint.ts"
import { hasPlatformSegment } from "./errorResponse.ts"
import { exchange } from "./http/exchange.ts"
import type { Parameters } from "./Parameter.ts"
import { redactor } from "./http/redact.ts"
import { requestUrl, type WireSettings, wireRequest } from "./request.ts"
import { RequestBudget } from "./budget/RequestBudget.ts"
import { type ArchiveError, ResponseArchive } from "../archive/ResponseArchive.ts"
import {
  backoffMillis,
  durationText,
  type Failure,
  maxAttempts,
  REPETITIONS,
  retryMillis,
  outOfTime,
} from "./retry.ts"
import { RetryWaits } from "./retryWaits.ts"
import { Transport } from "./http/Transport.ts"

export interface ApiSettings {
  /** Origin and base path of the service; the key is sent nowhere else. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string> | undefined
  readonly proxies?: Proxies
  readonly wire: WireSettings
  readonly requestTimeoutSeconds: number
  /**
   * How long one call may be retried after its first request; 0 disables retries. Delays that the service asks for
   * count, but waiting for a start does not.
   */
  readonly retryBudgetSeconds: number
  /** How long all calls together may wait for nothing but another attempt; absent: as long as each may be retried. */
  readonly retryWaitSeconds?: number
  /** The maximum size of a response body, both compressed and decompressed. */
  readonly maxResponseMegabytes: number
  /** Called before each wait for another attempt. */
  readonly onRetry?: (retry: Retry) => void
}

export interface DecodedResponse<A> extends Lineage {
  /** The documented value. Unknown fields are kept; integers beyond 2^53 are `JSON.rawJSON`. */
  readonly value: A
  /** All responses of the call, including those of failed attempts, in order. */
  readonly responses: ReadonlyArray<ArchivedResponse>
  /** The number of requests sent, including those without a response. */
  readonly attempts: number
}

export class ApiClient extends Context.Service<
  ApiClient,
  {
    readonly call: <P extends Parameters, A>(
      endpoint: Endpoint<P, A>,
      inputs: Inputs<P>,
      /** The partition that the request is about, archived for the mapping to rows. */
      subject?: unknown,
    ) => Effect.Effect<DecodedResponse<A>, ApiError | ArchiveError>
    /** How far the service's clock is ahead, by the latest response with a date; `undefined` before the first one. */
    readonly clockSkewSeconds: Effect.Effect<number | undefined>
  }
>()("vaulthouse/extract/ApiClient") {
  static readonly layer = (
    settings: ApiSettings,
  ): Layer.Layer<ApiClient, never, Transport | RequestBudget | ResponseArchive> =>
    Layer.effect(
      ApiClient,
      Effect.gen(function* () {
        const transport = yield* Transport
        const budget = yield* RequestBudget
        const archive = yield* ResponseArchive
        const { wire, retryBudgetSeconds, maxResponseMegabytes } = settings
        const base = new URL(settings.baseUrl)
        const key = settings.apiKey === undefined ? undefined : Redacted.value(settings.apiKey)
        const connection = { transport, key, redact: redactor(key), maxResponseMegabytes }
        const calls = new WeakMap<Task, number>()
        const waits = new RetryWaits(settings.retryWaitSeconds ?? Infinity)
        let isPlatformConfirmed = false
        let clockSkewSeconds: number | undefined

        const retried = Effect.fnUntraced(function* <P extends Parameters, A>(
          endpoint: Endpoint<P, A>,
          inputs: Inputs<P>,
          subject: unknown = null,
        ) {
          const responses: Array<ArchivedResponse> = []
          let attempts = 0
          const failed = ({ reason, status, detail }: Failure): ApiError =>
            new ApiError({
              reason,
              endpoint: endpoint.name,
              subject: subjectOf(endpoint, inputs),
              status,
              detail,
              attempts,
              responses: [...responses],
            })

          const onWire = wireRequest(endpoint, inputs, wire)
          if (Result.isFailure(onWire)) return yield* failed(onWire.failure)
          const address = requestUrl(base, onWire.success)
          if (Result.isFailure(address)) return yield* failed(address.failure)
          const request = { ...onWire.success, url: address.success }

          const { attemptSeconds = 0 } = endpoint
          const timeoutSeconds = Math.max(settings.requestTimeoutSeconds, attemptSeconds)
          const task = yield* CurrentTask
          const spending = {
            endpoint: endpoint.name,
            requestsLeft: task === undefined ? 1 : requestsLeft(calls, task),
            maxWaitMillis: retryBudgetSeconds * 1000,
            isSlow: attemptSeconds > 0,
            expectsServerErrors: endpoint.absences?.["5xx with detail"] !== undefined,
          }
          const activeTime = new ActiveTime(yield* Clock.currentTimeMillis)
          const clocks = task === undefined ? [activeTime] : [activeTime, task.activeTime]
          const send = Effect.suspend(() => {
            attempts += 1
            return exchange(connection, request, timeoutSeconds)
          })

          const attempt = Effect.gen(function* () {
            const resume = yield* pause(clocks)
            const received = yield* budget
              .spend(Effect.andThen(resume, send), spending)
              .pipe(Effect.ensuring(resume))
            clockSkewSeconds = received.clockSkewSeconds ?? clockSkewSeconds
            yield* annotateSpan({
              "http.response.status_code": received.status,
              "http.response.body.size": received.body.length,
            })
            const parsed = parseJson(received.text)
            const archived = yield* archive.keep({
              endpoint: endpoint.name,
              method: request.method,
              url: request.url.href,
              requestBody: request.body ?? null,
              inputs: JSON.stringify(inputs),
              subject: JSON.stringify(subject),
              status: received.status,
              body: received.body,
              isJson: Result.isSuccess(parsed),
            })
            responses.push(archived)
            const context = { endpoint, ...request, wire, isPlatformConfirmed }
            const value = yield* Effect.fromResult(decodeResponse<A>(context, received, parsed))
            isPlatformConfirmed ||= hasPlatformSegment(endpoint)
            const { responseId, receivedAt } = archived
            return { value, responseId, receivedAt, responses: [...responses], attempts }
          })

          const attributes = {
            endpoint: endpoint.name,
            ...(task === undefined ? {} : { pipeline: task.pipeline, entity: task.entity }),
            "http.request.method": request.method,
            "url.path": request.url.pathname,
          }
          const inSpan = (earlierAttempts: number) =>
            attempt.pipe(
              Effect.mapError(withErrorName),
              spanned(
                `request ${endpoint.name}`,
                { ...attributes, "http.request.resend_count": earlierAttempts },
                "client",
              ),
            )

          const logAttempt = (outcome: Result.Result<unknown, Failure | ArchiveError>) => {
            const { method, url } = request
            const error =
              Result.isFailure(outcome) && !("_tag" in outcome.failure)
                ? { status: outcome.failure.status, error: outcome.failure.detail }
                : { status: responses.at(-1)?.status }
            return Effect.logDebug(`${method} ${url.pathname}${url.search}`).pipe(
              Effect.annotateLogs({ endpoint: endpoint.name, attempt: attempts, ...error }),
            )
          }

          let repetitions = 0
          for (;;) {
            const outcome = yield* Effect.result(inSpan(attempts))
            yield* logAttempt(outcome)
            if (Result.isSuccess(outcome)) {
              if (attempts > 1) yield* waits.helped
              return outcome.success satisfies DecodedResponse<A>
            }
            const failure = outcome.failure
            if ("_tag" in failure) return yield* Effect.fail(failure)
            const { reasonIfRepeated } = failure
            repetitions = reasonIfRepeated === undefined ? 0 : repetitions + 1
            if (reasonIfRepeated !== undefined && repetitions === REPETITIONS) {
              return yield* failed({ ...failure, reason: reasonIfRepeated })
            }
            const canHelp =
              failure.isFinal !== true &&
              (reasonIfRepeated !== undefined || isRetryable(failure.reason))
            const mostAttempts = maxAttempts(endpoint, failure, task?.failedBefore)
            if (!canHelp || attempts >= mostAttempts) return yield* failed(failure)
            const most = retryMillis(retryBudgetSeconds, endpoint, failure)
            const left = most - activeTime.elapsed(yield* Clock.currentTimeMillis)
            const wait = yield* backoffMillis(attempts, failure.delaySeconds)
            if (wait >= left) return yield* failed(outOfTime(failure, left, most))
            yield* countRetries({ endpoint: endpoint.name })
            settings.onRetry?.({
              endpoint: endpoint.name,
              status: failure.status,
              detail: failure.detail,
              waitSeconds: wait / 1000,
              attempt: attempts + 1,
              attempts: mostAttempts,
            })
            if (!(yield* waits.wait(wait))) return yield* failed(noMoreWaiting(failure, settings))
          }
        })
        const call: ApiClient["Service"]["call"] = (endpoint, inputs, subject) =>
          waits.during(retried(endpoint, inputs, subject))

        return ApiClient.of({ call, clockSkewSeconds: Effect.sync(() => clockSkewSeconds) })
      }),
    )
}

/** Counts a call of the task; one that has made all it was expected to make has as many left as it has made. */
const requestsLeft = (calls: WeakMap<Task, number>, task: Task): number => {
  const made = calls.get(task) ?? 0
  calls.set(task, made + 1)
  return made < task.expectedRequests ? task.expectedRequests - made : made
}

const noMoreWaiting = (
  failure: Failure,
  { retryWaitSeconds = Infinity }: ApiSettings,
): Failure => ({
  ...failure,
  detail: `${failure.detail}; not tried again, because the run has waited ${durationText(retryWaitSeconds)} for nothing else (retryWait)`,
})

/** Adds the fields with which a span records an error. */
const withErrorName = (failure: Failure | ArchiveError) =>
  "_tag" in failure ? failure : { ...failure, name: failure.reason._tag, message: failure.detail }

/** Pauses the clocks; the returned effect resumes them once, however often it runs. */
const pause = (clocks: ReadonlyArray<ActiveTime>): Effect.Effect<Effect.Effect<void>> =>
  Effect.map(Clock.currentTimeMillis, (start) => {
    for (const clock of clocks) clock.pause(start)
    let isPaused = true
    return Effect.map(Clock.currentTimeMillis, (end) => {
      if (isPaused) for (const clock of clocks) clock.resume(end)
      isPaused = false
    })
  })

/** The input that messages and task records name the request by: an address if there is one, never an enum value. */
const subjectOf = (
  { parameters }: AnyEndpoint,
  inputs: Readonly<Record<string, unknown>>,
): string => {
  const texts = Object.entries(inputs).filter(
    (input): input is [string, string] =>
      typeof input[1] === "string" && parameters[input[0]]?.schema["enum"] === undefined,
  )
  const subject =
    texts.find(([, text]) => canonicalAddress(text) !== undefined) ??
    texts.find(([name]) => parameters[name]?.place === "path") ??
    texts[0]
  return subject?.[1] ?? "-"
}
