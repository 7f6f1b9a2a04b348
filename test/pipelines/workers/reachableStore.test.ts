// Work that needs object storage, while that can't be reached and afterwards.
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { withReachableStore } from "../../../src/pipelines/workers/reachableStore.ts"
import { movableClock } from "../../support/movableClock.ts"

const empty = `<?xml version="1.0"?><ListBucketResult><Name>lake</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>`
const denied = `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no</Message></Error>`

/** A store that a test takes down and up again, on one port. */
const fallibleStore = Effect.acquireRelease(
  Effect.promise(async () => {
    let response: readonly [status: number, body: string] = [200, empty]
    let port = 0
    let server: Server | undefined
    const up = async (): Promise<void> => {
      server = createServer((_, to) => {
        to.writeHead(response[0], { "content-type": "application/xml" }).end(response[1])
      })
      const started = server
      await new Promise<void>((listening) => started.listen(port, "127.0.0.1", listening))
      port = (started.address() as AddressInfo).port
    }
    const down = async (): Promise<void> => {
      const started = server
      started?.closeAllConnections()
      await new Promise((closed) => started?.close(closed))
    }
    await up()
    return {
      up,
      down,
      respond: (status: number, body: string) => void (response = [status, body]),
      access: () => ({
        key: { id: "id", secret: Redacted.make("secret"), sessionToken: undefined },
        region: "us-east-1",
        endpoint: new URL(`http://127.0.0.1:${port}`),
      }),
    }
  }),
  ({ down }) => Effect.promise(down),
)

const locations = ["s3://lake/data", undefined, "/a/folder"]

describe("work that needs object storage", () => {
  it.live("begins again once the store can be reached", () =>
    Effect.gen(function* () {
      const store = yield* fallibleStore
      const events: Array<string> = []
      let tries = 0
      const work = Effect.gen(function* () {
        tries += 1
        if (tries > 1) return tries
        yield* Effect.promise(store.down)
        return yield* Effect.fail("the store is down")
      })
      const onConnection = (text: string): void => {
        events.push(text)
        if (text.startsWith("waits")) void store.up()
      }
      const { access } = store
      expect(yield* withReachableStore({ locations, access, onConnection }, work)).toBe(2)
      expect(events).toEqual([
        expect.stringMatching(/^waits for s3:\/\/lake\/data, which can't be reached\./),
        "can reach s3://lake/data again",
      ])
    }),
  )

  it.live("fails where the store responds, be it with a refusal", () =>
    Effect.gen(function* () {
      const { access, respond } = yield* fallibleStore
      const onConnection = (): never => expect.fail("it waits")
      const work = Effect.fail("another reason")
      const failing = Effect.flip(withReachableStore({ locations, access, onConnection }, work))
      expect(yield* failing).toBe("another reason")
      respond(403, denied)
      expect(yield* failing).toBe("another reason")
    }),
  )

  it.live("fails when the store has been gone for ten minutes", () =>
    Effect.gen(function* () {
      const { access, down } = yield* fallibleStore
      yield* Effect.promise(down)
      const clock = movableClock()
      const onConnection = (): void => {
        setTimeout(() => clock.advance(11 * 60_000), 10)
      }
      const work = Effect.fail("the store is down")
      const failing = Effect.flip(withReachableStore({ locations, access, onConnection }, work))
      expect(yield* clock.under(failing)).toBe("the store is down")
    }),
  )
})
