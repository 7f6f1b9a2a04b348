// What one attempt of a call learns beside its value.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { unrealizedPnl } from "../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { startClient } from "../support/client.ts"
import { json } from "../support/servers/scriptedServer.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
// So that the half second which a date lacks, on average, leaves whole seconds.
const NOW = Date.UTC(2026, 0, 31, 10) + 500

it.effect("takes the clock for wrong by what two responses in a row agree on", () =>
  Effect.gen(function* () {
    const ahead = [3600, 0, 7200, 1800, -60]
    const { client } = yield* startClient((_, response, number) => {
      response.setHeader("date", new Date(NOW + (ahead[number - 1] ?? 0) * 1000).toUTCString())
      json(response, [])
    })
    yield* TestClock.setTime(NOW)
    const found: Array<number | undefined> = [yield* client.clockSkewSeconds]
    for (const _ of ahead) {
      yield* client.call(unrealizedPnl, { vault })
      found.push(yield* client.clockSkewSeconds)
    }
    expect(found).toEqual([undefined, 3600, 0, 0, 1800, -60])
  }),
)
