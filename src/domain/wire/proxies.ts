// Finds the proxy for an address by the rules of undici's EnvHttpProxyAgent, because errors and `doctor` name the proxy
// and undici does not reveal it.
import type * as Redacted from "effect/Redacted"

export interface Proxy {
  /** The URL with its user name and password, if it has them. */
  readonly url: Redacted.Redacted<string>
  /** The URL without them, such as `http://proxy.example.com:3128`. */
  readonly origin: string
  /** The environment variable that names it. */
  readonly variable: string
}

export interface Proxies {
  /** The proxy for addresses with `http://`. */
  readonly http: Proxy | undefined
  /** The proxy for addresses with `https://`. */
  readonly https: Proxy | undefined
  /** Entries of `NO_PROXY`: hosts to connect to directly. */
  readonly direct: ReadonlyArray<string>
}

export const noProxies: Proxies = { http: undefined, https: undefined, direct: [] }

/** Returns `undefined` if the connection is direct. */
export const proxyFor = (proxies: Proxies, url: URL): Proxy | undefined => {
  const proxy = url.protocol === "https:" ? proxies.https : proxies.http
  if (proxy === undefined) return undefined
  const host = plainHost(url.hostname)
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port
  return proxies.direct.some((entry) => covers(entry, host, port)) ? undefined : proxy
}

/** The text for a proxy in messages: its address and where it was set. */
export const proxyText = ({ origin, variable }: Proxy): string => `${origin} (${variable})`

/** `example.com` and `.example.com` cover subdomains too, `*.example.com` only subdomains, and `*` everything. */
const covers = (entry: string, host: string, port: string): boolean => {
  const [, withoutPort = entry, wantedPort = port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? []
  if (Number(wantedPort) !== Number(port)) return false
  if (withoutPort === "*") return true
  const name = plainHost(withoutPort.replace(/^\*?\./, ""))
  return host.endsWith(`.${name}`) || (host === name && !entry.startsWith("*"))
}

/** The host in lower case, without the brackets of an IPv6 address or the dot at the end of a full name. */
const plainHost = (host: string): string =>
  host
    .replace(/^\[(.+)\]$/, "$1")
    .replace(/(.)\.$/, "$1")
    .toLowerCase()
