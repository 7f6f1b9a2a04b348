// The HTTP client underneath: undici with a bounded pool, no redirects, nothing told to third
// parties. `effect/http` is labelled unstable: only this, exchange.ts, ApiClient.ts and probe.ts use it.
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpClient from "effect/http/HttpClient"

const CONNECTIONS = 32

const dispatcher = Layer.effect(
  NodeHttpClient.Dispatcher,
  Effect.acquireRelease(
    Effect.sync(() => new Undici.Agent({ connections: CONNECTIONS })),
    (agent) => Effect.promise(() => agent.destroy()),
  ),
)

const withoutTraces = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpClient.transform(client, (request) =>
      request.pipe(
        // A trace header would tell the service's owner about our runs; spans per request cost time.
        Effect.provideService(HttpClient.TracerPropagationEnabled, false),
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      ),
    ),
  ),
)

export const httpLayer: Layer.Layer<HttpClient.HttpClient> = withoutTraces.pipe(
  Layer.provide(NodeHttpClient.layerUndiciNoDispatcher),
  Layer.provide(dispatcher),
)

/** The innermost cause of a failed request, as its code (`ECONNREFUSED`) where it has one. */
export const causeOf = (error: unknown): string => {
  let text = String(error)
  let cause: unknown = error
  for (let depth = 0; cause instanceof Error && depth < 5; depth++) {
    text = "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
    cause = "reason" in cause ? cause.reason : cause.cause
  }
  return text
}
