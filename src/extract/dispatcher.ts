// Connections to other machines: a bounded pool for each origin, direct or through a proxy.
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { type Proxies, proxyFor } from "../domain/proxies.ts"

const CONNECTIONS = 32

// How long a proxy may take to open a connection; undici's limit for direct ones.
const TUNNEL_MILLIS = 10_000

/** Without timeouts of its own: callers limit the whole exchange. Closes its connections with the scope. */
export const makeDispatcher = (
  proxies: Proxies,
): Effect.Effect<Undici.Dispatcher, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Undici.Agent({ factory: (origin) => route(new URL(origin), proxies) })),
    (agent) => Effect.promise(() => agent.destroy()),
  )

const bounded = { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 }

const route = (origin: URL, proxies: Proxies): Undici.Dispatcher => {
  const proxy = proxyFor(proxies, origin)
  if (proxy === undefined) return new Undici.Pool(origin, bounded)
  return new Undici.ProxyAgent({
    uri: Redacted.value(proxy.url),
    // The same bound for requests that a proxy forwards, which undici would not limit.
    factory: (to, options) =>
      new Undici.Pool(to, { ...(options as Undici.Pool.Options), ...bounded }),
    clientFactory: (to, options) =>
      new Undici.Pool(to, { ...options, headersTimeout: TUNNEL_MILLIS }),
  })
}
