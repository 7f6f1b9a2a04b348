// Which proxy leads where, compared with undici's own EnvHttpProxyAgent.
import * as Undici from "@effect/platform-node/Undici"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import { type Proxies, proxyFor } from "../../../src/domain/wire/proxies.ts"

const httpProxy = "http://plain.example:3128"
const httpsProxy = "http://secure.example:3128"
const proxy = (url: string) => ({ url: Redacted.make(url), origin: url, variable: "" })

const hosts = [
  "api.example.com",
  "example.com",
  "EXAMPLE.com.",
  "notexample.com",
  "a.b.example.com:8443",
  "example.com:80",
  "127.0.0.1",
  "127.0.0.1:8080",
  "localhost:443",
  "[::1]",
  "[::1]:8080",
  "[2001:db8::1]",
]
const urls = hosts.flatMap((host) => [`http://${host}`, `https://${host}`])
const entries = [
  "*",
  "*:443",
  "*:8080",
  "example.com",
  ".example.com",
  "*.example.com",
  "Example.COM.",
  "*.example.com:8443",
  "example.com:443",
  "example.com:80",
  "b.example.com",
  "*ample.com",
  "com",
  "127.0.0.1",
  "127.0.0.1:8080",
  "127.0.0",
  "::1",
  "[::1]",
  "[::1]:8080",
  "2001:db8::1",
  "localhost",
  "example.com:http",
]

/** Where undici connects to for an address: the proxy, or the address itself. */
const routeOfUndici = (noProxy: string, url: string): string => {
  let to = ""
  const agent = new Undici.EnvHttpProxyAgent({
    httpProxy,
    httpsProxy,
    noProxy,
    factory: (origin, options) => {
      // A tunnel has a `connect` of its own; a forwarded request goes to the proxy's address.
      const isTunnel = "connect" in options && typeof options.connect === "function"
      to = isTunnel && url.startsWith("https:") ? httpsProxy : new URL(origin).origin
      return new Undici.Pool(origin)
    },
  })
  // Without a handler nothing is sent.
  expect(() => agent.dispatch({ origin: url, path: "/", method: "GET" }, {})).toThrow("invalid")
  return to
}

it.each(entries)("NO_PROXY=%s covers the same addresses as in undici", (entry) => {
  const direct = ["unrelated.example", entry]
  const proxies: Proxies = { http: proxy(httpProxy), https: proxy(httpsProxy), direct }
  for (const url of urls) {
    const ours = proxyFor(proxies, new URL(url))?.origin ?? new URL(url).origin
    expect(`${url} → ${ours}`).toBe(`${url} → ${routeOfUndici(direct.join(", "), url)}`)
  }
})
