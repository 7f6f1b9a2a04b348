// One attempt at one request: what is sent with it, how long it may take, and the response without the key. The
// body is read inside the attempt, so that its timeout covers a stalled one too.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Failure } from "./retry.ts"
import { delaySecondsOf } from "./retryAfter.ts"
import type { Transport, TransportError } from "./Transport.ts"

export interface ReceivedResponse {
  readonly status: number
  /** Complete, and without the key. */
  readonly text: string
  /** The bytes as received; encoded anew where the key was in them. */
  readonly body: Buffer
  /** Seconds the service asks to wait. */
  readonly delaySeconds: number | undefined
  readonly location: string | undefined
  /** How far the service's clock is ahead of this machine's; `undefined` where it sends no date. */
  readonly clockSkewSeconds: number | undefined
}

export interface Connection {
  readonly transport: Transport["Service"]
  readonly key: string | undefined
  /** Returns texts of the service without the key. */
  readonly redact: (text: string) => string
  readonly maxResponseMegabytes: number
}

// Drops a byte order mark, which JSON does not allow.
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
        const { location, date } = response.headers
        const received = decoder.decode(response.body)
        const text = redact(received)
        return {
          status: response.status,
          text,
          body: text === received ? response.body : Buffer.from(text),
          delaySeconds: delaySecondsOf(response.status, response.headers, now),
          location: location === undefined ? undefined : redact(location),
          clockSkewSeconds: skewSeconds(date, now),
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

const skewSeconds = (date: string | undefined, nowMillis: number): number | undefined => {
  const serviceMillis = Date.parse(date ?? "")
  // The header has whole seconds, so half a second is added.
  return Number.isNaN(serviceMillis)
    ? undefined
    : Math.round((serviceMillis + 500 - nowMillis) / 1000)
}

// What OpenSSL says of a certificate that no known authority has signed.
const untrusted: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
])

const failureOf = (error: TransportError, origin: string, megabytes: number): Failure => {
  if (error._tag === "ResponseTooLarge") {
    return {
      reason: { _tag: "ResponseTooLarge", megabytes },
      detail: `the response exceeds ${megabytes} MB, as sent or decompressed; maxResponseMegabytes in the configuration file allows more`,
    }
  }
  const { code } = error
  return untrusted.has(code)
    ? {
        reason: { _tag: "Transport" },
        detail: `the certificate of ${origin} is not signed by an authority this machine trusts (${code}); set NODE_EXTRA_CA_CERTS to the file with the authority's certificate`,
        isFinal: true,
      }
    : {
        reason: { _tag: "Transport" },
        detail: `no complete response from ${origin}: ${code}; check the base address, the network, and any proxy or firewall on the way`,
      }
}
