// How many requests have succeeded in the last seconds. RequestBudget passes in the time.
import type { PaceState } from "./PaceState.ts"

export const WINDOW_MILLIS = 5000
// Successes closer together than this are counted together.
const INSTANT_MILLIS = 100

export class RecentSuccesses {
  #counts: Array<[at: number, count: number]>

  constructor(counts: PaceState["successes"] = []) {
    this.#counts = counts.map(([at, count]) => [at, count])
  }

  get counts(): PaceState["successes"] {
    return this.#counts
  }

  add(now: number): void {
    const last = this.#counts.at(-1)
    if (last !== undefined && now < last[0] + INSTANT_MILLIS) {
      last[1] += 1
      return
    }
    this.#counts = this.#counts.filter(([at]) => at > now - WINDOW_MILLIS)
    this.#counts.push([now, 1])
  }

  count(now: number): number {
    return this.#counts.reduce(
      (sum, [at, count]) => (at > now - WINDOW_MILLIS ? sum + count : sum),
      0,
    )
  }

  perSecond(now: number): number {
    const first = this.#counts.find(([at]) => at > now - WINDOW_MILLIS)
    return first === undefined ? 1 : this.count(now) / Math.max(1, (now - first[0]) / 1000)
  }
}
