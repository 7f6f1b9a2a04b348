// What the headers of a response say beside its body.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { unrealizedPnl } from "../../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { startClient } from "../../support/client.ts"
import { json } from "../../support/servers/scriptedServer.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
// So that the half second which a date lacks, on average, leaves whole seconds.
const NOW = Date.UTC(2026, 0, 31, 10) + 500

it.effect.each([
  ["an hour ahead", 3600, undefined, 3600],
  ["an hour behind", -3600, undefined, -3600],
  ["ten minutes old, which a cache has kept for as long", -600, "600", 0],
  ["of a cache that does not say for how long", -600, "a while", -600],
] as const)("finds how wrong the clock is by a date %s", ([, ahead, age, skew]) =>
  Effect.gen(function* () {
    const { client } = yield* startClient((_, response) => {
      response.setHeader("date", new Date(NOW + ahead * 1000).toUTCString())
      if (age !== undefined) response.setHeader("age", age)
      json(response, [])
    })
    yield* TestClock.setTime(NOW)
    yield* client.call(unrealizedPnl, { vault })
    expect(yield* client.clockSkewSeconds).toBe(skew)
  }),
)
