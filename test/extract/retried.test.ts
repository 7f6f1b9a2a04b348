// What a call that is tried again leaves for those who watch.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { unrealizedPnl } from "../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { startClient, turned } from "../support/client.ts"
import { json } from "../support/servers/scriptedServer.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"

const retries = Effect.map(Metric.snapshot, (all) =>
  all
    .filter(({ id }) => id === "vaulthouse_request_retries_total")
    .map(({ attributes, state }) => [attributes?.["endpoint"], state]),
)

it.effect("counts the attempts after the first, by endpoint", () =>
  Effect.gen(function* () {
    const { client } = yield* startClient((_, response, number) =>
      json(response, [], number < 3 ? 503 : 200),
    )
    yield* turned(client.call(unrealizedPnl, { vault }))
    expect(yield* retries).toEqual([["unrealized_pnl", { count: 2, incremental: true }]])
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())),
)
