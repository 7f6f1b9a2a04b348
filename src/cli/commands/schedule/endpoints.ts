// The HTTP endpoints of a scheduler: /healthz, /readyz and /metrics.
import * as Effect from "effect/Effect"
import { Hono } from "hono"
import type { UsageError } from "../../../domain/UsageError.ts"
import { isLoopback } from "../../../domain/values/loopback.ts"
import { ownNameOnly } from "../../../serve/access.ts"
import { listen } from "../../../serve/listen.ts"
import { wrongUse } from "../../parse/errors.ts"
import { listenProblem } from "../../execute/listening.ts"

export interface Endpoints {
  /** Why the scheduler is not ready; absent when its last run ended well. */
  readonly notReady: Effect.Effect<string | undefined>
  readonly metrics: Effect.Effect<string>
}

/** Listens on `address:port` until the scope closes; returns the URL. */
export const serveEndpoints = (where: string, { notReady, metrics }: Endpoints) =>
  Effect.gen(function* () {
    const { host, port } = yield* parseListen(where)
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    const app = new Hono()
    // Who listens on another address means other machines to connect, under names that are not known here.
    if (isLoopback(host)) {
      const access = { host, allowedHosts: [], token: undefined }
      app.use(ownNameOnly(access, "Another address after --listen takes requests under any name."))
    }
    app.get("/healthz", (c) => c.json({ status: "ok" }))
    app.get("/readyz", async (c) => {
      const reason = await run(notReady)
      return reason === undefined
        ? c.json({ status: "ready" })
        : c.json({ status: "not ready", reason }, 503)
    })
    app.get("/metrics", async (c) => {
      c.header("content-type", "text/plain; version=0.0.4; charset=utf-8")
      return c.body(await run(metrics))
    })
    return yield* Effect.mapError(listen(app, host, port), (error) =>
      listenProblem(error, host, port, ADVICE),
    )
  })

const ADVICE = "Choose another address or port with --listen, or `--listen off`."

const parseListen = (
  where: string,
): Effect.Effect<{ readonly host: string; readonly port: number }, UsageError> => {
  const [, host = "", digits = ""] = /^(?:\[?([^\]]+?)\]?:)?(\d{1,5})$/.exec(where) ?? []
  const port = Number(digits)
  return digits !== "" && port <= 65_535
    ? Effect.succeed({ host: host === "" ? "127.0.0.1" : host, port })
    : wrongUse(
        `--listen ${where} is not an address and a port such as 127.0.0.1:9464.`,
        "A port alone listens on 127.0.0.1; `--listen off` has no endpoints.",
      )
}
