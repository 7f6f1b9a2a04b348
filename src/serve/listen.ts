// Listens for HTTP requests until the scope ends: for the web page, and for the endpoints of a scheduler.
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Hono } from "hono"

/** The server can't listen on the address. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly code: string | undefined
  readonly message: string
}> {}

// A response is kept in memory, or its file open, until its client has read it.
const MAX_UNREAD_MILLIS = 60_000

/**
 * Starts the server and returns its URL, which contains the port that was chosen if `port` is 0. A connection ends when its
 * client has read nothing of a response for `maxUnreadMillis`.
 */
export const listen = Effect.fnUntraced(function* (
  app: Hono,
  host: string,
  port: number,
  maxUnreadMillis = MAX_UNREAD_MILLIS,
) {
  const server = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => started(app, host, port),
      catch: (cause) => {
        const { code, message } = cause as NodeJS.ErrnoException
        return new ListenError({ code, message })
      },
    }),
    (open) =>
      Effect.sync(() => {
        open.close()
        // Closing the connections interrupts queries that still run and would delay the end.
        open.closeAllConnections()
      }),
  )
  server.on("request", ({ socket }, response) => {
    response.setTimeout(maxUnreadMillis, () => {
      // Else the response is still being made.
      if (response.writableLength > 0) socket.destroy()
    })
  })
  const { address, port: bound, family } = server.address() as AddressInfo
  return `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`
})

// More than the longest address that `app.ts` accepts, so that one that is too long is refused in words.
const MAX_HEADER_BYTES = 64 * 1024

const started = async (app: Hono, host: string, port: number): Promise<Server> => {
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    serverOptions: { maxHeaderSize: MAX_HEADER_BYTES },
  }) as Server
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })
  return server
}
