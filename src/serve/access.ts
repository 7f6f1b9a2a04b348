// Access control: the Host and Origin of a request must be this server's own, so that no page of another site can reach
// it under any name; if other machines can connect, a token is required too.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { isIP } from "node:net"
import { hostname } from "node:os"
import { setTimeout } from "node:timers/promises"
import { getConnInfo } from "@hono/node-server/conninfo"
import type { Context, MiddlewareHandler } from "hono"
import { getCookie, setCookie } from "hono/cookie"
import * as Redacted from "effect/Redacted"
import { isLoopback } from "../domain/values/loopback.ts"

export interface Access {
  /** The address the server listens on. */
  readonly host: string
  /** Names that browsers may use for the server, besides that address and the machine's own name. */
  readonly allowedHosts: ReadonlyArray<string>
  /** Absent if only this machine can connect. */
  readonly token: Redacted.Redacted<string> | undefined
}

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
  allowedHosts.some((allowed) => nameOf(allowed) === name) ||
  (isWildcard(host) && (isIP(name) !== 0 || name === hostname().toLowerCase()))

/**
 * Whether a page of another site made the browser send the request. Programs, and browsers whose user typed the address,
 * send no or another mark. A page of the same host on another port is another site too.
 */
const isFromOtherSite = (c: Context): boolean => {
  const site = c.req.header("sec-fetch-site")
  return site !== undefined && site !== "same-origin" && site !== "none"
}

const bearerOf = (c: Context): string | undefined => {
  // Node takes each byte of a header for a character.
  const header = Buffer.from(c.req.header("authorization") ?? "", "latin1").toString("utf8")
  return /^Bearer +(.+)$/i.exec(header)?.[1]
}

/**
 * Whether SQL in the address may run: no page of another site sent it. Over a network, browsers send `Sec-Fetch-Site` by TLS
 * alone, and the cookie to every port of the host; without that mark, what a cookie admitted needs a `Referer` of this server,
 * which its pages send.
 */
export const maySendSql = (c: Context, { token }: Access): boolean =>
  c.req.header("sec-fetch-site") === undefined
    ? token === undefined ||
      bearerOf(c) !== undefined ||
      URL.parse(c.req.header("referer") ?? "")?.host === c.req.header("host")
    : !isFromOtherSite(c)

const UNKNOWN_SENDER =
  "Send the token as `Authorization: Bearer …`, or follow a link of this server's pages: the browser does not say which page sent this request.\n"

/** Refuses what a page on another port of the host may have sent with a reader's cookie. */
export const ownSqlOnly =
  (access: Access): MiddlewareHandler =>
  (c, next) =>
    maySendSql(c, access) ? next() : Promise.resolve(c.text(UNKNOWN_SENDER, 403))

/** Whether a person followed a link in a window of its own, as opposed to a script, a frame or an image. */
const isFollowedLink = (c: Context): boolean =>
  (c.req.method === "GET" || c.req.method === "HEAD") &&
  c.req.header("sec-fetch-mode") === "navigate" &&
  c.req.header("sec-fetch-dest") === "document" &&
  c.req.header("sec-fetch-user") === "?1" &&
  !c.req.path.startsWith("/api/")

const OTHER_SITE =
  "A page of another site sent this request. This server takes requests of its own pages, of links that are clicked, and of addresses that are typed.\n"

/**
 * Refuses requests under a foreign name, and requests sent by a page of another site, except for a click on a link.
 * `advice` says what to do about a name that is no foreign one.
 */
export const ownNameOnly =
  (access: Access, advice = "Start it with --allowed-host if it is."): MiddlewareHandler =>
  async (c, next) => {
    const host = c.req.header("host") ?? ""
    if (!isOwnName(nameOf(host), access)) {
      return c.text(`This server is not called ${JSON.stringify(nameOf(host))}. ${advice}\n`, 421)
    }
    const origin = c.req.header("origin")
    const isForeign = origin !== undefined && URL.parse(origin)?.host !== host
    if (isForeign || (isFromOtherSite(c) && !isFollowedLink(c))) return c.text(OTHER_SITE, 403)
    return next()
  }

/** Browsers keep one cookie of a name for all ports of a host: each server has its own name. */
const cookieName = (c: Context): string => {
  const [, port] = /:(\d+)$/.exec(c.req.header("host") ?? "") ?? []
  return port === undefined ? "vaulthouse" : `vaulthouse-${port}`
}

const isEqual = (one: string, other: string, key: Buffer): boolean => {
  const digest = (text: string) => createHmac("sha256", key).update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** `early`: a wrong token from the same address is still waiting for its answer, so this one was not looked at. */
export type Attempt = "right" | "wrong" | "early"

export interface SignIn {
  /** Passes requests with the token or the cookie; `refuse` responds to all others. */
  readonly required: (
    refuse: (c: Context, attempt: Attempt | undefined) => Response,
  ) => MiddlewareHandler
  /** Sets the cookie if the token is right. */
  readonly accept: (c: Context, typed: string) => Promise<Attempt>
}

// The answer to a wrong token takes as long, so that nobody can try many.
export const WRONG_TOKEN_MILLIS = 1000
// Each address waits alone; further ones than these are not looked at.
const MAX_WAITING = 100

/** Whether the browser reached the server, or the proxy in front of it, by TLS. */
const isSecure = (c: Context): boolean =>
  c.req.header("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ||
  c.req.header("origin")?.startsWith("https:") === true

/** The cookie does not contain the token and is invalid after a restart. `warn` writes a line to the log. */
export const signIn = (token: Redacted.Redacted<string>, warn: (line: string) => void): SignIn => {
  const key = randomBytes(32)
  const secret = Redacted.value(token)
  const cookie = createHmac("sha256", key).update(secret).digest("base64url")
  const waiting = new Set<string>()
  const attempt = async (c: Context, typed: string): Promise<Attempt> => {
    const address = getConnInfo(c).remote.address ?? ""
    if (waiting.has(address) || waiting.size >= MAX_WAITING) return "early"
    if (isEqual(typed, secret, key)) return "right"
    waiting.add(address)
    warn(`serve: a wrong token from ${address}`)
    await setTimeout(WRONG_TOKEN_MILLIS, undefined, { ref: false })
    waiting.delete(address)
    return "wrong"
  }
  return {
    required: (refuse) => async (c, next) => {
      const bearer = bearerOf(c)
      if (bearer === undefined) {
        return isEqual(getCookie(c, cookieName(c)) ?? "", cookie, key)
          ? next()
          : refuse(c, undefined)
      }
      const found = await attempt(c, bearer)
      return found === "right" ? next() : refuse(c, found)
    },
    accept: async (c, typed) => {
      const found = await attempt(c, typed.trim())
      if (found === "right") {
        setCookie(c, cookieName(c), cookie, {
          httpOnly: true,
          sameSite: "Strict",
          path: "/",
          secure: isSecure(c),
        })
      }
      return found
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
