// An ApiClient with a scripted server, and the duration of a call under a test clock.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { ApiError } from "../../src/domain/wire/errors.ts"
import { ApiClient, type ApiSettings } from "../../src/extract/ApiClient.ts"
import { Transport } from "../../src/extract/http/Transport.ts"
import type { PaceOptions } from "../../src/extract/budget/Pace.ts"
import { defaultWire } from "../../src/extract/request.ts"
import { RequestBudget } from "../../src/extract/budget/RequestBudget.ts"
import { folderStore } from "../../src/archive/folderStore.ts"
import { ResponseArchive } from "../../src/archive/ResponseArchive.ts"
import { type Script, scriptedServer } from "./servers/scriptedServer.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

export const startClient = Effect.fnUntraced(function* (
  script: Script,
  settings: Partial<ApiSettings> = {},
  pace: PaceOptions = {},
  basePath = "",
) {
  const server = yield* scriptedServer(script)
  const directory = yield* temporaryFolder
  const layer = ApiClient.layer({
    baseUrl: server.url + basePath,
    apiKey: undefined,
    wire: defaultWire,
    requestTimeoutSeconds: 1,
    retryBudgetSeconds: 10,
    maxResponseMegabytes: 64,
    ...settings,
  }).pipe(
    Layer.provide(ResponseArchive.layer({ store: folderStore(directory), runId: "run" })),
    Layer.provide(RequestBudget.layer(pace)),
    Layer.provide(Transport.layer(settings.proxies)),
  )
  const context = yield* Layer.build(layer)
  const client = yield* Effect.provide(ApiClient, context)
  return { client, server, directory }
})

export const failureOf = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<ApiError> =>
  Effect.map(Effect.flip(effect), (error) => error as ApiError) as Effect.Effect<ApiError>

/** For a test clock, which advances while a response is under way and would time an attempt out by accident. */
export const noTimeout = { requestTimeoutSeconds: 1e6 }

const STEP_MILLIS = 100

/** The effect's outcome and how long it took, by a clock that advances while a real server responds. */
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
