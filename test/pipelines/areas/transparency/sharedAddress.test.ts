// An address that is a vault on two chains: its ratio, PnL and APY are those of the address, whichever vault it stands for.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ahead, fixedDay } from "../../../support/movableClock.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

const { now, live } = fixedDay("2026-06-01T12:30:00Z")
const HOUR = 3_600_000
const address = `0x${"1".repeat(40)}`

live("the same facts are unchanged when one of the vaults closes", () =>
  Effect.gen(function* () {
    let hours = 0
    const newest = () => Math.floor(now / HOUR) + hours
    const points = () =>
      Array.from({ length: 30 + hours }, (_, age) => ({
        timestamp: new Date((newest() - age) * HOUR).toISOString(),
        adjustedRedeemRatio: "1.01",
        actualTvl: "101",
        tvlOnVault: "100",
        unrealizedPnl: "1",
        unrealizedPnlInAsset: "1",
      }))
    const { url } = yield* scriptedServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url, "http://service")
      if (pathname === "/platform/unrealized_pnl") return json(response, points())
      if (pathname === "/platform/historical_apy/chart") {
        const days = Array.from({ length: 20 }, (_, at) => `2026-05-${11 + at}`)
        return json(response, { labels: days, values: days.map(() => 0.1) })
      }
      const status = String(searchParams.get("status"))
      const isClosed = (chain: number) => chain === 1 && hours > 0
      const listed = [1, 10].filter((chain) => isClosed(chain) === (status === "closed"))
      json(
        response,
        listed.map((chain) => ({ address, chain, status, name: `Vault ${chain}` })),
      )
    })
    const dataDir = yield* temporaryFolder
    const pipelines = ["vaults", "ratio_history", "pnl_history", "apy_history"]
    const syncAt = (later: number) => {
      hours = later
      return ahead(now - Date.now() + later * HOUR, runOnce(url, dataDir, { pipelines }))
    }
    const stands = query(dataDir, "select chain_id::int as chain from mart.vault_addresses")
    yield* syncAt(0)
    expect(yield* stands).toEqual([{ chain: 1 }])
    expect(yield* query(dataDir, "select count(*)::int as days from core.apy_history")).toEqual([
      { days: 40 },
    ])
    const { summary } = yield* syncAt(1)
    expect(yield* stands).toEqual([{ chain: 10 }])
    const changes = yield* query(
      dataDir,
      `select pipeline, sum(rows_inserted)::int as new, sum(rows_revised)::int as revised from ops.tasks
       where run_id = '${summary.runId}' and pipeline <> 'vaults' group by pipeline order by pipeline`,
    )
    expect(changes).toEqual([
      { pipeline: "apy_history", new: 0, revised: 0 },
      { pipeline: "pnl_history", new: 1, revised: 0 },
      { pipeline: "ratio_history", new: 1, revised: 0 },
    ])
  }),
)
