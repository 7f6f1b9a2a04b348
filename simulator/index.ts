// Starts the simulator: an HTTP server whose options can be changed while it runs, and a small
// control plane under /_simulator for tests that live in another process.
import type { AddressInfo } from "node:net"
import type { Server, ServerResponse } from "node:http"
import type { HttpBindings } from "@hono/node-server"
import { createAdaptorServer } from "@hono/node-server"
import { Hono } from "hono"
import { makeWorld } from "./generate/world.ts"
import type { OptionsPatch, FixedOptions } from "./options.ts"
import { defaultOptions, mergeOptions } from "./options.ts"
import { makeApp } from "./serve/app.ts"
import { ServerCache } from "./serve/cache.ts"
import { FaultChooser } from "./serve/faults.ts"
import { TokenBucket } from "./serve/rate-limit.ts"
import type { RequestReport } from "./serve/request-log.ts"
import { RequestLog } from "./serve/request-log.ts"
import type { Truth } from "./truth.ts"
import { truthOf } from "./truth.ts"

export type { OptionsPatch, FixedOptions, SimulatorOptions } from "./options.ts"
export { defaultOptions, mergeOptions } from "./options.ts"
export type { Fault, FaultAction, FaultRule, RateLimit } from "./fault-types.ts"
export type { LoggedRequest, RequestReport } from "./serve/request-log.ts"
export type { Truth, VaultTruth } from "./truth.ts"
export { truthOf } from "./truth.ts"

export interface Simulator {
  /** Base address, without a slash at the end. */
  readonly url: string
  /** The current options. */
  readonly options: FixedOptions
  /** What a complete export must contain under these options. Computed when first read. */
  readonly truth: Truth
  readonly requests: () => RequestReport
  /** Changes some options of the running simulator. */
  readonly patch: (patch: OptionsPatch) => void
  readonly close: () => Promise<void>
}

export interface Listen {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free port. */
  readonly port?: number
  /** The milliseconds that the rate limit counts. Default: the machine's. */
  readonly monotonic?: () => number
}

/** Options that do not change which platform is simulated. */
const transientOptions = new Set(["now", "revision", "faults", "rateLimit", "latencyMs"])

export const startSimulator = async (
  given: OptionsPatch = {},
  listen: Listen = {},
): Promise<Simulator> => {
  const log = new RequestLog()
  let cache = new ServerCache()
  let options = mergeOptions(defaultOptions, given)
  let truth: Truth | undefined
  let clockSetAt = performance.now()
  // Whoever sets the platform's time need not have set that of the client, so responses have no date then.
  let isDated = (given.now ?? null) === null

  const serve = (faults: FaultChooser, bucket: TokenBucket | undefined) => {
    const world = makeWorld(options)
    const clock = (): number => Math.round(world.nowMs + performance.now() - clockSetAt)
    const serving = { world, log, cache, faults, bucket, clock }
    return { app: makeApp(serving), serving }
  }
  const chooser = (): FaultChooser => new FaultChooser(options.faults, options.seed)
  const bucket = () =>
    options.rateLimit === null ? undefined : new TokenBucket(options.rateLimit, listen.monotonic)
  let current = serve(chooser(), bucket())

  const patch = (change: OptionsPatch): void => {
    options = mergeOptions(options, change)
    truth = undefined
    if (change.now !== undefined) {
      clockSetAt = performance.now()
      isDated = false
    }
    // The server cache is kept when time or faults change, but not when the platform does.
    if (!Object.keys(change).every((name) => transientOptions.has(name))) cache = new ServerCache()
    // The counts of faults and the token bucket are reset only when their own option changes.
    current = serve(
      change.faults === undefined ? current.serving.faults : chooser(),
      change.rateLimit === undefined ? current.serving.bucket : bucket(),
    )
  }
  const currentTruth = (): Truth => (truth ??= truthOf(options))

  const outer = new Hono<{ Bindings: HttpBindings }>()
  outer.get("/_simulator/requests", (c) => c.json(log.report()))
  outer.get("/_simulator/options", (c) => c.json(options))
  outer.get("/_simulator/truth", (c) => c.json(currentTruth()))
  outer.patch("/_simulator/options", async (c) => {
    try {
      patch(await c.req.json<OptionsPatch>())
      return c.json(options)
    } catch (error) {
      return c.json({ detail: String(error) }, 400)
    }
  })
  outer.all("*", (c) => current.app.fetch(c.req.raw, c.env))

  // Test processes also run the client, whose global Request and Response must stay Node's own.
  const server = createAdaptorServer({
    fetch: outer.fetch,
    overrideGlobalObjects: false,
  }) as Server
  server.prependListener("request", (_, response: ServerResponse) => {
    response.sendDate = isDated
  })
  const host = listen.host ?? "127.0.0.1"
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(listen.port ?? 0, host, resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    get options() {
      return options
    },
    get truth() {
      return currentTruth()
    },
    requests: () => log.report(),
    patch,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        // Idle keep-alive and stalled connections would delay the close.
        server.closeAllConnections()
      }),
  }
}
