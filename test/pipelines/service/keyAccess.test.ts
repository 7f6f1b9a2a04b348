// What a key opens, at a service that lists nothing.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaultWire } from "../../../src/extract/request.ts"
import { keyAccess } from "../../../src/pipelines/service/keyAccess.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"

it.live("an endpoint of something that no list has is not checked, and why", () =>
  Effect.gen(function* () {
    const { url } = yield* scriptedServer((_, response) => json(response, []))
    const api = {
      baseUrl: url,
      apiKey: Redacted.make("demo-admin-key"),
      wire: defaultWire,
      requestTimeoutSeconds: 60,
      retryBudgetSeconds: 3600,
      maxResponseMegabytes: 10,
    }
    const table = yield* keyAccess({ api, pace: {} }, { slow: false })
    const unchecked = table.filter(({ access }) => access === "not checked")
    const details = new Set(unchecked.map(({ detail }) => detail))
    for (const subject of ["vault", "subaccount", "loan"]) {
      expect(details).toContain(`no ${subject} is known`)
    }
  }).pipe(Effect.scoped),
)
