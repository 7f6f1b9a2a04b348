// A real HTTP server on loopback that responds as a test scripts it, and records its requests. Responses have no date unless
// the script gives them one: the clock of a test need not be the machine's.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
}

export type Script = (request: ReceivedRequest, response: ServerResponse, number: number) => void

export interface ScriptedServer {
  readonly url: string
  readonly requests: ReadonlyArray<ReceivedRequest>
}

export const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

/** Lives as long as the scope; `number` counts requests from 1. */
export const scriptedServer = (script: Script) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ScriptedServer & { readonly close: () => Promise<void> }>((resolve) => {
          const requests: Array<ReceivedRequest> = []
          const server = createServer((request, response) => {
            const { method = "", url = "", headers } = request
            requests.push({ method, url, headers })
            response.sendDate = false
            script({ method, url, headers }, response, requests.length)
          })
          server.listen(0, "127.0.0.1", () => {
            const { port } = server.address() as AddressInfo
            const close = () =>
              new Promise<void>((closed) => {
                server.closeAllConnections()
                server.close(() => closed())
              })
            resolve({ url: `http://127.0.0.1:${port}`, requests, close })
          })
        }),
    ),
    ({ close }) => Effect.promise(close),
  )
