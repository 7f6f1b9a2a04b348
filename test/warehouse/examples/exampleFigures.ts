// The worked questions' figures a second time: from the service's own answers, in plain TypeScript.
import type { Json } from "@duckdb/node-api"
import { expect } from "vitest"
import { queriedAt, atFirst, secondNow } from "../../../demo/exampleWarehouse.ts"
import type { QueryParameter } from "../../../src/domain/values/queryParameter.ts"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import { allocationsOf, apyOf, get, pnlOf, ratioOf, stored } from "./exampleService.ts"
import {
  belowPar,
  changeOver,
  concentration,
  dailyBars,
  dayOf,
  deepestFall,
  ratioCloses,
  ratioLevels,
  type RatioPoint,
  returnOver,
  shifted,
  volatilityOver,
} from "../independent.ts"

type Row = Readonly<Record<string, Json>>
type Answer = (given?: Readonly<Record<string, QueryParameter>>) => Promise<ReadonlyArray<Row>>

/** Resolves to how many figures were compared. */
export type Check = (answer: Answer, simulator: Simulator) => Promise<number>

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)
const mean = (values: ReadonlyArray<number>) => sum(values) / values.length

/** Doubles worked out in another order differ in their last digits; what is not there is null. */
const near = (actual: Json | undefined, expected: number | undefined, what: string): number => {
  if (expected === undefined) expect(actual, what).toBeNull()
  else {
    const error = Math.abs(Number(actual) - expected)
    expect(error, `${what}: ${String(actual)}, not ${expected}`).toBeLessThanOrEqual(
      1e-9 * Math.max(1, Math.abs(expected)),
    )
  }
  return 1
}

/** The rows of one vault. */
const of = (rows: ReadonlyArray<Row>, address: string) =>
  rows.filter((row) => row["vault_address"] === address)
const vaultsOf = ({ truth }: Simulator) => truth.vaults
const hourOf = (timestamp: string) => `${timestamp.slice(0, 10)} ${timestamp.slice(11, 13)}:00:00`

/** Runs of consecutive hours below 1. */
const episodes = (points: ReadonlyArray<RatioPoint>) => {
  const found: Array<{ from: string; hours: number; low: number }> = []
  let before: RatioPoint | undefined
  for (const point of points) {
    const isBelow = point.adjusted_redeem_ratio < 1
    const last = found.at(-1)
    const goes =
      before !== undefined &&
      before.adjusted_redeem_ratio < 1 &&
      Date.parse(point.timestamp) - Date.parse(before.timestamp) === 3_600_000
    if (isBelow && goes && last !== undefined) {
      last.hours += 1
      last.low = Math.min(last.low, point.adjusted_redeem_ratio)
    } else if (isBelow) {
      found.push({ from: hourOf(point.timestamp), hours: 1, low: point.adjusted_redeem_ratio })
    }
    before = point
  }
  return found
}

const correlation = (pairs: ReadonlyArray<readonly [number, number]>) => {
  const [x, y] = [mean(pairs.map(([each]) => each)), mean(pairs.map(([, each]) => each))]
  const covariance = sum(pairs.map(([a, b]) => (a - x) * (b - y)))
  const spread = (at: 0 | 1, middle: number) =>
    Math.sqrt(sum(pairs.map((pair) => (pair[at] - middle) ** 2)))
  return covariance / (spread(0, x) * spread(1, y))
}

/** The same platform as it was at the first run: its history is a function of seed and time. */
const asItWas = async <A>(use: (simulator: Simulator) => Promise<A>): Promise<A> => {
  const simulator = await startSimulator(atFirst)
  try {
    return await use(simulator)
  } finally {
    await simulator.close()
  }
}

/** As the fees endpoint has them; of vaults it does not serve (§4.1), as their own page does. */
const feesOf = async (
  simulator: Simulator,
  { kind, address, chainId }: Simulator["truth"]["vaults"][number],
): Promise<Record<string, number>> => {
  if (kind === "evm") {
    return get<Record<string, number>>(simulator, `/platform/fees/${address}?chainId=${chainId}`)
  }
  const { feeStructure } = await get<{ readonly feeStructure: Record<string, number> }>(
    simulator,
    `/tokenized_vault/${address}`,
  )
  return {
    management_fee_pct: feeStructure["managementFeePct"] ?? NaN,
    performance_fee_pct: feeStructure["performanceFeePct"] ?? NaN,
  }
}

