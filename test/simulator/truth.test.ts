// The stated truth is what paging over HTTP yields.
import { describe, expect, it } from "vitest"
import type { VaultTruth } from "../../simulator/index.ts"
import { start } from "./support.ts"

const bench = await start({ vaults: 10, days: 200 })
const { truth } = bench.simulator

type Points = ReadonlyArray<Record<string, number> & { timestamp: string }>

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const sumOf = (points: Points, field: string): number =>
  points.reduce((total, point) => total + point[field]!, 0)
const near = (actual: number, expected: number): void =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-9)

const allRatio = async ({ address }: VaultTruth): Promise<Points> => {
  const points: Array<Points[number]> = []
  const windowMs = 40 * 86_400_000
  for (let from = Date.parse("2025-08-01"); from < Date.parse("2026-03-02"); from += windowMs) {
    const days = `&startDate=${isoDay(from)}&endDate=${isoDay(from + windowMs - 86_400_000)}`
    const path = `/platform/unrealized_pnl?vault=${address}&fields=ratio${days}`
    points.push(...(await bench.get(path)).json.toReversed())
  }
  return points
}

describe.each(truth.vaults)("vault $index ($kind, $status)", (vault) => {
  it("ratio history", async () => {
    const points = await allRatio(vault)
    expect(points).toHaveLength(vault.ratio.n)
    expect(points[0]?.timestamp ?? null).toBe(vault.ratio.oldest)
    expect(points.at(-1)?.timestamp ?? null).toBe(vault.ratio.newest)
    near(sumOf(points, "actual_tvl"), vault.ratio.actualTvl)
    near(sumOf(points, "tvl_on_vault"), vault.ratio.tvlOnVault)
    near(sumOf(points, "adjusted_redeem_ratio"), vault.ratio.adjustedRedeemRatio)
  })

  it("PnL, APY, allocations", async () => {
    const pnl = (await bench.get(`/platform/unrealized_pnl?vault=${vault.address}`)).json
    expect(pnl).toHaveLength(vault.pnl.reachable.n)
    near(sumOf(pnl, "unrealizedPnl"), vault.pnl.reachable.unrealizedPnl)
    near(sumOf(pnl, "unrealizedPnlInAsset"), vault.pnl.reachable.unrealizedPnlInAsset)
    for (const smoothing of [true, false]) {
      const query = `vault=${vault.address}&daysAgo=-1&applySmoothing=${smoothing}`
      const { values } = (await bench.get(`/platform/historical_apy/chart?${query}`)).json
      const expected = smoothing ? vault.apy.smoothed : vault.apy.raw
      expect(values).toHaveLength(expected.n)
      near(
        values.reduce((sum: number, value: number) => sum + value, 0),
        expected.sum,
      )
    }
    const path = `/platform/historical_allocations/${vault.address}?chainId=${vault.chainId}`
    const { status, json } = await bench.get(path)
    expect(status).toBe(vault.kind === "evm" ? 200 : 422)
    const points = status === 200 ? json.points : []
    expect(points).toHaveLength(vault.allocations.n)
    near(sumOf(points, "value_usd"), vault.allocations.sum)
  })
})

describe("the whole", () => {
  it("adds up, and lists the directory as it is served", async () => {
    const listed = (await bench.get("/tokenized_vault")).json
    expect(
      listed.map(({ address, chainId, status }: any) => ({ address, chainId, status })),
    ).toEqual(truth.vaults.map(({ address, chainId, status }) => ({ address, chainId, status })))
    const closed = (await bench.get("/tokenized_vault?status=closed")).json
    expect(closed).toHaveLength(truth.vaults.filter((vault) => vault.status === "closed").length)
    expect(truth.totals.ratio).toBe(truth.vaults.reduce((sum, vault) => sum + vault.ratio.n, 0))
    expect((await bench.get("/_simulator/truth")).json).toEqual(truth)
  })
})
