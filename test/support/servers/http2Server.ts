// An HTTPS server on loopback that prefers HTTP/2, as most services do, and takes HTTP/1.1 too.
import { createSecureServer, type Http2SecureServer } from "node:http2"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { TLSSocket } from "node:tls"
import * as Effect from "effect/Effect"

const folder = join(import.meta.dirname, "../../fixtures/tls")

/** Its URL and the protocol of each connection; responds `[]`, and refuses to be a proxy. Lives as long as the scope. */
export const http2Server = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{
        readonly server: Http2SecureServer
        readonly sockets: ReadonlyArray<TLSSocket>
        readonly protocols: ReadonlyArray<string | false | null>
      }>((resolve) => {
        const sockets: Array<TLSSocket> = []
        const protocols: Array<string | false | null> = []
        const server = createSecureServer({
          key: readFileSync(join(folder, "key.pem")),
          cert: readFileSync(join(folder, "certificate.pem")),
          allowHTTP1: true,
        })
        server.on("request", (_, response) => response.end("[]"))
        server.on("secureConnection", (socket: TLSSocket) => {
          sockets.push(socket)
          protocols.push(socket.alpnProtocol)
          // The client may be gone first.
          socket.on("error", () => undefined)
        })
        server.listen(0, "127.0.0.1", () => resolve({ server, sockets, protocols }))
      }),
  ),
  ({ server, sockets }) =>
    Effect.promise(
      () =>
        new Promise<void>((closed) => {
          for (const socket of sockets) socket.destroy()
          server.close(() => closed())
        }),
    ),
).pipe(
  Effect.map(({ server, protocols }) => ({
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    protocols,
  })),
)
