// Paging over HTTP yields the stated truth.
import { describe, expect, it } from "vitest"
import type { VaultTruth } from "../../simulator/index.ts"
import type { Json } from "./support.ts"
import { closeSimulators, start } from "./support.ts"

closeSimulators()

const bench = await start({ vaults: 10, days: 200 })
const { truth } = bench.simulator

type Points = ReadonlyArray<Record<string, number> & { timestamp: string }>

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const sumOf = (points: Points, field: string): number =>
  points.reduce((total, point) => total + point[field]!, 0)
const near = (actual: number, expected: number): void =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-9)

const dayMs = 86_400_000
const windowDays = 40
const windows = Array.from(
  { length: 6 },
  (_, index) => Date.parse("2025-08-01") + index * windowDays * dayMs,
)

/** All of a vault's ratio points, oldest first, window by window. */
const allRatio = async ({ address }: VaultTruth): Promise<Points> => {
  const pages = await Promise.all(
    windows.map(async (from) => {
      const days = `&startDate=${isoDay(from)}&endDate=${isoDay(from + (windowDays - 1) * dayMs)}`
      const path = `/platform/unrealized_pnl?vault=${address}&fields=ratio${days}`
      return (await bench.get(path)).json.toReversed() as Points
    }),
  )
  return pages.flat()
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

  it("PnL snapshots", async () => {
    const pnl = (await bench.get(`/platform/unrealized_pnl?vault=${vault.address}`)).json
    expect(pnl).toHaveLength(vault.pnl.reachable.n)
    near(sumOf(pnl, "unrealizedPnl"), vault.pnl.reachable.unrealizedPnl)
    near(sumOf(pnl, "unrealizedPnlInAsset"), vault.pnl.reachable.unrealizedPnlInAsset)
  })

  it.each(["raw", "smoothed"] as const)("%s APY", async (form) => {
    const query = `vault=${vault.address}&daysAgo=-1&applySmoothing=${form === "smoothed"}`
    const { values } = (await bench.get(`/platform/historical_apy/chart?${query}`)).json
    expect(values).toHaveLength(vault.apy[form].n)
    near(
      values.reduce((sum: number, value: number) => sum + value, 0),
      vault.apy[form].sum,
    )
  })

  it("allocations", async () => {
    const path = `/platform/historical_allocations/${vault.address}?chainId=${vault.chainId}`
    const { status, json } = await bench.get(path)
    expect(status).toBe(vault.kind === "evm" ? 200 : 422)
    const points = status === 200 ? json.points : []
    expect(points).toHaveLength(vault.allocations.n)
    near(sumOf(points, "value_usd"), vault.allocations.sum)
  })
})

describe("the whole", () => {
  it("adds up, and lists the directory as the service does", async () => {
    const listed = (await bench.get("/tokenized_vault")).json
    expect(
      listed.map(({ address, chainId, status }: Json) => ({ address, chainId, status })),
    ).toEqual(truth.vaults.map(({ address, chainId, status }) => ({ address, chainId, status })))
    const closed = (await bench.get("/tokenized_vault?status=closed")).json
    expect(closed).toHaveLength(truth.vaults.filter((vault) => vault.status === "closed").length)
    expect(truth.totals.ratio).toBe(truth.vaults.reduce((sum, vault) => sum + vault.ratio.n, 0))
    expect((await bench.get("/_simulator/truth")).json).toEqual(truth)
  })
})
