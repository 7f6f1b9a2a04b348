// The clock and the revisions: what moves when `now` does, and what a restatement touches.
import { describe, expect, it } from "vitest"
import { admin, closeSimulators, start, user, vaultsOf } from "./support.ts"

closeSimulators()

const points = async (bench: Awaited<ReturnType<typeof start>>, limit: number) => {
  const { full } = vaultsOf(bench)
  const path = `/platform/unrealized_pnl?vault=${full.address}&fields=ratio&limit=${limit}`
  const list: Array<{ timestamp: string; actual_tvl: number }> = (await bench.get(path)).json
  return new Map(list.map((point) => [point.timestamp, point.actual_tvl]))
}

describe("the clock", () => {
  it("lengthens history at its end and leaves the rest alone", async () => {
    const bench = await start()
    const before = await points(bench, 1000)
    const count = bench.simulator.truth.totals.apy
    bench.simulator.patch({ now: "2026-03-03T10:00:00Z" })
    const after = await points(bench, 1000)
    expect([...after.keys()][0]).toBe("2026-03-03T10:00:00Z")
    for (const [at, value] of after) expect(before.get(at) ?? value).toBe(value)
    // Two more days for each vault that is neither without history nor wound up.
    expect(bench.simulator.truth.totals.apy).toBe(count + 2 * 6)
    // Hours that were late are there once they are old enough.
    expect([...after.keys()].filter((at) => at < "2026-03-01T10").length).toBeGreaterThan(0)
    const missing = [...after.keys()].filter(
      (at) => at <= "2026-03-01T10:00:00Z" && !before.has(at),
    )
    expect(missing.length).toBeGreaterThan(1)
  })
})

describe("a revision", () => {
  it("restates 36 hours of ratio and brings the late ones", async () => {
    const bench = await start()
    const before = await points(bench, 100)
    bench.simulator.patch({ revision: 1 })
    const after = await points(bench, 100)
    const recent = "2026-02-27T22:00:00Z"
    for (const [at, value] of after) {
      expect(value === before.get(at)).toBe(at <= recent)
    }
    const late = [...after.keys()].filter((at) => at > recent && !before.has(at))
    expect(late.length).toBeGreaterThan(1)
  })

  it("restates five days of APY", async () => {
    const bench = await start()
    const { full } = vaultsOf(bench)
    const path = `/platform/historical_apy/chart?vault=${full.address}&applySmoothing=false&daysAgo=10`
    const before = (await bench.get(path)).json.values
    bench.simulator.patch({ revision: 1 })
    const after = (await bench.get(path)).json.values
    const changed = after.map((value: number, index: number) => value !== before[index])
    expect(changed).toEqual([...Array(5).fill(false), ...Array(5).fill(true)])
  })

  it("stays made when the clock moves on", async () => {
    const bench = await start()
    bench.simulator.patch({ revision: 1 })
    const revised = await points(bench, 30)
    bench.simulator.patch({ now: "2026-03-11T10:00:00Z" })
    const later = await points(bench, 1000)
    for (const [at, value] of revised) expect(later.get(at)).toBe(value)
  })
})

describe("the server caches of §8", () => {
  it("repeat a response, computed timestamps included, until they expire", async () => {
    const bench = await start()
    const sub = (await bench.get("/subaccount?limit=1", admin)).json[0].address
    const path = `/subaccount/${sub}/debank`
    const first = (await bench.get(path, user)).json
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await bench.get(path, user)).json).toEqual(first)
    bench.simulator.patch({ now: "2026-03-01T10:02:00Z" })
    expect((await bench.get(path, user)).json).toEqual(first)
    bench.simulator.patch({ now: "2026-03-01T10:20:00Z" })
    expect((await bench.get(path, user)).json.calculatedAt).not.toBe(first.calculatedAt)
    // The cache never gives one caller's response to another.
    const other = (await bench.get("/subaccount?limit=1&offset=1", admin)).json[0].address
    expect((await bench.get(`/subaccount/${other}/debank`, admin)).status).toBe(200)
    expect((await bench.get(`/subaccount/${other}/debank`, user)).status).toBe(403)
  })
})
