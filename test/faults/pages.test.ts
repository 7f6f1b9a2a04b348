// Lists of more than one page, read for the first time from a service that is wrong about the second: nothing that it sent
// is lost or doubled, and the next run, of a service that is right, leaves what one without the fault would have left.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dailyRandomness } from "../support/randomness.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { HANG_SECONDS } from "../support/until.ts"
import { writePages } from "../reliability/answers.ts"
import { writePage } from "../reliability/page.ts"
import { expectedOfPages } from "./expectedOfPages.ts"
import { becameOf, pipelinesOf } from "./outcome.ts"
import { pageFaults } from "./pageFaults.ts"
import { disturbed, firstRun, undisturbed } from "./world.ts"

/** `make matrix` tries all, `make test` one that the day or the seed chooses. */
const isWhole = process.env["MATRIX"] !== undefined

const paged = ["audit_log", "subaccount_directory", "transactions"]
const pipelines = ["tokenized_vaults", "my_subaccounts", ...paged].flatMap((endpoint) =>
  pipelinesOf(endpoint).map(({ name }) => name),
)

it.live(
  "lists of several pages become what is expected",
  () =>
    Effect.gen(function* () {
      const world = {
        ...(yield* firstRun(yield* temporaryFolder, false)),
        baseline: yield* temporaryFolder,
      }
      const calm = yield* undisturbed(world, yield* temporaryFolder, pipelines)
      const names = Object.keys(pageFaults)
      const random = dailyRandomness("faults between pages")
      const tried = isWhole ? names : [names[Math.floor(random() * names.length)]!]
      const found: Record<string, Record<string, string>> = {}
      const problems: Array<string> = []
      for (const fault of tried) {
        // The clock moves on where a list has no end, for all that is read at the time.
        const rounds = fault.includes("for ever") ? paged.map((each) => [each]) : [paged]
        for (const endpoints of rounds) {
          const met = yield* Effect.scoped(
            Effect.gen(function* () {
              const faultOf = new Map(endpoints.map((endpoint) => [endpoint, fault]))
              const round = { faultOf, fieldOf: () => "", isRefused: false }
              return yield* disturbed(world, yield* temporaryFolder, round, pipelines)
            }),
          )
          if (met.failure !== undefined) problems.push(`${fault}: the run failed: ${met.failure}`)
          for (const endpoint of endpoints) {
            if (fault !== "small pages" && !met.met.has(endpoint))
              problems.push(`${endpoint} never met ${fault}`)
            const became = becameOf(endpoint, fault, met, calm)
            for (const problem of became?.problems ?? [])
              problems.push(`${endpoint}, ${fault}: ${problem}`)
            found[fault] = { ...found[fault], [endpoint]: became?.outcome ?? "not tried" }
          }
        }
      }
      expect(problems.map((each) => each.slice(0, 300))).toEqual([])
      expect(Object.keys(expectedOfPages)).toEqual(names)
      expect(found).toEqual(
        Object.fromEntries(tried.map((fault) => [fault, expectedOfPages[fault]])),
      )
      if (!isWhole) return
      writePages({ outcomes: found })
      writePage()
    }).pipe(Effect.scoped),
  10 * HANG_SECONDS * 1000,
)
