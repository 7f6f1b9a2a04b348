// Which proxy leads to an address, by the rules of undici's EnvHttpProxyAgent. Errors and `doctor` name the proxy, which
// undici does not reveal.
import type * as Redacted from "effect/Redacted"

export interface Proxy {
  /** With its user name and password, if it has them. */
  readonly url: Redacted.Redacted<string>
  /** Without them, such as `http://proxy.example.com:3128`. */
  readonly origin: string
  /** The environment variable that names it. */
  readonly variable: string
}

export interface Proxies {
  /** For addresses with `http://`. */
  readonly http: Proxy | undefined
  /** For addresses with `https://`. */
  readonly https: Proxy | undefined
  /** Entries of `NO_PROXY`: hosts to connect to directly. */
  readonly direct: ReadonlyArray<string>
}

export const noProxies: Proxies = { http: undefined, https: undefined, direct: [] }

/** `undefined`: the connection is direct. */
export const proxyFor = (proxies: Proxies, url: URL): Proxy | undefined => {
  const proxy = url.protocol === "https:" ? proxies.https : proxies.http
  if (proxy === undefined) return undefined
  const host = plainHost(url.hostname)
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port
  return proxies.direct.some((entry) => covers(entry, host, port)) ? undefined : proxy
}

/** A proxy in messages: its address and where it was set. */
export const proxyText = ({ origin, variable }: Proxy): string => `${origin} (${variable})`

/** `example.com` and `.example.com` cover subdomains too, `*.example.com` covers only those, and `*` everything. */
const covers = (entry: string, host: string, port: string): boolean => {
  const [, withoutPort = entry, wantedPort = port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? []
  if (Number(wantedPort) !== Number(port)) return false
  if (withoutPort === "*") return true
  const name = plainHost(withoutPort.replace(/^\*?\./, ""))
  return host.endsWith(`.${name}`) || (host === name && !entry.startsWith("*"))
}

/** In lower case, without the brackets of an IPv6 address and the dot at the end of a full name. */
const plainHost = (host: string): string =>
  host
    .replace(/^\[(.+)\]$/, "$1")
    .replace(/(.)\.$/, "$1")
    .toLowerCase()
