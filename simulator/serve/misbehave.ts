// Carries out the chosen fault. What Hono cannot express is done on the raw socket.
import type { HttpBindings } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { Fault } from "../fault-types.ts"
import { retryAfterHeader } from "./rate-limit.ts"

type Outgoing = HttpBindings["outgoing"]

/** A response that is not sent yet. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const jsonReply = (status: number, value: unknown, headers = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
})

/** Waits until the time has passed or the client disconnects; without a time, until the client disconnects. */
export const wait = (outgoing: Outgoing, ms: number | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (outgoing.destroyed) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      outgoing.off("close", done)
      resolve()
    }
    const timer = ms === undefined ? undefined : setTimeout(done, ms)
    outgoing.once("close", done)
  })

const errorPage = (status: number): string =>
  `<!doctype html><html><head><title>${status}</title></head><body><h1>${status} Error</h1></body></html>`

const details: Readonly<Record<number, string>> = {
  424: "External data could not be fetched",
  500: "Internal server error",
  502: "Bad gateway",
  503: "Service unavailable",
}

/** The reply a fault sends instead of the correct one; `undefined` for other kinds of fault. */
export const faultReply = (fault: Fault | undefined, url: URL): Reply | undefined => {
  switch (fault?.kind) {
    case "status":
      return fault.html === true
        ? {
            status: fault.status,
            headers: { "content-type": "text/html" },
            body: errorPage(fault.status),
          }
        : jsonReply(fault.status, { detail: fault.detail ?? details[fault.status] ?? "Error" })
    case "rate-limit": {
      const after = retryAfterHeader(fault.retryAfter ?? "seconds", fault.retryAfterSeconds ?? 1)
      return jsonReply(429, { detail: "Rate limit exceeded" }, after)
    }
    case "invalid-json":
      return { ...jsonReply(200, null), body: '{"labels": [1, 2' }
    case "redirect": {
      // Another origin on the same machine: the request log shows what was sent to it.
      const other = new URL(url)
      other.hostname = url.hostname === "localhost" ? "127.0.0.1" : "localhost"
      const location = fault.location ?? other.href
      return { ...jsonReply(307, { detail: "Moved" }), headers: { location } }
    }
    default:
      return undefined
  }
}

/** Sends the reply, or as much of it as the fault lets through. */
export const deliver = async (
  reply: Reply,
  fault: Fault | undefined,
  outgoing: Outgoing,
): Promise<Response> => {
  if (outgoing.destroyed) return RESPONSE_ALREADY_SENT
  if (fault?.kind !== "cut-body" && fault?.kind !== "stall-body") {
    return new Response(reply.body, { status: reply.status, headers: reply.headers })
  }
  const bytes = Buffer.from(reply.body)
  const half = bytes.length >> 1
  outgoing.writeHead(reply.status, { ...reply.headers, "content-length": bytes.length })
  await new Promise<void>((resolve) => outgoing.write(bytes.subarray(0, half), () => resolve()))
  if (fault.kind === "cut-body") {
    outgoing.destroy()
  } else {
    await wait(outgoing, fault.delayMs)
    outgoing.end(bytes.subarray(half))
  }
  return RESPONSE_ALREADY_SENT
}
