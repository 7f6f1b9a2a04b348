// Separates the figures that change with every reading from the rest of a description, by their names.
import type { JsonObject } from "../../domain/json.ts"
import { hasWord } from "./fieldWords.ts"
import { isReportTime } from "./reportTimes.ts"

const moving = new Set(
  [
    "apy apys apr aprs yield yields tvl nav aum pnl price prices return returns",
    "performance metrics ratio utilization utilisation health balance balances supply",
    "assets liquidity holders depositors deposits latest last current snapshot updated",
    "calculated total",
  ].flatMap((line) => line.split(" ")),
)
const fixed = new Set(
  [
    "fee fees bps min max minimum maximum target limit cap tolerance duration period id",
    "name symbol address type url description",
  ].flatMap((line) => line.split(" ")),
)

/**
 * Whether a field changes with every reading. Report times are excluded: they would make new versions of equal figures.
 */
export const isMoving = (name: string): boolean =>
  !isReportTime(name) && hasWord(name, moving) && !hasWord(name, fixed)

interface Separated {
  readonly fixed: JsonObject
  readonly moving: JsonObject
}

export const separateMoving = (record: JsonObject): Separated => {
  const entries = Object.entries(record)
  return {
    fixed: Object.fromEntries(entries.filter(([name]) => !isMoving(name))),
    moving: Object.fromEntries(entries.filter(([name]) => isMoving(name))),
  }
}
