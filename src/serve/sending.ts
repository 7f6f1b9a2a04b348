// Bounds the results in memory, and lets go of those that are not sent. A client that reads slowly, or not at all, keeps its
// result here until it has been sent.
import type { HttpBindings } from "@hono/node-server"
import type { Context, MiddlewareHandler } from "hono"
import { BusyError } from "./runQuery.ts"

// Each may hold 32 MB.
const MAX_SENDING = 16

const busy = new BusyError({
  why: `The server is busy: ${MAX_SENDING} queries run already, wait for their turn, or have a client that is still reading.`,
  advice: "Try again in a moment.",
})

/** From the request until the last of its response has been sent, each counts; `refuse` responds to further ones. */
export const boundedSending = (
  refuse: (c: Context, error: BusyError) => Response,
): MiddlewareHandler => {
  const unsent = new Set<HttpBindings>()
  return async (c, next) => {
    for (const each of unsent) {
      // A response that waits behind another one on the same connection is not closed with it.
      if (each.outgoing.closed || each.incoming.socket.destroyed) unsent.delete(each)
    }
    if (unsent.size >= MAX_SENDING) return refuse(c, busy)
    unsent.add(c.env as HttpBindings)
    return next()
  }
}

/** What a HEAD asks about is made as for a GET, but never read: a file would stay open, and on the disk, until then. */
export const unsentBody: MiddlewareHandler = async (c, next) => {
  await next()
  if (c.req.method === "HEAD") await c.res.body?.cancel()
}
