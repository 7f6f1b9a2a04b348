// Explains why there was no complete response and what to do: about the service, a certificate or a proxy.
import { type Proxy, proxyText } from "../../domain/wire/proxies.ts"

export interface FailedConnection {
  readonly cause: unknown
  /** The proxy that the connection went through. */
  readonly proxy: Proxy | undefined
}

export interface ConnectionProblem {
  readonly detail: string
  /** Whether another attempt can't help. */
  readonly isFinal?: true
}

/** `origin` is the server to be reached; `address` names the setting to check, for the advice. */
export const connectionProblem = (
  { cause, proxy }: FailedConnection,
  origin: string,
  address = "the base address",
): ConnectionProblem => {
  const reason = innermost(cause)
  if (certificateErrors.has(reason)) {
    const owner =
      proxy === undefined ? origin : `${origin} or of the proxy ${proxyText(proxy)} on the way`
    return {
      detail: `the certificate of ${owner} is not signed by an authority this machine trusts (${reason}); set NODE_EXTRA_CA_CERTS to the file with the authority's certificate`,
      isFinal: true,
    }
  }
  if (proxy === undefined && reason === "ERR_SSL_WRONG_VERSION_NUMBER") {
    return {
      detail: `${origin} does not speak TLS (${reason}); check whether ${address} begins with http:// rather than https://`,
      isFinal: true,
    }
  }
  if (proxy === undefined) {
    return {
      detail: `no complete response from ${origin}: ${reason}; check ${address}, the network, and any firewall on the way`,
    }
  }
  const status = proxyStatus(cause)
  if (status !== undefined) return proxyRefusal(proxy, origin, status, address)
  const problem = connectErrors.has(reason)
    ? `the proxy ${proxyText(proxy)} can't be reached`
    : `no complete response from ${origin} through the proxy ${proxyText(proxy)}`
  return { detail: `${problem}: ${reason}; check ${proxy.variable}, or ${withoutProxy(origin)}` }
}

/** Why a proxy refused to connect, and what to do. */
const proxyRefusal = (
  proxy: Proxy,
  origin: string,
  status: number,
  address: string,
): ConnectionProblem => {
  const name = `the proxy ${proxyText(proxy)}`
  if (status === 407) {
    return {
      detail: `${name} requires a user name and password, or rejects the configured ones (407); set ${proxy.variable} to an address such as http://user:password@${new URL(proxy.origin).host}`,
      isFinal: true,
    }
  }
  return status >= 500
    ? { detail: `${name} can't connect to ${origin} (${status}); check ${address}` }
    : {
        detail: `${name} does not allow connections to ${origin} (${status}); ask its administrator, or ${withoutProxy(origin)}`,
        isFinal: true,
      }
}

const withoutProxy = (origin: string): string =>
  `list ${new URL(origin).hostname} in NO_PROXY to connect directly`

/** An error followed by its causes. */
const causes = (error: unknown): ReadonlyArray<Error> => {
  const found: Array<Error> = []
  for (let cause = error; cause instanceof Error && found.length < 5; cause = cause.cause) {
    found.push(cause)
  }
  return found
}

/** The innermost cause: its code (`ECONNREFUSED`) if it has one, else its message. */
const innermost = (error: unknown): string => {
  const cause = causes(error).at(-1)
  if (cause === undefined) return String(error)
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}

/** The status of a proxy's refusal, which undici reports only in its message. */
const proxyStatus = (error: unknown): number | undefined => {
  const [, tunnel, forward] =
    causes(error)
      .map(({ message }) =>
        /^Proxy response \((\d+)\)|^Proxy Authentication Required \((\d+)\)/.exec(message),
      )
      .find((match) => match !== null) ?? []
  const status = tunnel ?? forward
  return status === undefined ? undefined : Number(status)
}

// OpenSSL's codes for a certificate that no known authority has signed.
const certificateErrors: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
])

// If there is a proxy, these errors are about the connection to it, since the proxy connects to the service.
const connectErrors: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
])
