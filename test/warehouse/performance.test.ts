// mart.vault_performance against plain TypeScript on series that fall, recover, break off and miss days, which a
// vault of the simulator does not.
import { afterAll, beforeAll, expect, it } from "vitest"
import { createMarts } from "../../src/load/marts.ts"
import { CATALOG } from "../../src/load/sql.ts"
import { type Days, deepestFall, returnOver, shifted, volatilityOver } from "./independent.ts"
import { openWarehouse, putGiven, readRows, tables, type TestWarehouse } from "./support.ts"

/** The same numbers each time, in [0, 1). */
const drawn = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const walk = (vault: number): Days => {
  const next = drawn(vault + 1)
  const length = [1, 2, 6, 7, 8, 29, 30, 31, 89, 90, 91, 150][vault % 12] ?? 1
  const isBroken = vault % 5 === 4
  // A third of them rest on some days: equal levels, equal falls.
  const rests = vault % 3 === 2
  const days = Array.from({ length }, (_, at) => {
    const apy = next() * 1.5 - 0.7
    const isMissing = isBroken && next() < 0.1 && at < length - 1
    return isMissing ? [] : [[shifted("2026-01-01", at), rests && next() < 0.4 ? 0 : apy] as const]
  })
  return new Map(days.flat())
}

const vaults = Array.from({ length: 60 }, (_, vault) => ({
  vault_address: `v${vault}`,
  apy: walk(vault),
}))

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
  await putGiven(warehouse.connection, {
    "core.vaults": vaults.map(({ vault_address }) => ({
      chain_id: 1,
      vault_address,
      is_current: true,
    })),
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
  await createMarts(warehouse.connection, CATALOG, tables)
})
afterAll(() => warehouse.close())

const performance = async () => {
  const rows = await readRows(
    warehouse.connection,
    `SELECT * FROM ${CATALOG}.mart.vault_performance`,
  )
  return new Map(rows.map((row) => [String(row["vault_address"]), row]))
}

it("the series fall, recover, stay below, and miss days", () => {
  const falls = vaults.map(({ apy }) => deepestFall(apy))
  expect(falls.filter((fall) => fall === undefined).length).toBeGreaterThan(0)
  expect(falls.filter((fall) => typeof fall?.recoveredOn === "string").length).toBeGreaterThan(5)
  expect(falls.filter((fall) => fall?.recoveredOn === null).length).toBeGreaterThan(5)
})

it("drawdowns have the depth and the dates that comparing every two days finds", async () => {
  const rows = await performance()
  for (const { vault_address, apy } of vaults) {
    const row = rows.get(vault_address)
    const fall = deepestFall(apy)
    expect(Number(row?.["max_drawdown"]), vault_address).toBeCloseTo(fall?.depth ?? 0, 12)
    expect(row, vault_address).toMatchObject({
      max_drawdown_peak_on: fall?.peakOn ?? null,
      max_drawdown_trough_on: fall?.troughOn ?? null,
      max_drawdown_recovered_on: fall?.recoveredOn ?? null,
    })
  }
})

it("returns and volatilities are there where every day is, and nowhere else", async () => {
  const rows = await performance()
  for (const { vault_address, apy } of vaults) {
    const row = rows.get(vault_address)
    const [first = "", last = ""] = [[...apy.keys()].at(0), [...apy.keys()].at(-1)]
    const span = (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1
    const expected = {
      return_1d: returnOver(apy, 1),
      return_7d: returnOver(apy, 7),
      return_30d: returnOver(apy, 30),
      return_90d: returnOver(apy, 90),
      return_since_start: returnOver(apy, span),
      volatility_30d: volatilityOver(apy, 30),
      volatility_90d: volatilityOver(apy, 90),
    }
    for (const [name, value] of Object.entries(expected)) {
      const found = row?.[name]
      if (value === undefined) expect(found, `${name} of ${vault_address}`).toBeNull()
      else expect(Number(found), `${name} of ${vault_address}`).toBeCloseTo(value, 11)
    }
    expect(row).toMatchObject({ days: apy.size, days_missing: span - apy.size })
  }
})
