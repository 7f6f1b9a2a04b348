// A receiver of notifications: a real HTTP server on loopback that keeps what it gets, and responds as a test says.
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type { Message } from "../../../src/pipelines/notifications/message.ts"

export interface Receiver {
  readonly url: string
  /** `POST /path`, in order. */
  readonly requests: ReadonlyArray<string>
  readonly bodies: ReadonlyArray<Message>
  readonly close: () => Promise<void>
}

/** Responds once the request is complete; `number` counts requests from 1. */
export type Respond = (response: ServerResponse, number: number) => void

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    void response.writeHead(code, headers).end()

export const startReceiver = async (respond: Respond = status(200)): Promise<Receiver> => {
  const requests: Array<string> = []
  const bodies: Array<Message> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      requests.push(`${request.method} ${request.url}`)
      if (text !== "") bodies.push(JSON.parse(text) as Message)
      respond(response, requests.length)
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections()
      server.close(() => closed())
    })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bodies,
    close,
  }
}

/** Lives as long as the scope. */
export const receiver = (respond?: Respond) =>
  Effect.acquireRelease(
    Effect.promise(() => startReceiver(respond)),
    ({ close }) => Effect.promise(close),
  )
