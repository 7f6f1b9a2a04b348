// Makes one call (§8): validates the inputs, attempts it (attempt.ts) and retries if that can help, and returns a typed
// value or a typed error.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ActiveTime } from "../domain/run/ActiveTime.ts"
import { canonicalAddress } from "../domain/values/address.ts"
import { ApiError } from "../domain/wire/errors.ts"
import type { Proxies } from "../domain/wire/proxies.ts"
import type { ArchivedResponse, Lineage } from "../domain/wire/response.ts"
import { CurrentTask, type Task } from "../domain/run/task.ts"
import type { Call, Sender } from "./attempt.ts"
import type { AnyEndpoint, Endpoint, Inputs } from "./Endpoint.ts"
import type { Parameters } from "./Parameter.ts"
import { PlatformSegment } from "./PlatformSegment.ts"
import { redactor } from "./http/redact.ts"
import { requestUrl, type WireSettings, wireRequest } from "./request.ts"
import { RequestBudget } from "./budget/RequestBudget.ts"
import { type ArchiveError, ResponseArchive } from "../archive/ResponseArchive.ts"
import type { Failure } from "./retry.ts"
import { retried, type RetrySettings } from "./retried.ts"
import { RetryWaits } from "./retryWaits.ts"
import { Transport } from "./http/Transport.ts"

export interface ApiSettings extends RetrySettings {
  /** Origin and base path of the service; the key is sent nowhere else. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string> | undefined
  readonly proxies?: Proxies
  readonly wire: WireSettings
  readonly requestTimeoutSeconds: number
  /** How long a request may wait for its start while the service limits or fails all; by default as long as for retries. */
  readonly startWaitSeconds?: number
  /** The maximum size of a response body, both compressed and decompressed. */
  readonly maxResponseMegabytes: number
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
    /** How far the service's clock is ahead, by the one of the newest two dates that differs less; `undefined` before the first. */
    readonly clockSkewSeconds: Effect.Effect<number | undefined>
  }
>()("vaulthouse/extract/ApiClient") {
  static readonly layer = (
    settings: ApiSettings,
  ): Layer.Layer<ApiClient, never, Transport | RequestBudget | ResponseArchive> =>
    Layer.effect(ApiClient, make(settings))
}

const make = Effect.fnUntraced(function* (settings: ApiSettings) {
  const { wire, requestTimeoutSeconds, retryBudgetSeconds, maxResponseMegabytes } = settings
  const base = new URL(settings.baseUrl)
  const key = settings.apiKey === undefined ? undefined : Redacted.value(settings.apiKey)
  const transport = yield* Transport
  const sender: Sender = {
    connection: { transport, key, redact: redactor(key), maxResponseMegabytes },
    budget: yield* RequestBudget,
    archive: yield* ResponseArchive,
    wire,
    requestTimeoutSeconds,
    startWaitSeconds: settings.startWaitSeconds ?? retryBudgetSeconds,
    platformSegment: new PlatformSegment(),
    clockSkewSeconds: undefined,
    newestSkewSeconds: undefined,
  }
  const calls = new WeakMap<Task, number>()
  const waits = new RetryWaits(settings.retryWaitSeconds ?? Infinity, settings.onLongWait)

  const call = Effect.fnUntraced(function* <P extends Parameters, A>(
    endpoint: Endpoint<P, A>,
    inputs: Inputs<P>,
    subject: unknown = null,
  ) {
    const named = { endpoint: endpoint.name, subject: subjectOf(endpoint, inputs) }
    const request = requestOf(endpoint, inputs, wire, base)
    if (Result.isFailure(request)) {
      return yield* errorOf(named, { responses: [], attempts: 0 }, request.failure)
    }
    const task = yield* CurrentTask
    const made: Call = {
      endpoint,
      request: request.success,
      inputs: JSON.stringify(inputs),
      subject: JSON.stringify(subject),
      task,
      requestsLeft: task === undefined ? 1 : requestsLeft(calls, task),
      activeTime: yield* ActiveTime.start,
      responses: [],
      attempts: 0,
    }
    const { value, responseId, receivedAt } = yield* Effect.mapError(
      waits.during(retried<A>(sender, made, waits, settings)),
      (failure) => ("_tag" in failure ? failure : errorOf(named, made, failure)),
    )
    const { responses, attempts } = made
    return { value, responseId, receivedAt, responses: [...responses], attempts }
  })

  return ApiClient.of({ call, clockSkewSeconds: Effect.sync(() => sender.clockSkewSeconds) })
})

const requestOf = <P extends Parameters, A>(
  endpoint: Endpoint<P, A>,
  inputs: Inputs<P>,
  wire: WireSettings,
  base: URL,
) =>
  Result.flatMap(wireRequest(endpoint, inputs, wire), (request) =>
    Result.map(requestUrl(base, request), (url) => ({ ...request, url })),
  )

const errorOf = (
  named: { readonly endpoint: string; readonly subject: string },
  { responses, attempts }: Pick<Call, "responses" | "attempts">,
  { reason, status, detail }: Failure,
): ApiError =>
  new ApiError({ ...named, reason, status, detail, attempts, responses: [...responses] })

/** Counts a call of the task; one that has made all it was expected to make has as many left as it has made. */
const requestsLeft = (calls: WeakMap<Task, number>, task: Task): number => {
  const made = calls.get(task) ?? 0
  calls.set(task, made + 1)
  return made < task.expectedRequests ? task.expectedRequests - made : made
}

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
