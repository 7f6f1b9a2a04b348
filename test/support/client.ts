// An ApiClient before a scripted server, and the time of a call under a clock the test turns.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { ApiError } from "../../src/domain/errors.ts"
import { ApiClient, type ApiSettings } from "../../src/extract/ApiClient.ts"
import { httpLayer } from "../../src/extract/http.ts"
import type { PaceOptions } from "../../src/extract/Pace.ts"
import { defaultWire } from "../../src/extract/request.ts"
import { RequestBudget } from "../../src/extract/RequestBudget.ts"
import { ResponseArchive } from "../../src/extract/ResponseArchive.ts"
import { type Script, scriptedServer } from "./scriptedServer.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

export const startClient = Effect.fnUntraced(function* (
  script: Script,
  settings: Partial<ApiSettings> = {},
  pace: PaceOptions = {},
) {
  const server = yield* scriptedServer(script)
  const directory = yield* temporaryFolder
  const layer = ApiClient.layer({
    baseUrl: server.url,
    apiKey: undefined,
    wire: defaultWire,
    requestTimeoutSeconds: 1,
    retryBudgetSeconds: 10,
    ...settings,
  }).pipe(
    Layer.provide(ResponseArchive.layer({ directory, runId: "run" })),
    Layer.provide(RequestBudget.layer(pace)),
    Layer.provide(httpLayer),
  )
  const context = yield* Layer.build(layer)
  const client = yield* Effect.provide(ApiClient, context)
  return { client, server, directory }
})

export const failureOf = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<ApiError> =>
  Effect.map(Effect.flip(effect), (error) => error as ApiError) as Effect.Effect<ApiError>

/**
 * For settings under a turned clock: it goes on while an answer is under way, so that the attempt's timeout would
 * strike by accident.
 */
export const noTimeout = { requestTimeoutSeconds: 1e6 }

const STEP_MILLIS = 100

/** The effect's outcome when the clock is turned as fast as a real server answers, and how long it took by it. */
export const turned = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const startedAt = yield* Clock.currentTimeMillis
  const fiber = yield* Effect.forkChild(Effect.result(effect))
  while (fiber.pollUnsafe() === undefined) {
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
    yield* TestClock.adjust(STEP_MILLIS)
  }
  const result = yield* Fiber.join(fiber)
  return { result, seconds: ((yield* Clock.currentTimeMillis) - startedAt) / 1000 }
})
