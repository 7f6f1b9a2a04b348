// Tells the figures of a description that move with every reading from what describes, by their names.
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
const settled = new Set(
  [
    "fee fees bps min max minimum maximum target limit cap tolerance duration period id",
    "name symbol address type url description",
  ].flatMap((line) => line.split(" ")),
)

/** When a figure was refreshed is none itself: it would make a version of figures that are the same. */
export const isMoving = (name: string): boolean =>
  !isReportTime(name) && hasWord(name, moving) && !hasWord(name, settled)

export interface Parted {
  readonly settled: JsonObject
  readonly moving: JsonObject
}

export const parted = (record: JsonObject): Parted => {
  const entries = Object.entries(record)
  return {
    settled: Object.fromEntries(entries.filter(([name]) => !isMoving(name))),
    moving: Object.fromEntries(entries.filter(([name]) => isMoving(name))),
  }
}
