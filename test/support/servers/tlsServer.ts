// An HTTPS server on loopback with a certificate of a private authority.
import { readFileSync } from "node:fs"
import type { RequestListener } from "node:http"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"

const folder = join(import.meta.dirname, "../../fixtures/tls")

/** The authority's certificate. */
export const authorityFile = join(folder, "authority.pem")

/** Its URL; lives as long as the scope. */
export const tlsServer = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Server>((resolve) => {
          const server = createServer(
            {
              key: readFileSync(join(folder, "key.pem")),
              cert: readFileSync(join(folder, "certificate.pem")),
            },
            listener,
          )
          server.listen(0, "127.0.0.1", () => resolve(server))
        }),
    ),
    (server) =>
      Effect.promise(
        () =>
          new Promise<void>((closed) => {
            server.closeAllConnections()
            server.close(() => closed())
          }),
      ),
  ).pipe(Effect.map((server) => `https://127.0.0.1:${(server.address() as AddressInfo).port}`))
