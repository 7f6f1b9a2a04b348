// mart.vault_performance against plain TypeScript on ratios that fall, recover, break off and miss days, which a
// vault of the simulator does not.
import { afterAll, beforeAll, expect, it } from "vitest"
import { CATALOG } from "../../src/load/sql/sql.ts"
import {
  changeOver,
  type Days,
  deepestFall,
  returnOver,
  shifted,
  volatilityOver,
} from "./independent.ts"
import { openWarehouse, putGiven, readRows, type TestWarehouse } from "./support.ts"

/** The same numbers each time, in [0, 1). */
const drawn = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const lengths = [1, 2, 6, 7, 8, 29, 30, 31, 89, 90, 91, 150]

/** Three points a day. Some vaults miss days, others rest at a level for a while. */
const randomSeries = (vault: number): ReadonlyArray<readonly [at: string, ratio: number]> => {
  const next = drawn(vault + 1)
  const rests = vault % 3 === 2
  let ratio = 1
  return Array.from({ length: lengths[vault % 12] ?? 1 }, (_, at) =>
    shifted("2026-01-01", at),
  ).flatMap((day) => {
    const isMissing = vault % 5 === 4 && next() < 0.1
    return ["03", "11", "19"].flatMap((hour) => {
      if (!(rests && next() < 0.4)) ratio = Math.round(ratio * (0.98 + next() * 0.0405) * 1e6) / 1e6
      return isMissing ? [] : [[`${day} ${hour}:00:00`, ratio] as const]
    })
  })
}

const vaults = Array.from({ length: 60 }, (_, vault) => {
  const points = randomSeries(vault)
  const closes: Days = new Map(points.map(([at, ratio]) => [at.slice(0, 10), ratio]))
  const apy: Days = new Map([...closes].map(([day, ratio]) => [day, ratio - 0.9]))
  return { vault_address: `v${vault}`, points, closes, apy }
})

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
  await putGiven(warehouse.connection, {
    "core.vaults": vaults.map(({ vault_address }) => ({
      chain_id: 1,
      vault_address,
      is_current: true,
    })),
    "core.ratio_history": vaults.flatMap(({ vault_address, points }) =>
      points.map(([observed_at, adjusted_redeem_ratio]) => ({
        vault_address,
        observed_at,
        adjusted_redeem_ratio,
      })),
    ),
    "core.apy_history": vaults.flatMap(({ vault_address, apy }) =>
      [...apy].map(([date, value]) => ({
        vault_address,
        date,
        is_smoothed: false,
        averaging_period_days: 7,
        apy: value,
      })),
    ),
  })
})
afterAll(() => warehouse.close())

const performance = async () => {
  const rows = await readRows(
    warehouse.connection,
    `SELECT * FROM ${CATALOG}.mart.vault_performance`,
  )
  return new Map(rows.map((row) => [String(row["vault_address"]), row]))
}

it("the ratios fall, recover, stay below, and miss days", () => {
  const falls = vaults.map(({ points }) => deepestFall(points))
  expect(falls.filter((fall) => fall === undefined).length).toBeGreaterThan(0)
  expect(falls.filter((fall) => typeof fall?.recoveredAt === "string").length).toBeGreaterThan(5)
  expect(falls.filter((fall) => fall?.recoveredAt === null).length).toBeGreaterThan(5)
})

it("drawdowns have the depth and the times that comparing every two points finds", async () => {
  const rows = await performance()
  for (const { vault_address, points } of vaults) {
    const row = rows.get(vault_address)
    const fall = deepestFall(points)
    const depth = points.length === 0 ? null : expect.closeTo(fall?.depth ?? 0, 11)
    expect(row, vault_address).toMatchObject({
      max_drawdown: depth,
      max_drawdown_peak_at: fall?.peakAt ?? null,
      max_drawdown_trough_at: fall?.troughAt ?? null,
      max_drawdown_recovered_at: fall?.recoveredAt ?? null,
    })
  }
})

it("returns and volatilities are there where the days they need are, and nowhere else", async () => {
  const rows = await performance()
  for (const { vault_address, closes, apy } of vaults) {
    const row = rows.get(vault_address)
    const [first = "", last = ""] = [[...closes.keys()].at(0), [...closes.keys()].at(-1)]
    const span = closes.size === 0 ? 0 : (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1
    const expected = {
      return_1d: changeOver(closes, 1),
      return_7d: changeOver(closes, 7),
      return_30d: changeOver(closes, 30),
      return_90d: changeOver(closes, 90),
      return_since_start: changeOver(closes, span - 1),
      volatility_30d: volatilityOver(closes, 30),
      volatility_90d: volatilityOver(closes, 90),
      apy_return_1d: returnOver(apy, 1),
      apy_return_7d: returnOver(apy, 7),
      apy_return_30d: returnOver(apy, 30),
      apy_return_90d: returnOver(apy, 90),
      apy_return_since_start: returnOver(apy, span),
    }
    for (const [name, value] of Object.entries(expected)) {
      const found = row?.[name]
      if (value === undefined) expect(found, `${name} of ${vault_address}`).toBeNull()
      else expect(Number(found), `${name} of ${vault_address}`).toBeCloseTo(value, 10)
    }
    const hasAll = expected.return_90d !== undefined && expected.volatility_90d !== undefined
    expect(row?.["missing_reason"] === null, vault_address).toBe(hasAll)
    if (closes.size > 0) {
      expect(row).toMatchObject({ days: closes.size, days_missing: span - closes.size })
    }
  }
})

it("the daily series ends with the figures of vault_performance, and has those of each day before", async () => {
  const rows = await readRows(
    warehouse.connection,
    `SELECT vault_address, day::VARCHAR AS day, return_1d, apy_return_1d, volatility_30d, volatility_90d
     FROM ${CATALOG}.mart.vault_returns`,
  )
  const series = new Map(
    rows.map((row) => [`${String(row["vault_address"])} ${String(row["day"])}`, row]),
  )
  for (const { vault_address, closes, apy } of vaults) {
    const days = [...closes.keys()]
    for (const [at, day] of days.entries()) {
      const upTo: Days = new Map([...closes].slice(0, at + 1))
      const expected = {
        return_1d: changeOver(upTo, 1),
        apy_return_1d: returnOver(new Map([[day, apy.get(day) ?? 0]]), 1),
        volatility_30d: volatilityOver(upTo, 30),
        volatility_90d: volatilityOver(upTo, 90),
      }
      for (const [name, value] of Object.entries(expected)) {
        const found = series.get(`${vault_address} ${day}`)?.[name]
        if (value === undefined) expect(found, `${name} of ${vault_address} on ${day}`).toBeNull()
        else expect(Number(found), `${name} of ${vault_address} on ${day}`).toBeCloseTo(value, 10)
      }
    }
  }
})
