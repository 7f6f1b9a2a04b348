// One attempt at one request: what is sent with it, how long it may take, and what came back, if anything. The
// body is read inside the attempt, so that its timeout covers a stalled one too.
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { ApiErrorReason } from "../domain/errors.ts"
import { delaySecondsOf } from "./delay.ts"
import { causeOf } from "./http.ts"
import type { WireRequest } from "./request.ts"

/** What came: its body complete, as text, without the key. */
export interface Exchange {
  readonly status: number
  readonly body: string
  /** Seconds the service asks to wait, when it does. */
  readonly delaySeconds: number | undefined
  readonly location: string | undefined
}

/** Why there is no value; `ApiError` says the same of a whole call. */
export interface Failure {
  readonly reason: ApiErrorReason
  readonly status?: number | undefined
  readonly detail: string
  /** Seconds the service asks to wait before the next attempt. */
  readonly delaySeconds?: number | undefined
  /** Another attempt would only wait as long again. */
  readonly isFinal?: true
  /** May have been an accident of the moment: believed when it comes the same way several times. */
  readonly doubt?: Doubt
}

export interface Doubt {
  /** The same for what says the same. */
  readonly sameness: string
  /** The reason once it is believed. */
  readonly believed: ApiErrorReason
}

export interface Service {
  readonly http: HttpClient.HttpClient
  /** Without a slash at its end. */
  readonly base: string
  readonly key: string | undefined
}

// undici's own decompressing is experimental, and says so on every user's terminal.
const decompress = promisify(gunzip)

// Takes a mark of the byte order away, which is no JSON.
const decoder = new TextDecoder()

/** The key as a service may repeat it: as it is, in a URL, in JSON. */
const spellings = (key: string): ReadonlySet<string> =>
  new Set([
    key,
    encodeURIComponent(key),
    JSON.stringify(key).slice(1, -1),
    key.replaceAll("/", String.raw`\/`),
  ])

const isGzip = (encoding: string | undefined): boolean => /^\s*(x-)?gzip\s*$/i.test(encoding ?? "")

/** `onHeaders` is told that there is a service at all, even where its body never comes. */
export const exchange = (
  { http, base, key }: Service,
  request: WireRequest,
  seconds: number,
  onHeaders: () => void,
): Effect.Effect<Exchange, Failure> => {
  const withoutKey = (text: string): string =>
    [...(key === undefined ? [] : spellings(key))].reduce(
      (left, spelling) => left.replaceAll(spelling, "<redacted>"),
      text,
    )
  return Effect.gen(function* () {
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
    onHeaders()
    const served = Buffer.from(yield* response.arrayBuffer)
    const bytes =
      served.length > 0 && isGzip(response.headers["content-encoding"])
        ? yield* Effect.tryPromise(() => decompress(served))
        : served
    const now = yield* Clock.currentTimeMillis
    return {
      status: response.status,
      body: withoutKey(decoder.decode(bytes)),
      delaySeconds: delaySecondsOf(response.status, response.headers, now),
      location:
        response.headers["location"] === undefined
          ? undefined
          : withoutKey(response.headers["location"]),
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
}
