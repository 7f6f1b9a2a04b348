// The history series of §4.1: order, windows, limits, defaults, empty results.
import { describe, expect, it } from "vitest"
import type { Json } from "./support.ts"
import { closeSimulators, start, vaultsOf } from "./support.ts"

closeSimulators()

const bench = await start()
const { get } = bench
const { full, holed, empty, young, closed } = vaultsOf(bench)

const ratio = async (vault: string, rest = "") =>
  (await get(`/platform/unrealized_pnl?vault=${vault}&fields=ratio${rest}`)).json
const pnl = async (vault: string, rest = "") =>
  (await get(`/platform/unrealized_pnl?vault=${vault}${rest}`)).json
const chart = async (vault: string, rest = "") =>
  (await get(`/platform/historical_apy/chart?vault=${vault}${rest}`)).json
const times = (points: ReadonlyArray<{ timestamp: string }>) => points.map((at) => at.timestamp)

describe("ratio points", () => {
  it("come newest first, hourly, at most 1000 without a limit", async () => {
    const points = await ratio(full.address)
    expect(points).toHaveLength(1000)
    expect(points[0].timestamp).toBe("2026-03-01T10:00:00Z")
    expect(times(points)).toEqual(times(points).toSorted().toReversed())
    const { actual_tvl, tvl_on_vault, adjusted_redeem_ratio } = points[0]
    expect(adjusted_redeem_ratio).toBeCloseTo(actual_tvl / tvl_on_vault, 7)
  })

  it("keep the newest of a window that is too long, and say nothing", async () => {
    const points = await ratio(full.address, "&startDate=2025-06-01&endDate=2025-08-31")
    expect(points).toHaveLength(1000)
    expect(points[0].timestamp).toBe("2025-08-31T23:00:00Z")
    expect(await ratio(full.address, "&limit=5000")).toHaveLength(1000)
  })

  it("take both days of a window as included", async () => {
    const points = await ratio(full.address, "&startDate=2025-06-01&endDate=2025-06-02")
    expect(points).toHaveLength(48)
    expect(points.at(-1).timestamp).toBe("2025-06-01T00:00:00Z")
    expect(points[0].timestamp).toBe("2025-06-02T23:00:00Z")
  })

  it("are the same in every window and with every limit", async () => {
    const [one] = await ratio(full.address, "&startDate=2025-07-04&endDate=2025-07-04&limit=1")
    const many = await ratio(full.address, "&startDate=2025-06-20&endDate=2025-07-10")
    expect(many).toContainEqual(one)
  })

  it("are missing where the odd vaults have none", async () => {
    expect(await ratio(empty.address)).toEqual([])
    expect((await ratio(young.address)).length).toBeLessThanOrEqual(35)
    expect(young.ratio.oldest).toBe("2026-02-28T00:00:00Z")
    // The long hole is longer than a page: an empty page in the middle of history.
    expect(await ratio(holed.address, "&startDate=2025-10-06&endDate=2025-11-18")).toEqual([])
    expect((await ratio(holed.address, "&startDate=2025-09-01&endDate=2025-09-30")).length).toBe(
      720,
    )
    expect(Date.parse(closed.ratio.newest!)).toBeLessThan(Date.parse("2026-02-01"))
  })
})

describe("PnL snapshots", () => {
  it("have a limit of 1 to 1000, and 1000 without one", async () => {
    expect(await pnl(full.address)).toHaveLength(1000)
    expect(await pnl(full.address, "&limit=1")).toHaveLength(1)
    const refused = await Promise.all(
      ["0", "1001", "1.5", "x", ""].map((limit) =>
        get(`/platform/unrealized_pnl?vault=${full.address}&limit=${limit}`),
      ),
    )
    for (const { status, json } of refused) {
      expect(status).toBe(422)
      expect(json.detail[0].loc).toEqual(["query", "limit"])
    }
  })

  it("come newest first, every few hours on request", async () => {
    const six = await start({ pnlEveryHours: 6 })
    const { json } = await six.get(`/platform/unrealized_pnl?vault=${full.address}&limit=3`)
    expect(times(json)).toEqual([
      "2026-03-01T06:00:00Z",
      "2026-03-01T00:00:00Z",
      "2026-02-28T18:00:00Z",
    ])
    expect(await pnl(empty.address)).toEqual([])
  })
})

describe("the APY series", () => {
  it("is 30 days by default, oldest first, labelled M/D/YYYY", async () => {
    const { labels, values } = await chart(full.address)
    expect(labels).toHaveLength(30)
    expect(values).toHaveLength(30)
    expect(labels.at(-1)).toBe("3/1/2026")
    expect(labels[0]).toBe("1/31/2026")
    for (const value of values) expect(Math.abs(value)).toBeLessThan(1)
  })

  it("gives all of history for -1, and empty arrays where there is none", async () => {
    const all = await chart(full.address, "&daysAgo=-1")
    expect(all.labels).toHaveLength(366)
    expect(await chart(empty.address)).toEqual({ labels: [], values: [] })
    expect(await chart(closed.address)).toEqual({ labels: [], values: [] })
  })

  it("smooths spikes away, equally in every window", async () => {
    const raw = await chart(full.address, "&daysAgo=-1&applySmoothing=false")
    const smoothed = await chart(full.address, "&daysAgo=-1")
    expect(Math.max(...smoothed.values)).toBeLessThan(Math.max(...raw.values))
    const newest = await chart(full.address, "&daysAgo=3")
    expect(newest.values).toEqual(smoothed.values.slice(-3))
    const longer = await chart(full.address, "&daysAgo=3&averagingPeriodDays=30")
    expect(longer.values).not.toEqual(newest.values)
  })

  it("refuses an averaging period below 2 days", async () => {
    const path = `/platform/historical_apy/chart?vault=${full.address}&averagingPeriodDays=1`
    expect((await get(path)).status).toBe(422)
  })
})

describe("allocations and positions", () => {
  it("give one row per day and protocol, adding up to the whole", async () => {
    const path = `/platform/historical_allocations/${full.address}?chainId=${full.chainId}`
    const { json } = await get(`${path}&startDate=2025-06-01&endDate=2025-06-03`)
    const points: ReadonlyArray<{ date: string; allocation_pct: number }> = json.points
    const days = Map.groupBy(points, (point) => point.date)
    expect([...days.keys()]).toEqual(["2025-06-01", "2025-06-02", "2025-06-03"])
    for (const rows of days.values()) {
      expect(rows.reduce((sum, row) => sum + row.allocation_pct, 0)).toBeCloseTo(100, 2)
    }
  })

  it("agree with the ratio point of the snapshot's hour", async () => {
    const { json } = await get(`/platform/positions/${full.address}?chainId=${full.chainId}`)
    const [point] = await ratio(full.address, "&limit=1")
    expect(json.snapshot_at).toBe(point.timestamp)
    expect(json.total_nav).toBe(point.actual_tvl)
    const placed = json.subaccounts.reduce((sum: number, at: Json) => sum + at.total_usd, 0)
    expect(placed).toBeLessThan(json.total_nav)
  })
})
