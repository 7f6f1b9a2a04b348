// The HTTP client underneath: undici with a bounded pool, gzip, no redirects, nothing told to third
// parties. `effect/http` is labelled unstable, so it is used here and in ApiClient.ts alone.
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpClient from "effect/http/HttpClient"

const CONNECTIONS = 32

const dispatcher = Layer.effect(
  NodeHttpClient.Dispatcher,
  Effect.acquireRelease(
    Effect.sync(() =>
      new Undici.Agent({ connections: CONNECTIONS }).compose(Undici.interceptors.decompress()),
    ),
    (agent) => Effect.promise(() => agent.destroy()),
  ),
)

export const httpLayer: Layer.Layer<HttpClient.HttpClient> =
  NodeHttpClient.layerUndiciNoDispatcher.pipe(
    Layer.provide(dispatcher),
    // A trace header would tell the service's owner about our runs; spans per request cost time.
    Layer.provideMerge(Layer.succeed(HttpClient.TracerPropagationEnabled, false)),
    Layer.provideMerge(Layer.succeed(HttpClient.TracerDisabledWhen, () => true)),
  )
