// Sends a request once: its headers, its timeout, and the response without the API key. The body is read within the
// timeout, so that a stalled body fails too.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Proxy } from "../../domain/wire/proxies.ts"
import { connectionProblem } from "./connectionProblem.ts"
import type { Failure } from "../retry.ts"
import { delaySecondsOf, serviceMillis } from "./retryAfter.ts"
import type { IncomingResponse, Transport, TransportError } from "./Transport.ts"

export interface ReceivedResponse {
  readonly status: number
  /** The whole body as text, without the API key. */
  readonly text: string
  /** The body as received, or encoded again from `text` if it contained the key. */
  readonly body: Buffer
  /** Seconds the service asks to wait. */
  readonly delaySeconds: number | undefined
  readonly location: string | undefined
  /** The proxy that forwarded the response and, with `http://`, may have sent its own instead. */
  readonly forwardedBy: Proxy | undefined
  /** How far the service's clock is ahead of this machine's; `undefined` if it sent no date, or none that can be. */
  readonly clockSkewSeconds: number | undefined
}

export interface Connection {
  readonly transport: Transport["Service"]
  readonly key: string | undefined
  /** Removes the API key from text of the service. */
  readonly redact: (text: string) => string
  readonly maxResponseMegabytes: number
}

// It removes a byte order mark, which JSON does not allow.
const decoder = new TextDecoder()

const BYTES_PER_MEGABYTE = 1_000_000

export const exchange = (
  { transport, key, redact, maxResponseMegabytes }: Connection,
  request: {
    readonly method: "GET" | "POST"
    readonly url: URL
    readonly body: string | undefined
  },
  timeoutSeconds: number,
): Effect.Effect<ReceivedResponse, Failure> => {
  const headers = {
    accept: "application/json",
    "accept-encoding": "gzip",
    ...(request.body === undefined ? {} : { "content-type": "application/json" }),
    ...(key === undefined ? {} : { "x-api-key": key }),
  }
  return transport.send({ ...request, headers }, maxResponseMegabytes * BYTES_PER_MEGABYTE).pipe(
    Effect.flatMap((response) =>
      Effect.map(Clock.currentTimeMillis, (now): ReceivedResponse => {
        const { location } = response.headers
        const received = decoder.decode(response.body)
        const text = redact(received)
        return {
          status: response.status,
          text,
          body: text === received ? response.body : Buffer.from(text),
          delaySeconds: delaySecondsOf(response.status, response.headers, now),
          location: location === undefined ? undefined : redact(location),
          forwardedBy: request.url.protocol === "http:" ? response.proxy : undefined,
          clockSkewSeconds: skewSeconds(response.headers, now),
        }
      }),
    ),
    Effect.mapError((error) => failureOf(error, request.url.origin, maxResponseMegabytes)),
    Effect.timeoutOrElse({
      duration: timeoutSeconds * 1000,
      orElse: () =>
        Effect.fail<Failure>({
          reason: { _tag: "Timeout", of: "attempt", seconds: timeoutSeconds },
          detail: `no complete response within ${timeoutSeconds} s; --request-timeout allows more`,
        }),
    }),
  )
}

const skewSeconds = (
  headers: IncomingResponse["headers"],
  nowMillis: number,
): number | undefined => {
  const millis = serviceMillis(headers)
  // The date is truncated to whole seconds, so half a second is added.
  return millis === undefined ? undefined : Math.round((millis + 500 - nowMillis) / 1000)
}

const failureOf = (error: TransportError, origin: string, megabytes: number): Failure =>
  error._tag === "ResponseTooLarge"
    ? {
        reason: { _tag: "ResponseTooLarge", megabytes },
        detail: `the response exceeds ${megabytes} MB, as sent or decompressed; maxResponseMegabytes in the configuration file allows more`,
      }
    : { reason: { _tag: "Transport" }, ...connectionProblem(error, origin) }
