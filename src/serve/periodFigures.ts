// Reads the figures of every vault over a period, from mart.vault_period, and its line of collateral ratios.
import * as Effect from "effect/Effect"
import { MILLIS_PER_DAY, parseDay } from "../domain/values/time.ts"
import { type PublishedCopy, sqlFile } from "../pipelines/readers/published.ts"
import type { Row } from "./html/columns.ts"
import type { Days } from "./periods/period.ts"
import { keyOf } from "./vaults.ts"

/** The figures of a vault: a row of mart.vault_period. */
export interface VaultPeriod extends Row {
  /** Closes of its collateral ratio at even distances, null where there is none. */
  readonly ratios: ReadonlyArray<number | null>
}

// About as many as a small chart has pixels.
const MAX_RATIOS = 120

/** By the key of the vault. */
export const readPeriodFigures = (copy: PublishedCopy, { from, to }: Days) => {
  const days = (Date.parse(to) - Date.parse(from)) / MILLIS_PER_DAY + 1
  const step = Math.ceil(days / MAX_RATIOS)
  return Effect.map(
    copy.rows(sqlFile("serve", "period_figures"), {
      from_day: { day: parseDay(from) ?? 0 },
      to_day: { day: parseDay(to) ?? 0 },
      step_days: step,
    }),
    (rows) =>
      new Map(
        rows.map(({ places, closes, ...row }): readonly [string, VaultPeriod] => [
          keyOf(row),
          { ...row, ratios: placed(places, closes, Math.ceil(days / step)) },
        ]),
      ),
  )
}

const placed = (places: unknown, closes: unknown, length: number): VaultPeriod["ratios"] => {
  const all = Array.from({ length }, (): number | null => null)
  if (Array.isArray(places) && Array.isArray(closes)) {
    for (const [at, place] of places.entries()) all[Number(place)] = Number(closes[at])
  }
  return all
}
