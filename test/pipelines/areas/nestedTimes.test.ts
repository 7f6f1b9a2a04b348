// A service that says inside its records when it looked: the times are kept, and make no versions.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const address = `0x${"ab".repeat(20)}`

it.live("clocks inside nested records make no version of a vault or its fees", () =>
  Effect.gen(function* () {
    let reading = 0
    const { url } = yield* scriptedServer((request, response) => {
      reading += 1
      const at = new Date(Date.UTC(2026, 0, reading)).toISOString()
      const oracle = { source: "x", checked_at: at }
      if (request.url.endsWith("status=closed")) json(response, [])
      else if (request.url.startsWith("/tokenized_vault")) {
        json(response, [{ address, chain: 1, vault_name: "A", risk: { level: "low", oracle } }])
      } else if (request.url.startsWith("/platform/fees/")) {
        json(response, { management_fee_pct: 1, performance_fee_pct: 10, oracle })
      } else json(response, { detail: "not here" }, 404)
    })
    const dataDir = yield* temporaryFolder
    const run = runOnce(url, dataDir, { pipelines: ["fees"] })
    expect((yield* run).summary.outcome).toBe("complete")
    const stored = query(
      dataDir,
      `select risk as stored, reported_times from core.vaults
       union all select extra, reported_times from core.fees order by stored`,
    )
    const first = yield* stored
    expect(first).toEqual([
      {
        stored: '{"level":"low","oracle":{"source":"x"}}',
        reported_times: expect.stringMatching(/^\{"risk\.oracle\.checked_at":"2026-01-0[123]T/),
      },
      {
        stored: '{"oracle":{"source":"x"}}',
        reported_times: '{"oracle.checked_at":"2026-01-03T00:00:00.000Z"}',
      },
    ])
    const again = (yield* run).summary
    expect(again).toMatchObject({ outcome: "complete", rowsInserted: 0, rowsRevised: 0 })
    expect(yield* stored).toEqual(first)
  }),
)
