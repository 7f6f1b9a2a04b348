// Between processes and an object store: counts their HTTP requests, and cuts the connection of one of them.
import { once } from "node:events"
import { createServer, request as forward, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { Cut, Cutter, Sent } from "./postgresProxy.ts"

export interface ObjectProxy {
  readonly port: number
  /** Begins to count anew; without a cutter nothing is cut. `onCut` is called when a cut happens. */
  readonly arm: (cutter?: Cutter, onCut?: (cut: Cut) => void) => void
  /** Each request is of a kind of its own: its number, method and path without what differs between two runs. */
  readonly sent: () => ReadonlyArray<Sent>
  readonly made: () => ReadonlyArray<Cut>
  readonly close: () => Promise<void>
}

/** The body, or at least so many bytes of it. */
const bodyOf = async (message: IncomingMessage, wanted = Infinity): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of message) {
    chunks.push(chunk as Buffer)
    length += (chunk as Buffer).length
    if (length >= wanted) break
  }
  return Buffer.concat(chunks)
}

/** Names of Parquet files, and of the segments of workers, are made at random. */
const withoutChance = (url: string): string =>
  url
    .replaceAll(/ducklake-[0-9a-f-]{36}/g, "ducklake-#")
    .replaceAll(/\.[\w-]+(?=\.ndjson)/g, ".worker")
    .replaceAll(/Z-[0-9a-f]{6}|[0-9a-f]{8,}|\d+/g, "#")
    .slice(0, 160)

export const startObjectProxy = async (store: number): Promise<ObjectProxy> => {
  let sent: Array<Sent> = []
  let cutter: Cutter | undefined
  let made: Array<Cut> = []
  let onCut: (cut: Cut) => void = () => undefined

  const server = createServer((request, response) => {
    const { method = "GET", url = "/", headers, socket } = request
    let cut: Cut | undefined
    const reset = (): void => {
      if (cut !== undefined) {
        made.push(cut)
        onCut(cut)
      }
      socket.resetAndDestroy()
    }
    const handle = async (): Promise<void> => {
      const at = sent.length + 1
      const each: Sent = {
        kind: `${at} ${method} ${withoutChance(url)}`,
        isAnswered: true,
        commits: true,
      }
      sent.push(each)
      const chosen = cutter?.(each, at)
      cut = chosen === undefined ? undefined : { at, way: chosen.way, loss: chosen.loss }
      const way = cut?.way
      if (way === "before") return reset()
      // A store keeps an object that it has received as a whole, or nothing, so nothing of it goes on.
      if (way === "within") {
        await bodyOf(request, Number(headers["content-length"] ?? 0) / 2)
        return reset()
      }
      const body = await bodyOf(request)
      const onward = forward({ host: "127.0.0.1", port: store, method, path: url, headers })
      onward.on("error", () => socket.destroy())
      onward.end(body)
      const [answer] = (await once(onward, "response")) as [IncomingMessage]
      const whole = await bodyOf(answer)
      if (way === "after") return reset()
      response.writeHead(answer.statusCode ?? 500, answer.rawHeaders)
      if (way === undefined) return void response.end(whole)
      response.flushHeaders()
      response.write(whole.subarray(0, Math.floor(whole.length / 2)), reset)
    }
    handle().catch(reset)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    arm: (next, onNext = () => undefined) => {
      sent = []
      cutter = next
      made = []
      onCut = onNext
    },
    sent: () => sent,
    made: () => made,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
