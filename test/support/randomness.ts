// Random numbers that can be had again: each test run draws one seed, or takes it from TEST_SEED, and a test that fails
// says which it was.
import { createHash } from "node:crypto"
import { configureGlobal } from "effect/Arbitrary"
import { onTestFailed } from "vitest"

// vitest.config.ts sets it.
const seed = process.env["TEST_SEED"] ?? "0"

// Properties draw from it too: this file is read before each file of tests.
configureGlobal({ check: { seed } })

/** In [0, 1). */
export type Random = () => number

/** Mulberry32: 32 bits of state are enough to choose a moment. */
const numbersFrom = (start: number): Random => {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const randomnessFrom = (name: string, from: string): Random => {
  onTestFailed(() => {
    process.stderr.write(`TEST_SEED=${from} repeats the choices of "${name}"\n`)
  })
  return numbersFrom(createHash("sha256").update(`${from} ${name}`).digest().readUInt32LE())
}

/** The numbers of one test, which calls it in its body; `name` keeps them apart from those of other tests. */
export const randomness = (name: string): Random => randomnessFrom(name, seed)

/** Those of the day in CI, where others are always the same: for a few of very many choices. Prints the seed. */
export const dailyRandomness = (name: string): Random => {
  const from = dailySeed()
  process.stdout.write(`TEST_SEED=${from} for "${name}"\n`)
  return randomnessFrom(name, from)
}

export const dailySeed = (): string => process.env["DAILY_SEED"] ?? seed
