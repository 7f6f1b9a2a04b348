// The rows behind a figure of a mart, of a whole run against a service.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { openPublishedCopy } from "../../../../src/pipelines/readers/openPublishedCopy.ts"
import { trace } from "../../../../src/pipelines/readers/trace/trace.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { runOnce } from "../../../support/warehouseRun.ts"

it.live(
  "an active loan is found by the chain of its token, be it only on the loan's own page",
  () =>
    Effect.gen(function* () {
      const [loan, repaid, lender, token] = ["01", "02", "03", "04"].map(
        (byte) => `0x${byte.repeat(20)}`,
      )
      const active = { address: loan, chain: 1, state: "ACTIVE", lender, principal: 100 }
      const listed = [active, { ...active, address: repaid, state: "REPAID", principal: 7 }]
      const service = yield* scriptedServer(({ url }, response) =>
        json(
          response,
          url.startsWith("/dashboard/loans")
            ? listed.map((each) => ({ ...each, principal_token: { address: token } }))
            : {
                ...listed.find(({ address }) => address !== undefined && url.includes(address)),
                principal_token: { address: token, chain: 42161 },
              },
        ),
      )
      const dataDir = yield* temporaryFolder
      yield* runOnce(service.url, dataDir, {
        api: { apiKey: Redacted.make("key") },
        pipelines: ["loans", "loan_details"],
        publish: { parquet: undefined },
      })
      const copy = yield* openPublishedCopy(dataDir)
      const key = { token_id: `42161:${token}` }
      for (const [table, column, rest] of [
        ["loan_utilisation", "lent_amount", {}],
        ["loan_maturities", "principal_amount", { place: "8" }],
      ] as const) {
        const found = yield* trace(
          copy,
          { dataDir },
          {
            table,
            column,
            key: { ...key, ...rest },
            vault: undefined,
            moment: undefined,
            named: (name) => name,
            maxRows: 5,
            withBody: false,
          },
        )
        expect(found).toMatchObject({
          values: { [column]: 100 },
          origins: [{ table: "core.loans", facts: [{ values: { principal_amount: 100 } }] }],
        })
      }
    }).pipe(Effect.scoped),
)
