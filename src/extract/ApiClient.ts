// Asks one endpoint, once per call (§8): validates first, waits its turn, archives what comes, retries
// what can help, and hands back a typed value or a typed error.
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { canonicalAddress } from "../domain/address.ts"
import { ApiError, type ApiErrorReason } from "../domain/errors.ts"
import { type ParsedJson, parseJson } from "../domain/json.ts"
import type { ArchivedResponse, Origin } from "../domain/response.ts"
import { causeOf } from "./http.ts"
import { decode, detailOf, isExplained, reasonOf, retryAfterSeconds } from "./answer.ts"
import type { AnyEndpoint, Endpoint, Inputs, RejectedInput } from "./Endpoint.ts"
import type { Parameters } from "./Parameter.ts"
import {
  type UnconfiguredPath,
  type WireRequest,
  type WireSettings,
  wireRequest,
} from "./request.ts"
import { RequestBudget } from "./RequestBudget.ts"
import { type ArchiveError, ResponseArchive } from "./ResponseArchive.ts"

export interface ApiSettings {
  /** Origin and base path of the service; the only place the key is ever sent to. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string> | undefined
  readonly wire: WireSettings
  readonly requestTimeoutSeconds: number
  /** How long one call may go on retrying, waits included. */
  readonly retryBudgetSeconds: number
}

export interface Answer<A> extends Origin {
  /** As documented, unknown fields kept, integers beyond 2^53 as `JSON.rawJSON`. */
  readonly value: A
  /** All responses of the call, failed attempts included, the answer last. */
  readonly responses: ReadonlyArray<ArchivedResponse>
  /** Requests sent for it, unanswered ones included. */
  readonly attempts: number
}

// undici's own decompressing is experimental, and says so on every user's terminal.
const decompress = promisify(gunzip)

const FIRST_BACKOFF_MILLIS = 250
const MAX_BACKOFF_MILLIS = 20_000
const MAX_ATTEMPTS = 10
// A service that has never answered is more likely not there than in trouble.
const FIRST_ATTEMPTS = 4

interface Exchange {
  readonly status: number
  readonly body: string
  readonly delaySeconds: number | undefined
  readonly location: string | undefined
}

interface Failure {
  readonly reason: ApiErrorReason
  readonly status?: number | undefined
  readonly detail: string
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
        const base = settings.baseUrl.replace(/\/+$/, "")
        const key = settings.apiKey === undefined ? undefined : Redacted.value(settings.apiKey)
        let hasAnswered = false
        const withoutKey = (text: string): string =>
          key === undefined ? text : text.replaceAll(key, "<redacted>")

        /** One attempt: the body is read inside it, so that its timeout covers a stalled one too. */
        const exchange = (
          request: WireRequest,
          seconds: number,
        ): Effect.Effect<Exchange, Failure> =>
          Effect.gen(function* () {
            const bare = HttpClientRequest.make(request.method)(base + request.path, {
              headers: {
                accept: "application/json",
                "accept-encoding": "gzip",
                ...(key === undefined ? {} : { "x-api-key": key }),
              },
            })
            const response = yield* http.execute(
              request.body === undefined
                ? bare
                : HttpClientRequest.bodyText(bare, request.body, "application/json"),
            )
            hasAnswered = true
            const served = Buffer.from(yield* response.arrayBuffer)
            const bytes =
              response.headers["content-encoding"] === "gzip"
                ? yield* Effect.tryPromise(() => decompress(served))
                : served
            const now = yield* Clock.currentTimeMillis
            return {
              status: response.status,
              body: withoutKey(bytes.toString("utf8")),
              delaySeconds: retryAfterSeconds(response.headers, now),
              location: response.headers["location"],
            }
          }).pipe(
            Effect.mapError((error): Failure => ({
              reason: { _tag: "Transport" },
              detail: withoutKey(
                `no complete answer from ${base}: ${causeOf(error)}; check the base address, the network, and any proxy or firewall on the way`,
              ),
            })),
            Effect.timeoutOrElse({
              duration: seconds * 1000,
              orElse: () =>
                Effect.fail<Failure>({
                  reason: { _tag: "Timeout", of: "attempt", seconds },
                  detail: `no complete answer within ${seconds} s; --request-timeout allows more`,
                }),
            }),
          )

