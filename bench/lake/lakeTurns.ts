// Notes when this process holds the lock of a lake's writers: NODE_OPTIONS="--import …/lakeTurns.ts" TURNS=FILE
import { appendFileSync } from "node:fs"
import { Catalog } from "../../src/load/storage/lake/Catalog.ts"

export interface HeldTurn {
  readonly process: number
  /** Milliseconds since 1970. */
  readonly askedAt: number
  readonly from: number
  readonly to: number
}

const turns: Array<HeldTurn> = []

// oxlint-disable-next-line typescript/unbound-method -- called with its own `this`
const { exclusively } = Catalog.prototype
Catalog.prototype.exclusively = function timed(this: Catalog, work) {
  const askedAt = Date.now()
  let from = askedAt
  return exclusively
    .call(this, (turn) => {
      from = Date.now()
      return work(turn)
    })
    .finally(() =>
      turns.push({ process: process.pid, askedAt, from, to: Date.now() }),
    ) as ReturnType<typeof work>
}

process.on("exit", () => {
  if (turns.length === 0) return
  appendFileSync(
    process.env["TURNS"] ?? "/dev/null",
    turns.map((turn) => `${JSON.stringify(turn)}\n`).join(""),
  )
})
