// Bodies that have no end in the time or the memory that a response may take.
import type { ServerResponse } from "node:http"

const MEGABYTE = 1_000_000

/** More than a response may have (`maxResponseMegabytes`) and the buffers of a connection hold, which are up to 38 on Linux. */
export const FLOOD_BYTES = 50 * MEGABYTE

/** Writes until it is all sent or the client closes the connection. */
export const flood = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const chunk = "x".repeat(MEGABYTE / 4)
    let left = FLOOD_BYTES / chunk.length
    response.on("close", resolve)
    response.on("error", () => resolve())
    response.writeHead(200, { "content-type": "application/json" })
    response.write('[{"filler":"')
    const next = (): void => {
      if (response.destroyed) return resolve()
      left -= 1
      if (left < 0) return void response.end('"}]', () => resolve())
      response.write(chunk, next)
    }
    next()
  })

/** A byte at a time, with so many milliseconds between two. */
export const drip = (response: ServerResponse, body: string, millis: number): void => {
  const bytes = Buffer.from(body)
  let at = 0
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length })
  const timer = setInterval(() => {
    if (at < bytes.length) response.write(bytes.subarray(at, ++at))
    else response.end()
  }, millis)
  response.on("close", () => clearInterval(timer))
}
