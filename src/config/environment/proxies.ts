// The proxies set in the environment, by the usual variables. A name in lower case overrides the one in upper case.
import * as Redacted from "effect/Redacted"
import type { Proxies, Proxy } from "../../domain/wire/proxies.ts"
import type { ConfigProblem } from "../ConfigError.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Without `HTTPS_PROXY`, `HTTP_PROXY` applies to both, as in undici. */
export const readProxies = (environment: Environment, problems: Array<ConfigProblem>): Proxies => {
  const http = readProxy("HTTP_PROXY", environment, problems)
  const https = readProxy("HTTPS_PROXY", environment, problems) ?? http
  const [, direct] = lookUp("NO_PROXY", environment)
  return { http, https, direct: direct.split(/[,\s]+/).filter((entry) => entry !== "") }
}

const lookUp = (name: string, environment: Environment): readonly [string, string] => {
  const lower = environment[name.toLowerCase()]
  return lower === undefined ? [name, environment[name] ?? ""] : [name.toLowerCase(), lower]
}

const readProxy = (
  name: string,
  environment: Environment,
  problems: Array<ConfigProblem>,
): Proxy | undefined => {
  const [variable, value] = lookUp(name, environment)
  if (value === "") return undefined
  const url = URL.parse(value)
  if (url !== null && /^https?:$/.test(url.protocol)) {
    if (isEncoded(url.username) && isEncoded(url.password)) {
      return { url: Redacted.make(value, { label: "proxy" }), origin: url.origin, variable }
    }
    const detail = "special characters in the user name and password must be percent-encoded"
    problems.push({ where: variable, detail })
    return undefined
  }
  // The message leaves out what may be a password.
  const shown = value.includes("@") ? "its value" : `\`${value}\``
  const example = /^[\w.-]+:\d+\/?$/.test(value) ? value : "proxy.example.com:3128"
  const detail = `${shown} is not the address of a proxy such as \`http://${example}\``
  problems.push({ where: variable, detail })
  return undefined
}

const isEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
