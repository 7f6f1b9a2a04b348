// What the simulated service says, read whole and without src/: for figures worked out a second time.
import { expect } from "vitest"
import type { Simulator } from "../../../simulator/index.ts"
import {
  type AllocationPoint,
  apyDays,
  dayOf,
  type Days,
  type PnlSnapshot,
  type RatioPoint,
  shifted,
} from "../independent.ts"

export type SimulatedVault = Simulator["truth"]["vaults"][number]

export const get = async <A>(simulator: Simulator, path: string): Promise<A> => {
  const response = await fetch(`${simulator.url}${path}`, {
    headers: { "x-api-key": "demo-admin-key" },
  })
  expect(response.status, path).toBe(200)
  return (await response.json()) as A
}

/** As the warehouse spells it. */
export const stored = ({ address, kind }: SimulatedVault): string =>
  kind === "evm" ? address.toLowerCase() : address

/** All of a vault's hours up to a day, a month at a time. */
export const ratioOf = async (
  simulator: Simulator,
  { address }: SimulatedVault,
  lastDay: string,
): Promise<ReadonlyArray<RatioPoint>> => {
  const pages = await Promise.all(
    Array.from({ length: 5 }, (_, at) => {
      const last = shifted(dayOf(lastDay), -30 * at)
      const dates = `startDate=${shifted(last, -29)}&endDate=${last}`
      return get<ReadonlyArray<RatioPoint>>(
        simulator,
        `/platform/unrealized_pnl?vault=${address}&fields=ratio&${dates}`,
      )
    }),
  )
  return pages.flat().toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
}

export const pnlOf = (simulator: Simulator, { address }: SimulatedVault) =>
  get<ReadonlyArray<PnlSnapshot>>(simulator, `/platform/unrealized_pnl?vault=${address}`)

export const apyOf = async (
  simulator: Simulator,
  { address }: SimulatedVault,
  smoothing: boolean,
): Promise<Days> => {
  const { labels, values } = await get<{ labels: Array<string>; values: Array<number> }>(
    simulator,
    `/platform/historical_apy/chart?vault=${address}&daysAgo=-1&applySmoothing=${smoothing}`,
  )
  return apyDays(labels, values)
}

export const allocationsOf = async (
  simulator: Simulator,
  { address, chainId, kind }: SimulatedVault,
): Promise<ReadonlyArray<AllocationPoint>> =>
  kind === "evm"
    ? (
        await get<{ points: ReadonlyArray<AllocationPoint> }>(
          simulator,
          `/platform/historical_allocations/${address}?chainId=${chainId}`,
        )
      ).points
    : []
