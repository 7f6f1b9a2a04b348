// Chooses the fault, if any, that applies to a request, from the rules, the seed and how often the same URL was
// requested, so that a run repeats exactly however its requests are interleaved.
import { keyOf, unit } from "../values/noise.ts"
import type { Fault } from "../fault-types.ts"

export class FaultChooser {
  readonly #faults: readonly Fault[]
  readonly #seed: number
  readonly #requested = new Map<number, number>()
  readonly #fired: number[]

  constructor(faults: readonly Fault[], seed: number) {
    this.#faults = faults
    this.#seed = seed
    this.#fired = faults.map(() => 0)
  }

  choose(pathAndQuery: string): Fault | undefined {
    if (this.#faults.length === 0) return undefined
    const path = pathAndQuery.split("?", 1)[0]!
    const url = keyOf(pathAndQuery)
    const earlier = this.#requested.get(url) ?? 0
    this.#requested.set(url, earlier + 1)
    const index = this.#faults.findIndex((fault, at) => {
      if (fault.pathPrefix !== undefined && !path.startsWith(fault.pathPrefix)) return false
      if (fault.match !== undefined && !pathAndQuery.includes(fault.match)) return false
      if (fault.first !== undefined && earlier >= fault.first) return false
      if (fault.count !== undefined && this.#fired[at]! >= fault.count) return false
      const draw = unit(keyOf(this.#seed, "fault", at) ^ url, earlier)
      return fault.share === undefined || draw < fault.share
    })
    if (index === -1) return undefined
    this.#fired[index]! += 1
    return this.#faults[index]
  }
}
