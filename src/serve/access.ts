// Access control: the Host and Origin of a request must be this server's own, so that no page of another site can reach
// it under any name; if other machines can connect, a token is required too.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { isIP } from "node:net"
import { hostname } from "node:os"
import type { Context, MiddlewareHandler } from "hono"
import { getCookie, setCookie } from "hono/cookie"
import * as Redacted from "effect/Redacted"

export interface Access {
  /** The address the server listens on. */
  readonly host: string
  /** Names that browsers may use for the server, besides that address and the machine's own name. */
  readonly allowedHosts: ReadonlyArray<string>
  /** Absent if only this machine can connect. */
  readonly token: Redacted.Redacted<string> | undefined
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"])

export const isLoopback = (host: string): boolean =>
  LOOPBACK.has(host) || /^127(\.\d{1,3}){3}$/.test(host)

const isWildcard = (host: string): boolean => host === "0.0.0.0" || host === "::"

/** The name in a Host header or origin, without its port and brackets. */
const nameOf = (host: string): string =>
  host
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase()

// Another site's name can resolve to this machine; an address can't.
const isOwnName = (name: string, { host, allowedHosts }: Access): boolean =>
  isLoopback(name) ||
  name === host.toLowerCase() ||
  allowedHosts.some((allowed) => allowed.toLowerCase() === name) ||
  (isWildcard(host) && (isIP(name) !== 0 || name === hostname().toLowerCase()))

/** Refuses requests under a foreign name, and requests sent by a page of another site. */
export const ownNameOnly =
  (access: Access): MiddlewareHandler =>
  async (c, next) => {
    const host = c.req.header("host") ?? ""
    if (!isOwnName(nameOf(host), access)) {
      return c.text(
        `This server is not called ${JSON.stringify(host)}. Start it with --allowed-host if it is.\n`,
        421,
      )
    }
    const origin = c.req.header("origin")
    if (origin !== undefined && URL.parse(origin)?.host !== host) {
      return c.text("This server isSignedIn requests from its own pages only.\n", 403)
    }
    // Browsers mark requests sent by a page of another site; following a link is allowed.
    const site = c.req.header("sec-fetch-site")
    if (site === "cross-site" && c.req.header("sec-fetch-mode") !== "navigate") {
      return c.text("This server isSignedIn requests from its own pages only.\n", 403)
    }
    return next()
  }

const COOKIE = "vaulthouse"

const isEqual = (one: string, other: string, key: Buffer): boolean => {
  const digest = (text: string) => createHmac("sha256", key).update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

export interface SignIn {
  /** Passes requests with the token or the cookie; `refuse` responds to all others. */
  readonly required: (refuse: (c: Context) => Response) => MiddlewareHandler
  /** Returns whether the token is right, and if so sets the cookie. */
  readonly accept: (c: Context, typed: string) => boolean
}

/** The cookie does not contain the token and is invalid after a restart. */
export const signIn = (token: Redacted.Redacted<string>): SignIn => {
  const key = randomBytes(32)
  const secret = Redacted.value(token)
  const cookie = createHmac("sha256", key).update(secret).digest("base64url")
  const isSignedIn = (c: Context): boolean => {
    const [, bearer] = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "") ?? []
    if (bearer !== undefined) return isEqual(bearer, secret, key)
    return isEqual(getCookie(c, COOKIE) ?? "", cookie, key)
  }
  return {
    required: (refuse) => async (c, next) => (isSignedIn(c) ? next() : refuse(c)),
    accept: (c, typed) => {
      if (!isEqual(typed.trim(), secret, key)) return false
      setCookie(c, COOKIE, cookie, { httpOnly: true, sameSite: "Strict", path: "/" })
      return true
    },
  }
}

/** Pages load and run only what this server sends, can't be framed, and don't reveal their address to other sites. */
export const strictHeaders: MiddlewareHandler = async (c, next) => {
  await next()
  const headers = {
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    // Not "no-referrer": browsers would then send forms without an Origin to check.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
  }
  for (const [header, value] of Object.entries(headers)) c.header(header, value)
  if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store")
}
