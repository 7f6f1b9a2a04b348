// Every endpoint of the API document against every fault, in rounds: in each, every endpoint meets another one. What must
// become of them is in expected.ts. `make matrix` tries all, `make test` a round that the seed chooses.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { endpoints } from "../../src/extract/endpoints/index.ts"
import { writePage } from "../reliability/page.ts"
import { dailyRandomness } from "../support/randomness.ts"
import { HANG_SECONDS } from "../support/until.ts"
import { expected, expectedOf } from "./expected.ts"
import { faultNames } from "./faults.ts"
import { writeMatrix } from "../reliability/answers.ts"
import { isRead, Matrix } from "./rounds.ts"
import { subjects } from "./subjects.ts"

const isWhole = process.env["MATRIX"] !== undefined
const names = endpoints.map(({ name }) => name)

describe("the matrix of endpoints and faults", () => {
  it("has every endpoint of the document, and an outcome for each pair", () => {
    expect(Object.keys(subjects).toSorted()).toEqual(names.toSorted())
    expect(Object.keys(expected)).toEqual(faultNames)
    const named = Object.values(expected).flatMap(({ but = {} }) =>
      Object.values(but).flatMap((text) => text.split(" ")),
    )
    expect(named.filter((name) => !names.includes(name))).toEqual([])
  })

  it.live(
    isWhole ? "becomes what is expected" : "becomes what is expected, in a round of it",
    () =>
      Effect.gen(function* () {
        const began = performance.now()
        const matrix = yield* Matrix.begin(isWhole)
        if (isWhole) yield* matrix.tryAll
        else yield* matrix.trySome(dailyRandomness("the matrix"))
        const { found, problems } = matrix
        expect(problems).toEqual([])
        const wanted = found.map(({ endpoint, fault }) => ({
          endpoint,
          fault,
          outcome: expectedOf(endpoint, fault),
        }))
        expect(found.map(({ endpoint, fault, outcome }) => ({ endpoint, fault, outcome }))).toEqual(
          wanted,
        )
        if (!isWhole) return expect(found.length).toBeGreaterThan(names.filter(isRead).length / 3)
        expect(matrix.untried).toEqual([])
        writeMatrix({
          minutes: Math.round((performance.now() - began) / 60_000),
          outcomes: matrix.outcomes(names),
        })
        writePage()
      }).pipe(Effect.scoped),
    100 * HANG_SECONDS * 1000,
  )
})