        const call = Effect.fnUntraced(function* <P extends Parameters, A>(
          endpoint: Endpoint<P, A>,
          inputs: Inputs<P>,
          subject: unknown = null,
        ) {
          const about = subjectOf(endpoint, inputs)
          const responses: Array<ArchivedResponse> = []
          let attempts = 0
          const failed = (failure: Failure): ApiError =>
            new ApiError({
              reason: failure.reason,
              endpoint: endpoint.name,
              subject: about,
              status: failure.status,
              detail: failure.detail,
              attempts,
              responses: [...responses],
            })

          const spelled = wireRequest(endpoint, inputs, settings.wire)
          if (Result.isFailure(spelled)) return yield* failed(unsendable(endpoint, spelled.failure))
          const request = spelled.success
          const seconds = Math.max(settings.requestTimeoutSeconds, endpoint.attemptSeconds ?? 0)
          const maxAttempts = (): number =>
            endpoint.unsafe === true ? 1 : hasAnswered ? MAX_ATTEMPTS : FIRST_ATTEMPTS

          const attempt: Effect.Effect<Answer<A>, ApiError | ArchiveError> = Effect.gen(
            function* () {
              const received = yield* budget
                .spend(
                  Effect.suspend(() => {
                    attempts += 1
                    return exchange(request, seconds)
                  }),
                  settings.retryBudgetSeconds * 1000,
                )
                .pipe(
                  Effect.mapError((error) =>
                    failed("_tag" in error ? tooLong(error.seconds) : error),
                  ),
                )
              const parsed = parseJson(received.body)
              const kept = yield* archive.keep({
                endpoint: endpoint.name,
                method: request.method,
                url: base + request.path,
                requestBody: request.body ?? null,
                inputs: JSON.stringify(inputs),
                subject: JSON.stringify(subject),
                status: received.status,
                body: received.body,
                isJson: Result.isSuccess(parsed),
              })
              responses.push(kept)
              const value = yield* Effect.mapError(
                Effect.fromResult(interpret<A>(endpoint, received, parsed, base + request.path)),
                failed,
              )
              return {
                value,
                responseId: kept.responseId,
                receivedAt: kept.receivedAt,
                responses: [...responses],
                attempts,
              }
            },
          )

          const startedAt = yield* Clock.currentTimeMillis
          for (;;) {
            const outcome = yield* Effect.result(attempt)
            if (Result.isSuccess(outcome)) return outcome.success
            const error = outcome.failure
            if (error._tag === "ArchiveError" || !error.isRetryable || attempts >= maxAttempts()) {
              return yield* Effect.fail(error)
            }
            const elapsed = (yield* Clock.currentTimeMillis) - startedAt
            const wait = yield* waitBefore(attempts, error.reason)
            if (elapsed + wait > settings.retryBudgetSeconds * 1000)
              return yield* Effect.fail(error)
            yield* Effect.sleep(wait)
          }
        })

        return ApiClient.of({ call })
      }),
    )
}

/** Full jitter: callers that failed together do not come back together. */
const waitBefore = (attempts: number, reason: ApiErrorReason): Effect.Effect<number> =>
  reason._tag === "RateLimited" && reason.delaySeconds !== undefined
    ? Effect.succeed(reason.delaySeconds * 1000)
    : Effect.map(
        Random.next,
        (random) => random * Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS * 2 ** attempts),
      )

const unsendable = ({ section }: AnyEndpoint, failure: RejectedInput | UnconfiguredPath): Failure =>
  "setting" in failure
    ? {
        reason: { _tag: "NotConfigured", setting: `paths.${failure.setting}` },
        detail: `path not configured: the API document does not show it (${section}); set paths.${failure.setting} in the configuration file`,
      }
    : {
        reason: { _tag: "InvalidInput", parameter: failure.parameter },
        detail: `${failure.parameter} ${failure.detail}`,
      }

const tooLong = (seconds: number): Failure => ({
  reason: { _tag: "RateLimited", delaySeconds: seconds },
  status: 429,
  detail: `the service asked to wait ${Math.ceil(seconds)} s, longer than the retry budget`,
})

const interpret = <A>(
  endpoint: AnyEndpoint,
  received: Exchange,
  parsed: Result.Result<ParsedJson, string>,
  url: string,
): Result.Result<A, Failure> => {
  const { status } = received
  if (status >= 300 && status < 400) {
    return Result.fail({
      // Redirects are not followed: the key must not travel, and data from elsewhere is not this service's.
      reason: { _tag: "UnexpectedStatus" },
      status,
      detail: redirection(endpoint, url, received.location),
    })
  }
  if (status < 200 || status >= 300) {
    return Result.fail({
      reason: reasonOf(endpoint, status, received.delaySeconds, isExplained(received.body, parsed)),
      status,
      detail: detailOf(status, received.body, parsed),
    })
  }
  return Result.mapError(decode<A>(endpoint, parsed), ({ path, detail }) => ({
    reason: {
      _tag: "ContractViolation" as const,
      path,
      ...(Result.isFailure(parsed) && endsEarly(received.body) ? { isCutShort: true } : {}),
    },
    status,
    detail: `the answer is not as documented (${endpoint.section}): ${path} ${detail}`,
  }))
}

/** Where it points, and which setting may be why: on another origin the address, on this one the path. */
const redirection = (endpoint: AnyEndpoint, url: string, location: string | undefined): string => {
  const target = location === undefined ? null : URL.parse(location, url)
  const asked = new URL(url)
  if (target === null || target.origin !== asked.origin) {
    return `the service redirects to ${location ?? "another address"}; if that is where it lives now, set the base URL to it`
  }
  const setting =
    typeof endpoint.path !== "string"
      ? `paths.${endpoint.path.setting}`
      : endpoint.path.includes("/platform/")
        ? "platformSegment or the path of the base URL"
        : "the path of the base URL"
  return `the service redirects ${asked.pathname} to ${target.pathname} of the same address: the path asked for may be wrong, see ${setting}`
}

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

/** Text that begins as JSON does and does not end so. */
const endsEarly = (body: string): boolean => {
  const text = body.trim()
  return (
    (text.startsWith("{") && !text.endsWith("}")) || (text.startsWith("[") && !text.endsWith("]"))
  )
}
