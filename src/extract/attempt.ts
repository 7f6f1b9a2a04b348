// One attempt of a call: waits for a start, sends the request, archives the response, and decodes it.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ArchiveError, ResponseArchive } from "../archive/ResponseArchive.ts"
import type { ActiveTime } from "../domain/run/ActiveTime.ts"
import { annotateSpan, spanned } from "../domain/run/span.ts"
import type { Task } from "../domain/run/task.ts"
import { parseBody } from "../domain/values/json.ts"
import type { ArchivedResponse, Lineage } from "../domain/wire/response.ts"
import type { RequestBudget } from "./budget/RequestBudget.ts"
import { decodeResponse } from "./decode.ts"
import type { AnyEndpoint } from "./Endpoint.ts"
import { hasPlatformSegment } from "./errorResponse.ts"
import { type Connection, exchange } from "./http/exchange.ts"
import type { PlatformSegment } from "./PlatformSegment.ts"
import type { WireRequest, WireSettings } from "./request.ts"
import type { Failure } from "./retry.ts"

/** What the attempts of all calls share. */
export interface Sender {
  readonly connection: Connection
  readonly budget: RequestBudget["Service"]
  readonly archive: ResponseArchive["Service"]
  readonly wire: WireSettings
  readonly requestTimeoutSeconds: number
  readonly startWaitSeconds: number
  readonly platformSegment: PlatformSegment
  /** Of the newest two responses with a date, the one that differs less. */
  clockSkewSeconds: number | undefined
  newestSkewSeconds: number | undefined
}

/** A call and what its attempts so far have brought. */
export interface Call {
  readonly endpoint: AnyEndpoint
  readonly request: WireRequest & { readonly url: URL }
  /** As JSON, for the archive. */
  readonly inputs: string
  readonly subject: string
  readonly task: Task | undefined
  /** How many requests of the task are left, this one included. */
  readonly requestsLeft: number
  readonly activeTime: ActiveTime
  readonly responses: Array<ArchivedResponse>
  attempts: number
}

/** A value and where it was read from. */
export interface Attempted<A> extends Lineage {
  readonly value: A
}

/** Sends the request once, in a span of its own, and returns the value with its lineage. */
export const attempt = <A>(
  sender: Sender,
  call: Call,
): Effect.Effect<Attempted<A>, Failure | ArchiveError> => {
  const { endpoint, request, task } = call
  const attributes = {
    endpoint: endpoint.name,
    ...(task === undefined ? {} : { pipeline: task.pipeline, entity: task.entity }),
    "http.request.method": request.method,
    "url.path": request.url.pathname,
    "http.request.resend_count": call.attempts,
  }
  return responseTo<A>(sender, call).pipe(
    Effect.mapError(withErrorName),
    spanned(`request ${endpoint.name}`, attributes, "client"),
  )
}

const responseTo = Effect.fnUntraced(function* <A>(sender: Sender, call: Call) {
  const { endpoint, request } = call
  const received = yield* sent(sender, call)
  noteSkew(sender, received.clockSkewSeconds)
  yield* annotateSpan({
    "http.response.status_code": received.status,
    "http.response.body.size": received.body.length,
  })
  const parsed = parseBody(received.body, received.text)
  const archived = yield* sender.archive.keep({
    endpoint: endpoint.name,
    method: request.method,
    url: request.url.href,
    requestBody: request.body ?? null,
    inputs: call.inputs,
    subject: call.subject,
    status: received.status,
    body: received.body,
    isJson: Result.isSuccess(parsed),
  })
  call.responses.push(archived)
  const { wire, platformSegment, connection } = sender
  const hasKey = connection.key !== undefined
  const decodedIf = (isPlatformConfirmed: boolean) =>
    decodeResponse<A>({ endpoint, ...request, wire, hasKey, isPlatformConfirmed }, received, parsed)
  let decoded = decodedIf(platformSegment.isConfirmed)
  // Vaults are read at once, so the segment may be about to be confirmed. Outside a run there is nothing to wait for.
  if (call.task !== undefined && isWrongPath(decoded) && !isWrongPath(decodedIf(true))) {
    yield* platformSegment.settled
    decoded = decodedIf(platformSegment.isConfirmed)
  }
  const value = yield* Effect.fromResult(decoded)
  if (hasPlatformSegment(endpoint)) yield* platformSegment.confirm
  return { value, responseId: archived.responseId, receivedAt: archived.receivedAt }
})

const isWrongPath = (decoded: Result.Result<unknown, Failure>): boolean =>
  Result.isFailure(decoded) &&
  decoded.failure.reason._tag === "NotFound" &&
  !decoded.failure.reason.expected

/** A wrong clock is wrong by two responses in a row; one that is dated oddly, as by a cache, says nothing about the clock. */
const noteSkew = (sender: Sender, skew: number | undefined): void => {
  if (skew === undefined) return
  const before = sender.newestSkewSeconds ?? skew
  sender.clockSkewSeconds = Math.abs(skew) < Math.abs(before) ? skew : before
  sender.newestSkewSeconds = skew
}

/** Sends the request when it may start. Waiting for that is not time of the call or of its task. */
const sent = Effect.fnUntraced(function* (sender: Sender, call: Call) {
  const { endpoint, request, task, activeTime } = call
  const { attemptSeconds = 0 } = endpoint
  const timeoutSeconds = Math.max(sender.requestTimeoutSeconds, attemptSeconds)
  const send = Effect.suspend(() => {
    call.attempts += 1
    return exchange(sender.connection, request, timeoutSeconds)
  })
  const resume = yield* pause(task === undefined ? [activeTime] : [activeTime, task.activeTime])
  return yield* sender.budget
    .spend(Effect.andThen(resume, send), {
      endpoint: endpoint.name,
      requestsLeft: call.requestsLeft,
      maxWaitMillis: sender.startWaitSeconds * 1000,
      isSlow: attemptSeconds > 0,
      expectsServerErrors: endpoint.absences?.["5xx with detail"] !== undefined,
    })
    .pipe(Effect.ensuring(resume))
})

/** Pauses the clocks; the returned effect resumes them once, however often it runs. */
const pause = (clocks: ReadonlyArray<ActiveTime>): Effect.Effect<Effect.Effect<void>> =>
  Effect.sync(() => {
    for (const clock of clocks) clock.pause()
    let isPaused = true
    return Effect.sync(() => {
      if (isPaused) for (const clock of clocks) clock.resume()
      isPaused = false
    })
  })

/** Adds the fields with which a span records an error. */
const withErrorName = (failure: Failure | ArchiveError) =>
  "_tag" in failure ? failure : { ...failure, name: failure.reason._tag, message: failure.detail }
