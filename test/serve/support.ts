// A server of a synced data directory, and requests to it as a browser or a script sends them.
import { once } from "node:events"
import { join } from "node:path"
import { type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { serve, type ServeOptions } from "../../src/serve/server.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { runOnce } from "../support/warehouseRun.ts"

/** A small data directory with a published copy; call it once a file. */
export const smallWarehouse = () =>
  sharedWarehouse((dataDir) =>
    Effect.gen(function* () {
      const { url } = yield* simulated({ vaults: 1, days: 2, now: "2026-06-01T12:00:00Z" })
      const pipelines = ["vaults", "ratio_history"]
      yield* runOnce(url, dataDir, { api: asAdmin, pipelines, publish: { parquet: undefined } })
    }),
  )

export const token = "a token of twenty characters"

/** Its URL; lives as long as the scope. No query ends by its limit of time, unless `options` set one. */
export const startServer = (
  dataDir: string,
  options: Partial<ServeOptions> & { readonly withToken?: boolean } = {},
) =>
  serve({
    dataDir,
    fields: {},
    memoryLimit: "500MB",
    diskLimit: "1GB",
    port: 0,
    limits: { seconds: 600, rows: 1000 },
    version: "test",
    docs: join(import.meta.dirname, "../../docs"),
    access: {
      host: "127.0.0.1",
      allowedHosts: [],
      token: options.withToken === true ? Redacted.make(token) : undefined,
    },
    ...options,
  })

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** Unlike `fetch`, it sends any Host. */
export const get = (
  url: string,
  headers: Readonly<Record<string, string>> = {},
  { method = "GET", body = "" } = {},
): Effect.Effect<Reply> =>
  Effect.promise(async () => {
    const sent = request(url, { headers, method }).end(body)
    const [response] = (await once(sent, "response")) as [IncomingMessage]
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await text(response),
    }
  })

export const queryUrl = (url: string, sql: string, format = "json"): string =>
  `${url}/api/query?${new URLSearchParams({ format, q: sql }).toString()}`