export const checkFigures: Readonly<Record<string, Check>> = {
  "net-apy-after-fees": async (answer, simulator) => {
    const rows = await answer()
    let compared = 0
    for (const vault of vaultsOf(simulator)) {
      const apy = [...(await apyOf(simulator, vault, false)).values()].slice(-30)
      const [row] = of(rows, stored(vault))
      if (apy.length === 0 || vault.status !== "active") continue
      compared += near(row?.["gross_apy"], mean(apy), vault.address)
      const { management_fee_pct, performance_fee_pct } = await feesOf(simulator, vault)
      const managed = mean(apy) - (management_fee_pct ?? NaN) / 100
      const net = managed > 0 ? managed * (1 - (performance_fee_pct ?? NaN) / 100) : managed
      compared += near(row?.["net_apy"], net, vault.address)
    }
    return compared
  },

  "drawdown-and-time-below-par": async (answer, simulator) => {
    const rows = await answer()
    let compared = 0
    for (const vault of vaultsOf(simulator)) {
      const ratio = await ratioOf(simulator, vault, secondNow)
      if (ratio.length === 0) continue
      const [row] = of(rows, stored(vault))
      const fall = deepestFall(ratioLevels(ratio))
      const par = belowPar(ratio)
      near(row?.["max_drawdown"], fall?.depth ?? 0, vault.address)
      near(row?.["share_of_hours_below_par"], par.below / par.hours, vault.address)
      expect(fall?.depth).toBeGreaterThan(0)
      expect(row).toMatchObject({ trough_at: fall?.troughAt ?? null, hours_below_par: par.below })
      compared += 3
    }
    return compared
  },

  "below-par-episodes": async (answer, simulator) => {
    const rows = await answer()
    let compared = 0
    for (const vault of vaultsOf(simulator)) {
      const expected = episodes(await ratioOf(simulator, vault, secondNow))
      const found = of(rows, stored(vault))
      expect(found.length).toBe(expected.length)
      for (const { from, hours, low } of expected) {
        const row = found.find(({ from_at }) => from_at === from)
        expect(row?.["hours"], from).toBe(String(hours))
        compared += near(row?.["deepest"], 1 - low, from)
      }
    }
    return compared
  },

  "smoothed-against-raw-apy": async (answer, simulator) => {
    const rows = await answer()
    let compared = 0
    for (const vault of vaultsOf(simulator)) {
      const [raw, smoothed] = [
        await apyOf(simulator, vault, false),
        await apyOf(simulator, vault, true),
      ]
      if (raw.size === 0) continue
      const differences = [...raw].flatMap(([day, value]) => (smoothed.get(day) ?? NaN) - value)
      const [row] = of(rows, stored(vault))
      compared += near(row?.["mean_difference"], mean(differences), vault.address)
      const widest = Math.max(...differences.map(Math.abs))
      compared += near(row?.["widest_difference"], widest, vault.address)
    }
    return compared
  },

  "yield-three-ways": async (answer, simulator) => {
    const rows = await answer()
    let compared = 0
    for (const vault of vaultsOf(simulator)) {
      const [raw, smoothed] = [
        await apyOf(simulator, vault, false),
        await apyOf(simulator, vault, true),
      ]
      const ratio = await ratioOf(simulator, vault, secondNow)
      const closes = dailyBars(ratio, (point) => point.adjusted_redeem_ratio)
      const closed = dailyBars(ratio, ({ timestamp }) => Date.parse(timestamp))
      for (const row of of(rows, stored(vault))) {
        const day = String(row["day"])
        const week = shifted(day, -7)
        const [close, before] = [closes.get(day)?.close, closes.get(week)?.close]
        const hours =
          ((closed.get(day)?.close ?? NaN) - (closed.get(week)?.close ?? NaN)) / 3_600_000
        const growth =
          close === undefined || before === undefined || Math.abs(hours - 7 * 24) > 7
            ? undefined
            : (close / before) ** ((365 * 24) / hours) - 1
        compared += near(row["apy_smoothed"], smoothed.get(day), `${vault.address} ${day}`)
        compared += near(row["apy_unsmoothed"], raw.get(day), `${vault.address} ${day}`)
        compared += near(row["apy_from_ratio"], growth, `${vault.address} ${day}`)
      }
    }
    return compared
  },

  "concentration-drift": async (answer, simulator) => {
    const rows = await answer()
    let compared = 0
    for (const vault of vaultsOf(simulator)) {
      const points = await allocationsOf(simulator, vault)
      const byDay = Map.groupBy(points, ({ date }) => date)
      const days = [...byDay].toSorted(([one], [other]) => (one < other ? -1 : 1))
      for (const [month, within] of Map.groupBy(days, ([date]) => date.slice(0, 7))) {
        const measures = within.map(([, each]) => concentration(each.map((one) => one.value_usd)))
        const [first, last] = [measures.at(0)?.hhi ?? NaN, measures.at(-1)?.hhi ?? NaN]
        const row = of(rows, stored(vault)).find((each) => each["month"] === `${month}-01`)
        near(row?.["hhi"], last, month)
        near(row?.["hhi_change"], last - first, month)
        compared += near(row?.["top_share"], measures.at(-1)?.top, month)
      }
    }
    return compared
  },

  "pnl-by-month": async (answer, simulator) => {
    const rows = await answer()
    let compared = 0
    // The service keeps the newest 1000 snapshots; the warehouse what either run was given.
    const kept = await asItWas((earlier) =>
      Promise.all(vaultsOf(simulator).map((vault) => pnlOf(earlier, vault))),
    )
    for (const [at, vault] of vaultsOf(simulator).entries()) {
      const newer = await pnlOf(simulator, vault)
      const oldest = newer.map(({ timestamp }) => timestamp).toSorted()[0] ?? "9"
      const older = (kept[at] ?? []).filter(({ timestamp }) => timestamp < oldest)
      const bars = [...dailyBars([...older, ...newer], (each) => each.unrealizedPnl)]
      for (const [month, within] of Map.groupBy(bars, ([day]) => day.slice(0, 7))) {
        const start = bars.findLast(([day]) => day < `${month}-01`)?.[1] ?? within[0]?.[1]
        const change = (within.at(-1)?.[1].close ?? NaN) - (start?.close ?? NaN)
        const row = of(rows, stored(vault)).find((each) => each["month"] === `${month}-01`)
        // A vault whose first day is the month's only one has no change at all.
        const isKnown = bars[0]?.[0] !== within.at(-1)?.[0]
        compared += near(row?.["pnl_usd_change"], isKnown ? change : undefined, month)
      }
    }
    return compared
  },

  "vault-against-vault": async (answer, simulator) => {
    const [vault, other] = [vaultsOf(simulator)[0], vaultsOf(simulator)[1]]
    if (vault === undefined || other === undefined) return 0
    const [one, two] = [await apyOf(simulator, vault, false), await apyOf(simulator, other, false)]
    const rows = await answer({ vault: stored(vault), other: stored(other) })
    let [index, otherIndex] = [1, 1]
    const common = [...one].filter(([day]) => two.has(day))
    expect(rows.map(({ day }) => day)).toEqual(common.map(([day]) => day))
    for (const [at, [day, apy]] of common.entries()) {
      index *= (1 + apy) ** (1 / 365)
      otherIndex *= (1 + (two.get(day) ?? NaN)) ** (1 / 365)
      near(rows[at]?.["lead"], index / otherIndex - 1, day)
    }
    return rows.length
  },

  "vault-correlations": async (answer, simulator) => {
    const changes = new Map<string, Map<string, number>>()
    for (const vault of vaultsOf(simulator)) {
      const ratio = await ratioOf(simulator, vault, secondNow)
      const bars = dailyBars(ratio, (point) => point.adjusted_redeem_ratio)
      const of90 = [...bars].flatMap(([day, { close }]): Array<[string, number]> => {
        const before = bars.get(shifted(day, -1))?.close
        const isRecent = day > shifted(dayOf(secondNow), -90)
        return before === undefined || !isRecent ? [] : [[day, close - before]]
      })
      changes.set(stored(vault), new Map(of90))
    }
    const rows = await answer()
    for (const row of rows) {
      const one = changes.get(String(row["vault_address"]))
      const two = changes.get(String(row["other_address"]))
      const pairs = [...(one ?? [])].flatMap(([day, change]): Array<[number, number]> => {
        const opposite = two?.get(day)
        return opposite === undefined ? [] : [[change, opposite]]
      })
      expect(row["days"]).toBe(String(pairs.length))
      const error = Math.abs(Number(row["correlation"]) - correlation(pairs))
      expect(error).toBeLessThan(1e-6)
    }
    return rows.length
  },

  "best-risk-adjusted": async (answer, simulator) => {
    const rows = await answer({ risk_free: 0.02 })
    let compared = 0
    for (const vault of vaultsOf(simulator)) {
      if (vault.status !== "active") continue
      const apy = await apyOf(simulator, vault, false)
      const closes = ratioCloses(await ratioOf(simulator, vault, secondNow))
      const [yielded, gained] = [returnOver(apy, 90), changeOver(closes, 90)]
      const volatility = volatilityOver(closes, 90)
      const sharpe =
        yielded === undefined || gained === undefined || volatility === undefined
          ? undefined
          : (((1 + yielded) * (1 + gained)) ** (365 / 90) - 1 - 0.02) / volatility
      compared += near(of(rows, stored(vault))[0]?.["sharpe"], sharpe, vault.address)
    }
    return compared
  },

  "exposure-to-a-protocol": async (answer, simulator) => {
    const points: Array<{ vault: string; protocol: string; value: number; day: string }> = []
    for (const vault of vaultsOf(simulator)) {
      const all = await allocationsOf(simulator, vault)
      const newest = all
        .map(({ date }) => date)
        .toSorted()
        .at(-1)
      // Ended: closed, and its figures have stopped.
      if (
        vault.status === "closed" &&
        newest !== undefined &&
        newest < shifted(dayOf(secondNow), -7)
      )
        continue
      for (const { date, protocol, value_usd } of all) {
        if (date === newest) {
          points.push({ vault: stored(vault), protocol, value: value_usd, day: date })
        }
      }
    }
    const rows = await answer()
    expect(rows.length).toBe(points.length)
    for (const { vault, protocol, value, day } of points) {
      const row = of(rows, vault).find((each) => each["protocol"] === protocol)
      const total = sum(points.filter((each) => each.protocol === protocol).map((p) => p.value))
      expect(row?.["allocation_on"]).toBe(day)
      near(row?.["value"], value, protocol)
      near(row?.["share_of_protocol"], value / total, protocol)
    }
    const one = await answer({ protocol: points[0]?.protocol.toUpperCase() ?? "" })
    expect(one).toEqual(rows.filter((row) => row["protocol"] === points[0]?.protocol))
    return points.length
  },

  "whales-in-the-queue": async (answer, simulator) => {
    const rows = await answer({ share: 0 })
    let compared = 0
    for (const vault of vaultsOf(simulator)) {
      const { pendingRequests } = await get<{
        pendingRequests: ReadonlyArray<Record<string, unknown>>
      }>(simulator, `/withdrawals/${vault.chainId}/${vault.address}`)
      const amounts = pendingRequests.map((request) => Number(request["amount"]))
      const found = of(rows, stored(vault))
      near(sum(found.map((row) => Number(row["amount"]))), sum(amounts), vault.address)
      if (found.length > 0) near(sum(found.map((row) => Number(row["share_of_queue"]))), 1, "all")
      compared += found.length
    }
    return compared
  },

  "otc-counterparties": async (answer, simulator) => {
    const margins = await get<ReadonlyArray<Record<string, string | number>>>(
      simulator,
      "/otc/margin_requirement",
    )
    const rows = await answer()
    const byCounterparty = Map.groupBy(margins, (each) => each["otcCounterpartyId"])
    for (const [counterparty, each] of byCounterparty) {
      const row = rows.find(({ counterparty_id }) => counterparty_id === counterparty)
      const required = each.map((one) => Number(one["requiredUsd"]))
      const posted = each.map((one) => Number(one["postedUsd"]))
      near(row?.["required"], sum(required), String(counterparty))
      near(row?.["coverage"], sum(posted) / sum(required), String(counterparty))
      const lacking = sum(required.map((value, at) => Math.max(value - (posted[at] ?? NaN), 0)))
      near(row?.["shortfall"], lacking, String(counterparty))
    }
    return byCounterparty.size
  },

  "known-at-an-instant": async (answer, simulator) => {
    const rows = await answer()
    const statuses = new Set(rows.map(({ status }) => status))
    // The service had left hours out, and restated others on the day between.
    expect(statuses).toEqual(new Set(["same", "revised", "came later"]))
    return asItWas(async (earlier) => {
      for (const vault of vaultsOf(simulator)) {
        const read = async (from: Simulator) =>
          new Map(
            (await ratioOf(from, vault, secondNow)).map((point) => [
              hourOf(point.timestamp),
              point.adjusted_redeem_ratio,
            ]),
          )
        const [then, now] = [await read(earlier), await read(simulator)]
        for (const row of of(rows, stored(vault))) {
          const hour = String(row["observed_at"])
          expect(row["collateral_ratio_now"], hour).toBe(now.get(hour))
          // What ran up to the second run was there for nobody at the first.
          expect(row["collateral_ratio_then"], hour).toBe(then.get(hour) ?? null)
        }
      }
      return rows.length
    })
  },

  "weekly-report": async (answer, simulator) => {
    const rows = await answer()
    const to = shifted(dayOf(queriedAt), -1)
    let compared = 0
    for (const vault of vaultsOf(simulator)) {
      const [row] = of(rows, stored(vault))
      if (row === undefined) continue
      const apy = [...(await apyOf(simulator, vault, false))].filter(([day]) => day <= to)
      const week = apy.filter(([day]) => day > shifted(to, -7))
      near(
        row["return_7d"],
        week.length === 7 ? returnOver(new Map(week), 7) : undefined,
        vault.address,
      )
      const ratio = await ratioOf(simulator, vault, secondNow)
      const lows = ratio
        .filter(({ timestamp }) => dayOf(timestamp) <= to && dayOf(timestamp) > shifted(to, -7))
        .map((point) => point.adjusted_redeem_ratio)
      compared += near(row["collateral_ratio_low"], Math.min(...lows), vault.address)
    }
    return compared
  },
}
