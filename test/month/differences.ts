// What the warehouse holds, compared with what the service gave out.
import * as Effect from "effect/Effect"
import type { Given } from "./given.ts"
import { current, superseded } from "./stored.ts"

/** Points that are missing, there twice, with another value, or that the service never had; a line for each. */
export const wrongPoints = Effect.fnUntraced(function* (dataDir: string, given: Given) {
  const stored = yield* current(dataDir)
  const found = new Map(stored.map(({ key, value }) => [key, value]))
  const keys = new Set([...given.values.keys(), ...found.keys()])
  const wrong = [...keys].flatMap((key) => {
    const [value, last] = [found.get(key), given.values.get(key)?.at(-1)]
    const isRight = value === last || (last === undefined && given.mayHold(key, value ?? ""))
    return isRight ? [] : [`${key}: ${value ?? "missing"}; expected ${last ?? "no point"}`]
  })
  return found.size === stored.length ? wrong : [...wrong, "points that are there twice"]
})

/** Superseded values that are missing, or that the service never gave out; a line for each. */
export const wrongVersions = Effect.fnUntraced(function* (dataDir: string, given: Given) {
  const versions = Map.groupBy(yield* superseded(dataDir), ({ key }) => key)
  const keys = new Set([...given.values.keys(), ...versions.keys()])
  return [...keys].flatMap((key) => {
    const found = (versions.get(key) ?? []).map(({ value }) => value)
    const expected = given.values.get(key)?.slice(0, -1) ?? []
    // What was given out in an interrupted run, or in a damaged response, may be there too.
    const sure = found.filter((value) => expected.includes(value) || !given.mayHold(key, value))
    const isRight = JSON.stringify(sure) === JSON.stringify(expected)
    return isRight ? [] : [`${key}: ${found.join(", ")}; expected ${expected.join(", ")}`]
  })
})
