// A real HTTP proxy on loopback: opens tunnels (CONNECT) and forwards requests, as a test scripts it, and records them.
import { createServer, type IncomingMessage, request as forward } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"

export interface ProxyOptions {
  /** `user:password`; anyone may use it where absent. */
  readonly credentials?: string
  /** The status of its own response, instead of a connection; 0: never responds. */
  readonly refusal?: number
}

export interface TestProxy {
  /** Without credentials. */
  readonly url: string
  /** `CONNECT host:port` or `GET http://host:port/path`. */
  readonly requests: ReadonlyArray<string>
  /** Open connections of clients. */
  readonly connections: () => number
  /** The most there were at once. */
  readonly mostConnections: () => number
}

/** Lives as long as the scope. */
export const startProxy = ({ credentials, refusal }: ProxyOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => {
      const requests: Array<string> = []
      const sockets = new Set<Socket>()
      let most = 0
      const refused = ({ method = "", url = "", headers }: IncomingMessage): number | undefined => {
        requests.push(`${method} ${url}`)
        const sent = headers["proxy-authorization"] ?? ""
        const wanted = `Basic ${Buffer.from(credentials ?? "").toString("base64")}`
        return credentials !== undefined && sent !== wanted ? 407 : refusal
      }
      const server = createServer((request, response) => {
        const status = refused(request)
        if (status === 0) return
        if (status !== undefined) {
          response.writeHead(status, { "content-type": "text/html" }).end("<p>Access denied</p>")
          return
        }
        const { "proxy-authorization": _, ...headers } = request.headers
        const onward = forward(request.url ?? "", { method: request.method, headers })
        onward.on("response", (answer) => {
          response.writeHead(answer.statusCode ?? 0, answer.headers)
          answer.pipe(response)
        })
        onward.on("error", () => response.writeHead(502).end())
        response.on("close", () => onward.destroy())
        request.pipe(onward)
      })
      server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
        const status = refused(request)
        if (status === 0) return
        if (status !== undefined) {
          client.end(`HTTP/1.1 ${status} Refused\r\n\r\n`)
          return
        }
        const { hostname, port } = new URL(`http://${request.url ?? ""}`)
        const onward = connect(Number(port), hostname, () => {
          client.write("HTTP/1.1 200 Connection established\r\n\r\n")
          onward.write(head)
          client.pipe(onward).pipe(client)
        })
        onward.on("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"))
        client.on("error", () => onward.destroy())
        client.on("close", () => onward.destroy())
      })
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        most = Math.max(most, sockets.size)
        socket.on("close", () => sockets.delete(socket))
      })
      return new Promise<TestProxy & { readonly close: () => Promise<void> }>((resolve) => {
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          const close = () =>
            new Promise<void>((closed) => {
              for (const socket of sockets) socket.destroy()
              server.close(() => closed())
            })
          resolve({
            url: `http://127.0.0.1:${port}`,
            requests,
            connections: () => sockets.size,
            mostConnections: () => most,
            close,
          })
        })
      })
    }),
    ({ close }) => Effect.promise(close),
  )
