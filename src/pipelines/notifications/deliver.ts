// Delivers one message or ping to one receiver within a bounded time, or fails with a sentence that says why. Of an
// address, the sentence holds only the origin.
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { addressOf } from "../../config/secrets/secretUrl.ts"
import { withAttempts } from "../../domain/values/errorText.ts"
import { connectionProblem } from "../../extract/http/connectionProblem.ts"
import { backoffMillis } from "../../extract/retry.ts"
import { delaySecondsOf } from "../../extract/http/retryAfter.ts"
import { Transport } from "../../extract/http/Transport.ts"
import type { Message } from "./message.ts"
import type { MessageReceiver } from "./receiver.ts"
import { runCommand } from "./runCommand.ts"

export class Undelivered extends Data.TaggedError("Undelivered")<{
  readonly detail: string
  /** Another attempt can help. */
  readonly isRetryable?: boolean
  /** Seconds to wait before it, if the receiver says so. */
  readonly delaySeconds?: number | undefined
  /** The receiver took it and did not respond in time, perhaps because it is slow. */
  readonly mayHaveArrived?: boolean
}> {}

// Messages go to all receivers at once, so a run ends at most half a minute later.
const LIMIT_SECONDS = 30
const ATTEMPT_SECONDS = 10

/** Returns what the receiver responded, such as `HTTP 200`. Without `retry` there is one attempt. */
export const deliver = (
  receiver: MessageReceiver,
  message: Message,
  retry: boolean,
): Effect.Effect<string, Undelivered, Transport> =>
  "command" in receiver
    ? runCommand(receiver.command, message, LIMIT_SECONDS).pipe(
        Effect.mapError((detail) => new Undelivered({ detail })),
      )
    : request(receiver.webhook, message, retry)

export const ping = (
  address: Redacted.Redacted<string>,
  retry: boolean,
): Effect.Effect<string, Undelivered, Transport> => request(address, undefined, retry)

const request = Effect.fnUntraced(function* (
  address: Redacted.Redacted<string>,
  message: Message | undefined,
  retry: boolean,
) {
  const url = yield* Effect.mapError(
    Effect.fromResult(addressOf(address)),
    (detail) => new Undelivered({ detail }),
  )
  const attempt = send(url, message)
  return yield* retry ? retried(attempt) : attempt
})

const send = Effect.fnUntraced(function* (url: URL, message: Message | undefined) {
  const transport = yield* Transport
  const body = message === undefined ? undefined : JSON.stringify(message)
  const headers = {
    "user-agent": "vaulthouse",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  }
  const method = body === undefined ? "GET" : "POST"
  // The status decides, so a body that is long, or that never ends, does not matter.
  const response = yield* transport.send({ method, url, headers, body }, 0).pipe(
    Effect.catchTags({
      ConnectionFailed: (error) => {
        const { detail, isFinal } = connectionProblem(error, url.origin, "the address")
        return Effect.fail(new Undelivered({ detail, isRetryable: isFinal !== true }))
      },
      // No body is read.
      ResponseTooLarge: (error) => Effect.die(error),
    }),
    Effect.timeoutOrElse({
      duration: ATTEMPT_SECONDS * 1000,
      orElse: () =>
        Effect.fail(
          new Undelivered({
            detail: `no response within ${ATTEMPT_SECONDS} s`,
            // A message that may have arrived waits for the next run; a second ping does no harm.
            isRetryable: message === undefined,
            mayHaveArrived: true,
          }),
        ),
    }),
  )
  const { status } = response
  if (status >= 200 && status < 300) return `HTTP ${status}`
  return yield* new Undelivered({
    detail: `HTTP ${status}${status >= 300 && status < 400 ? ", a redirect, which is not followed" : ""}`,
    isRetryable: status === 408 || status === 429 || status >= 500,
    delaySeconds: delaySecondsOf(status, response.headers, yield* Clock.currentTimeMillis),
  })
})

/** Repeats the attempt until it succeeds, fails for good, or no time is left. */
const retried = <A, R>(
  attempt: Effect.Effect<A, Undelivered, R>,
): Effect.Effect<A, Undelivered, R> =>
  Effect.gen(function* () {
    const lastStart = (yield* Clock.currentTimeMillis) + (LIMIT_SECONDS - ATTEMPT_SECONDS) * 1000
    const from = (attempts: number): Effect.Effect<A, Undelivered, R> =>
      attempt.pipe(
        Effect.catch(
          Effect.fnUntraced(function* ({ detail, isRetryable, delaySeconds, mayHaveArrived }) {
            const waitMillis = yield* backoffMillis(attempts, delaySeconds)
            const next = (yield* Clock.currentTimeMillis) + waitMillis
            if (isRetryable !== true || next > lastStart) {
              return yield* new Undelivered({
                detail: withAttempts(detail, attempts),
                mayHaveArrived: mayHaveArrived === true,
              })
            }
            yield* Effect.sleep(waitMillis)
            return yield* from(attempts + 1)
          }),
        ),
      )
    return yield* from(1)
  })
