// A pooler that hands one session to several clients is refused: locks and the search path would stay in it for whoever comes
// next. A relay that loses what a connection is opened with stands for PgBouncer with `ignore_startup_parameters = options`, one
// that rejects it for PgBouncer as it comes. Run by `make test-postgres`.
import { connect as dial, createServer, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { postgresTargetOf } from "../../src/config/secrets/secretUrl.ts"
import { connect } from "../../src/load/postgres/connect.ts"
import { installed, sharedPostgres } from "../support/servers/postgres.ts"

/** The URL of a relay, which passes on what `change` makes of the first message. */
const relay = (change: (message: Buffer, client: Socket) => Buffer | undefined) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((client) => {
        const behind = dial(sharedPostgres().port, "127.0.0.1")
        for (const [one, other] of [
          [client, behind],
          [behind, client],
        ] as const)
          one.on("error", () => other.destroy()).on("close", () => other.destroy())
        client.once("data", (message) => {
          const changed = change(message, client)
          if (changed === undefined) return
          behind.write(changed)
          client.pipe(behind)
        })
        behind.pipe(client)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.promise(() => new Promise<unknown>((resolve) => server.close(resolve))),
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      const port = typeof address === "object" ? (address?.port ?? 0) : 0
      return sharedPostgres()
        .url("postgres", "?sslmode=disable")
        .replace(/:\d+\//, `:${port}/`)
    }),
  )

/** As PgBouncer sends it: https://www.postgresql.org/docs/current/protocol-message-formats.html. */
const rejection = (message: string): Buffer => {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const length = Buffer.alloc(4)
  length.writeInt32BE(fields.length + 4)
  return Buffer.concat([Buffer.from("E"), length, fields])
}

const connecting = (url: string) =>
  connect(Result.getOrThrow(postgresTargetOf(Redacted.make(url)))).then(
    (client) => client.end().then(() => "connected"),
    (cause: Error) => cause.message,
  )

const REFUSED = /the address of a connection pooler.*Name the database's own address/

describe.skipIf(installed === undefined)("a connection pooler", () => {
  it.live("that ignores what a connection is opened with is refused", () =>
    Effect.gen(function* () {
      const passing = yield* relay((message) => message)
      expect(yield* Effect.promise(() => connecting(passing))).toBe("connected")
      const losing = yield* relay((message) =>
        Buffer.from(
          message.toString("latin1").replace("vaulthouse.session=own", "vaulthouse.ignored=own"),
          "latin1",
        ),
      )
      expect(yield* Effect.promise(() => connecting(losing))).toMatch(REFUSED)
    }),
  )

  it.live("that rejects it is refused in the same words", () =>
    Effect.gen(function* () {
      const url = yield* relay((_, client) => {
        client.end(rejection("unsupported startup parameter: options"))
        return undefined
      })
      expect(yield* Effect.promise(() => connecting(url))).toMatch(REFUSED)
    }),
  )
})
