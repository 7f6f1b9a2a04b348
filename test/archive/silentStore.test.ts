// Object storage that accepts requests and is silent.
import { connect, createServer, type AddressInfo } from "node:net"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ObjectStore } from "../../src/archive/ObjectStore.ts"
import { memoryStore } from "../support/servers/memoryStore.ts"

const SILENCE_MILLIS = 500

it.live("a store that never answers is one that can't be reached", () =>
  Effect.gen(function* () {
    const { access, answers, methods } = yield* memoryStore
    const store = new ObjectStore("s3://bucket", access, SILENCE_MILLIS)
    answers(() => true)
    const error = yield* Effect.promise(() => store.read("segment", 0, 1).then(String, String))
    expect(error).toMatch(/s3:\/\/bucket can't be reached at .*: it does not respond$/)
    expect(methods).toHaveLength(5)
    // To know that, one request is enough.
    methods.length = 0
    expect(yield* Effect.promise(() => store.isReachable())).toBe(false)
    expect(methods).toHaveLength(1)
    answers(() => false)
    expect(yield* Effect.promise(() => store.isReachable())).toBe(true)
  }),
)

it.live("an upload of which nobody takes more is repeated", () =>
  Effect.gen(function* () {
    const { access, objects } = yield* memoryStore
    const { port } = access().endpoint
    let accepted = 0
    const between = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<ReturnType<typeof createServer>>((listening) => {
            const server = createServer((socket) => {
              socket.on("error", () => undefined)
              accepted += 1
              if (accepted === 1) return socket.pause()
              const there = connect(Number(port), "127.0.0.1").on("error", () => undefined)
              return socket.pipe(there).pipe(socket)
            }).listen(0, "127.0.0.1", () => listening(server))
          }),
      ),
      (server) => Effect.sync(() => server.close()),
    )
    const endpoint = new URL(`http://127.0.0.1:${(between.address() as AddressInfo).port}`)
    const store = new ObjectStore("s3://bucket", () => ({ ...access(), endpoint }), SILENCE_MILLIS)
    // More than the buffers of a connection hold.
    const bytes = Buffer.alloc(16 * 1024 * 1024, "x")
    yield* Effect.promise(() => store.write("segment", bytes))
    expect(accepted).toBe(2)
    expect(objects.get("segment")?.equals(bytes)).toBe(true)
  }),
)
