// What happens on each day of the simulated month. A day has six blocks of four hours.
import type { Fault, OptionsPatch } from "../../simulator/index.ts"

export interface Day {
  readonly name: string
  /** What changes at the beginning of a block, by its first hour; faults last until the block ends. */
  readonly blocks: Readonly<Record<number, OptionsPatch | "restated" | "asleep">>
}

const faults = (...all: ReadonlyArray<Fault>): OptionsPatch => ({ faults: all })

const ratio = { pathPrefix: "/platform/unrealized_pnl", match: "fields=ratio" } as const

export const rateLimits: Day = {
  name: "rate limits, errors, cut bodies, dropped connections; recent figures are restated",
  blocks: {
    4: faults({ kind: "rate-limit", retryAfterSeconds: 5, share: 0.3 }),
    8: faults(
      { kind: "status", status: 503, share: 0.15 },
      { kind: "rate-limit", retryAfter: "none", share: 0.1 },
    ),
    12: faults({ kind: "cut-body", share: 0.15 }, { kind: "invalid-json", share: 0.05 }),
    16: faults({ kind: "drop", share: 0.15 }),
    20: "restated",
  },
}

export const outage: Day = {
  name: "eight hours without the service",
  blocks: { 12: faults({ kind: "drop" }), 16: faults({ kind: "status", status: 503 }) },
}

export const sleep: Day = {
  name: "the machine sleeps eight hours, a vault opens, responses stall",
  blocks: {
    4: "asleep",
    8: "asleep",
    12: { vaults: 4 },
    16: faults(
      { kind: "stall-headers", count: 2, pathPrefix: "/platform/" },
      { kind: "stall-body", count: 2, ...ratio },
    ),
  },
}

export const broken: Day = {
  name: "responses break the contract or are empty, a gateway's error pages, vaults close, restated figures",
  blocks: {
    4: faults({ kind: "contract-break", mode: "wrong-type", share: 0.7, ...ratio }),
    8: faults({ kind: "empty", share: 0.5, pathPrefix: "/platform/" }),
    16: {
      closedVaults: [0],
      vaults: 3,
      ...faults({ kind: "status", status: 502, html: true, share: 0.2 }),
    },
    20: "restated",
  },
}

export const quiet: Day = { name: "nothing special", blocks: { 12: { closedVaults: [] } } }

/** Something of each of them. */
export const mixed: Day = {
  name: "a little of everything",
  blocks: {
    4: faults({ kind: "contract-break", mode: "wrong-type", share: 0.7, ...ratio }),
    8: faults(
      { kind: "rate-limit", retryAfterSeconds: 5, share: 0.1 },
      { kind: "status", status: 502, html: true, share: 0.1 },
      { kind: "cut-body", share: 0.1 },
      { kind: "empty", share: 0.1, pathPrefix: "/platform/" },
    ),
    12: faults({ kind: "drop" }),
    16: { vaults: 4, closedVaults: [0], ...faults({ kind: "stall-body", count: 1, ...ratio }) },
    20: "restated",
  },
}

const HOURS_PER_BLOCK = 4

/** What the block with this hour brings. */
export const blockOf = ({ blocks }: Day, hour: number): Day["blocks"][number] | undefined =>
  blocks[hour - (hour % HOURS_PER_BLOCK)]
