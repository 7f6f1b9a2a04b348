// The scheduler's endpoints: who may read them.
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { serveEndpoints } from "../../../../src/cli/commands/schedule/endpoints.ts"

const endpoints = {
  notReady: Effect.succeed("the last run failed"),
  metrics: Effect.succeed("up 1\n"),
}

/** Unlike `fetch`, it sends any Host. */
const get = (url: string, headers: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const [response] = (await once(request(url, { headers }).end(), "response")) as [
      IncomingMessage,
    ]
    return { status: response.statusCode, body: await text(response) }
  })

const statuses = (url: string, headers: Readonly<Record<string, string>>) =>
  Effect.forEach(["/healthz", "/readyz", "/metrics"], (path) =>
    Effect.map(get(url + path, headers), ({ status }) => status),
  )

it.live("on a loopback address, no page of another site under any name of it", () =>
  Effect.gen(function* () {
    const url = yield* serveEndpoints("127.0.0.1:0", endpoints)
    const { port } = new URL(url)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "localhost"]) {
      expect(yield* statuses(url, { host })).toEqual([200, 503, 200])
    }
    const rebound = yield* get(`${url}/readyz`, { host: `evil.example:${port}` })
    expect([rebound.status, rebound.body]).toEqual([421, expect.stringContaining("--listen")])
    expect(rebound.body).not.toContain("the last run failed")
    expect(yield* statuses(url, { host: "evil.example" })).toEqual([421, 421, 421])
    for (const headers of [
      { origin: "http://evil.example" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    ]) {
      expect(yield* statuses(url, headers)).toEqual([403, 403, 403])
    }
  }).pipe(Effect.scoped),
)

it.live("on another address, the monitoring of other machines under any name", () =>
  Effect.gen(function* () {
    const { port } = new URL(yield* serveEndpoints("0.0.0.0:0", endpoints))
    const url = `http://127.0.0.1:${port}`
    expect(yield* statuses(url, { host: "vaults.example:9464" })).toEqual([200, 503, 200])
  }).pipe(Effect.scoped),
)
