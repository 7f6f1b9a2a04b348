// Opens connections to other machines: a pool of connections for each origin, direct or through a proxy.
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { type Proxies, proxyFor } from "../../domain/wire/proxies.ts"

const CONNECTIONS = 32

// How long a proxy may take to open a connection; the same as undici's limit for direct connections.
const TUNNEL_MILLIS = 10_000

/** It has no timeouts, since callers limit the whole exchange. Its connections close with the scope. */
export const makeDispatcher = (
  proxies: Proxies,
): Effect.Effect<Undici.Dispatcher, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(
      () => new Undici.Agent({ factory: (origin) => connectionTo(new URL(origin), proxies) }),
    ),
    (agent) => Effect.promise(() => agent.destroy()),
  )

// HTTP/1.1 only: undici goes on with an HTTP/2 connection that has died, and after a REFUSED_STREAM or GOAWAY it sends a
// request again by itself, even the POST of a swap (§2.11).
const http1 = { allowH2: false }

const poolOptions = { ...http1, connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 }

const connectionTo = (origin: URL, proxies: Proxies): Undici.Dispatcher => {
  const proxy = proxyFor(proxies, origin)
  if (proxy === undefined) return new Undici.Pool(origin, poolOptions)
  return new Undici.ProxyAgent({
    uri: Redacted.value(proxy.url),
    proxyTls: http1,
    // Limits the requests that a proxy forwards, too; undici by itself would not.
    factory: (to, options) =>
      new Undici.Pool(to, { ...(options as Undici.Pool.Options), ...poolOptions }),
    clientFactory: (to, options) =>
      new Undici.Pool(to, { ...options, ...http1, headersTimeout: TUNNEL_MILLIS }),
  })
}
