// What is missing inside the known range of a series: read from mart.completeness for `sync --fill-gaps`, and
// recorded as permanent once the service was asked again and still has nothing.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { findWarehouseFolder } from "../../load/warehouseFolder.ts"
import { formatDay, MICROS_PER_DAY } from "../../domain/time.ts"
import type { AskedVault } from "../../domain/vault.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import type { GapNote, HoleDay, Holes, RunContext } from "../Pipeline.ts"

export const MICROS_PER_HOUR = MICROS_PER_DAY / 24

interface Found {
  readonly chainId: number | null
  readonly series: string
  readonly slotMicros: number
  readonly days: Array<HoleDay>
}

/** Of a vault, by series. Needs the marts to be there. */
export const holesOf = Effect.fnUntraced(function* (
  warehouse: Warehouse["Service"],
  pipeline: string,
) {
  const file = join(findWarehouseFolder("gaps", import.meta.dirname), "holes.sql")
  const rows = yield* warehouse.rows(readFileSync(file, "utf8"), [pipeline])
  const byAddress = new Map<string, Array<Found>>()
  for (const row of rows) {
    const address = String(row["vault_address"])
    const series = String(row["series"])
    const chainId = row["chain_id"] === null ? null : Number(row["chain_id"])
    const ofAddress = byAddress.get(address) ?? []
    byAddress.set(address, ofAddress)
    let found = ofAddress.find((each) => each.series === series && each.chainId === chainId)
    if (found === undefined) {
      const slotMicros = row["period"] === "hour" ? MICROS_PER_HOUR : MICROS_PER_DAY
      found = { chainId, series, slotMicros, days: [] }
      ofAddress.push(found)
    }
    found.days.push({
      day: Number(row["day"]),
      present: Number(row["present"]),
      missing: (row["missing"] as ReadonlyArray<unknown>).map(Number),
    })
  }
  return ({ address, chainId }: AskedVault): ReadonlyMap<string, Holes> => {
    const ofAddress = byAddress.get(address) ?? []
    const ofVault = ofAddress.filter((each) => chainId === undefined || each.chainId === chainId)
    return new Map(ofVault.map(({ series, slotMicros, days }) => [series, { slotMicros, days }]))
  }
})

/** Holes of the days the run was asked for and `isOld` says it does not read anyway. */
export const holesToFill = (
  holes: Holes | undefined,
  { since, until, full }: RunContext,
  isOld: (day: number) => boolean,
): Holes | undefined =>
  holes === undefined || full
    ? undefined
    : {
        ...holes,
        days: holes.days.map((each) =>
          isOld(each.day) && each.day >= (since ?? -Infinity) && each.day <= (until ?? Infinity)
            ? each
            : { ...each, missing: [] },
        ),
      }

/** Hours or days, as the microsecond they start at. */
export const missingSlots = (holes: Holes | undefined): ReadonlyArray<number> =>
  holes?.days.flatMap(({ missing }) => missing) ?? []

/** One permanent gap for each run of slots without a break. */
export const givenUp = (
  slots: ReadonlyArray<number>,
  { slotMicros }: Holes,
  { today }: RunContext,
  why = "asked for again and still not served",
): ReadonlyArray<GapNote> => {
  const runs: Array<{ fromAt: number; toAt: number }> = []
  for (const slot of slots.toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last !== undefined && last.toAt + 1 === slot) last.toAt = slot + slotMicros - 1
    else runs.push({ fromAt: slot, toAt: slot + slotMicros - 1 })
  }
  return runs.map((run) => ({
    ...run,
    reason: "unreachable",
    state: "permanent",
    detail: `${why}, on ${formatDay(today)}`,
  }))
}
