// An S3 on loopback that keeps its objects in memory: what the archive asks of one, for tests without servers. It checks no
// signatures.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ObjectStore } from "../../../src/archive/ObjectStore.ts"

const LOCATION = "/bucket/"

/** An error as S3 sends it. */
export const refuse = (response: ServerResponse, status: number, code: string): void => {
  response.writeHead(status, { "content-type": "application/xml" })
  response.end(`<Error><Code>${code}</Code><Message>${code} it is</Message></Error>`)
}

/** Lives as long as the scope. */
export const memoryStore = Effect.acquireRelease(
  Effect.promise(async () => {
    const objects = new Map<string, Buffer>()
    const methods: Array<string> = []
    /** Called once a request is done, before it is answered; responds in its own way where it returns `true`. */
    let answer: (method: string, response: ServerResponse, number: number) => boolean = () => false
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method = "", url = "", headers } = request
      const { pathname, searchParams } = new URL(url, "http://s3")
      const name = decodeURIComponent(pathname.slice(LOCATION.length))
      const sent = await buffer(request)
      const found = objects.get(name)
      if (method === "PUT") objects.set(name, sent)
      if (method === "DELETE") objects.delete(name)
      methods.push(method)
      if (answer(method, response, methods.length)) return
      if (method === "PUT") {
        response.end()
      } else if (method === "DELETE") {
        response.writeHead(204).end()
      } else if (searchParams.has("list-type")) {
        const start = searchParams.get("prefix") ?? ""
        const listed = [...objects].filter(([each]) => each.startsWith(start))
        const contents = listed.map(
          ([key, { length }]) => `<Contents><Key>${key}</Key><Size>${length}</Size></Contents>`,
        )
        response.end(`<ListBucketResult>${contents.join("")}</ListBucketResult>`)
      } else if (found === undefined) {
        refuse(response, 404, "NoSuchKey")
      } else {
        const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? []
        response.writeHead(206).end(found.subarray(Number(from), Number(to) + 1))
      }
    }
    const server = createServer((request, response) => void handle(request, response))
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    const access = () => ({
      key: { id: "id", secret: Redacted.make("secret"), sessionToken: undefined },
      region: "us-east-1",
      endpoint: new URL(`http://127.0.0.1:${port}`),
    })
    return {
      /** By name. */
      objects,
      /** Of all requests so far. */
      methods,
      store: new ObjectStore("s3://bucket", access),
      access,
      answers: (next: typeof answer) => void (answer = next),
      close: () =>
        new Promise<void>((closed) => {
          server.closeAllConnections()
          server.close(() => closed())
        }),
    }
  }),
  ({ close }) => Effect.promise(close),
)
