// Opens connections to other machines: a poolOptions pool for each origin, direct or through a proxy.
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

const poolOptions = { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 }

const connectionTo = (origin: URL, proxies: Proxies): Undici.Dispatcher => {
  const proxy = proxyFor(proxies, origin)
  if (proxy === undefined) return new Undici.Pool(origin, poolOptions)
  return new Undici.ProxyAgent({
    uri: Redacted.value(proxy.url),
    // Limits the requests that a proxy forwards, too; undici by itself would not.
    factory: (to, options) =>
      new Undici.Pool(to, { ...(options as Undici.Pool.Options), ...poolOptions }),
    clientFactory: (to, options) =>
      new Undici.Pool(to, { ...options, headersTimeout: TUNNEL_MILLIS }),
  })
}
