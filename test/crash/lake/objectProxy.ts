// Between processes and an object store: counts their HTTP requests, and cuts the connection of one of them.
import { once } from "node:events"
import { createServer, request as forward, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { Cut } from "./postgresProxy.ts"

/** A request that was sent. */
export interface SentRequest {
  /** Method and path, without what differs between two runs. */
  readonly text: string
  readonly isAnswered: true
}

export interface ObjectProxy {
  readonly port: number
  /** Begins to count anew, and forgets earlier cuts. `onCut` is called when one happens. */
  readonly arm: (cuts?: ReadonlyArray<Cut>, onCut?: (cut: Cut) => void) => void
  readonly sent: () => ReadonlyArray<SentRequest>
  readonly made: () => ReadonlyArray<Cut>
  readonly close: () => Promise<void>
}

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export const startObjectProxy = async (store: number): Promise<ObjectProxy> => {
  let sent: Array<SentRequest> = []
  let cuts: ReadonlyMap<number, Cut> = new Map()
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
      const body = await bodyOf(request)
      sent.push({
        text: `${method} ${url.replaceAll(/[0-9a-f]{8,}|\d+/g, "#").slice(0, 160)}`,
        isAnswered: true,
      })
      cut = cuts.get(sent.length)
      const way = cut?.way
      if (way === "before") return reset()
      const onward = forward({ host: "127.0.0.1", port: store, method, path: url, headers })
      onward.on("error", () => socket.destroy())
      if (way === "within") {
        onward.flushHeaders()
        onward.write(body.subarray(0, Math.floor(body.length / 2)), () => {
          onward.destroy()
          reset()
        })
        return
      }
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
    arm: (next = [], onNext = () => undefined) => {
      sent = []
      cuts = new Map(next.map((each) => [each.at, each]))
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
