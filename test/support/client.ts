// An ApiClient with a scripted server, and the duration of a call under a test clock.
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { ServerResponse } from "node:http"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { ApiError } from "../../src/domain/wire/errors.ts"
import { ApiClient, type ApiSettings } from "../../src/extract/ApiClient.ts"
import { Transport } from "../../src/extract/http/Transport.ts"
import type { PaceOptions } from "../../src/extract/budget/PaceState.ts"
import { defaultWire } from "../../src/extract/request.ts"
import { RequestBudget } from "../../src/extract/budget/RequestBudget.ts"
import { folderStore } from "../../src/archive/folderStore.ts"
import { ResponseArchive } from "../../src/archive/ResponseArchive.ts"
import { type Script, scriptedServer } from "./servers/scriptedServer.ts"
import { temporaryFolder } from "./temporaryFolder.ts"
import { HANG_SECONDS } from "./until.ts"

/** Responses that the archive has not kept yet, which Node does not show while it compresses them. */
let keeping = 0
const observed = Layer.effect(
  ResponseArchive,
  Effect.map(ResponseArchive, (archive) =>
    ResponseArchive.of({
      ...archive,
      keep: (received) =>
        Effect.acquireUseRelease(
          Effect.sync(() => (keeping += 1)),
          () => archive.keep(received),
          () => Effect.sync(() => (keeping -= 1)),
        ),
    }),
  ),
)

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
    requestTimeoutSeconds: HANG_SECONDS,
    retryBudgetSeconds: 10,
    maxResponseMegabytes: 64,
    ...settings,
  }).pipe(
    Layer.provide(observed),
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

const STEP_MILLIS = 100
const QUIET_TURNS = 3

/** Which requests of this process are under way, and which of them its servers have and do not respond to. */
const traffic = Effect.acquireRelease(
  Effect.sync(() => {
    const sent = new Set<unknown>()
    const held = new Set<unknown>()
    const ends = (message: unknown): void => void sent.delete(requestOf(message))
    const listeners: ReadonlyArray<readonly [string, (message: unknown) => void]> = [
      ["undici:request:create", (message) => sent.add(requestOf(message))],
      ["undici:request:trailers", ends],
      ["undici:request:error", ends],
      [
        "http.server.request.start",
        (message) => {
          const { response } = message as { readonly response: ServerResponse }
          held.add(response)
          response.once("close", () => held.delete(response))
        },
      ],
    ]
    for (const [name, listener] of listeners) subscribe(name, listener)
    return { sent, held, listeners }
  }),
  ({ listeners }) =>
    Effect.sync(() => listeners.forEach(([name, listener]) => unsubscribe(name, listener))),
)
type Traffic = Effect.Success<typeof traffic>

const requestOf = (message: unknown): unknown => (message as { readonly request: unknown }).request

/** Whether a request or a response is on its way, or a body is decompressed or kept. */
const isWorking = ({ sent, held }: Traffic): boolean =>
  sent.size !== held.size ||
  keeping > 0 ||
  process.getActiveResourcesInfo().some((name) => /FSReq|zlib/i.test(name))

/** Until everything waits: for the clock, or for a response that does not come. */
const settled = async (of: Traffic): Promise<void> => {
  for (let quiet = 0; quiet < QUIET_TURNS; quiet = isWorking(of) ? 0 : quiet + 1) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The effect's outcome and how long it took, by a clock that advances only while everything waits for it. */
export const turned = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const of = yield* traffic
      const startedAt = yield* Clock.currentTimeMillis
      const fiber = yield* Effect.forkChild(Effect.result(effect))
      while (fiber.pollUnsafe() === undefined) {
        yield* Effect.promise(() => settled(of))
        yield* TestClock.adjust(STEP_MILLIS)
      }
      const result = yield* Fiber.join(fiber)
      return { result, seconds: ((yield* Clock.currentTimeMillis) - startedAt) / 1000 }
    }),
  )
