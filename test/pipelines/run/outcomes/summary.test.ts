// How a run ended, given what became of its tasks.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { RecordedOutcome } from "../../../../src/domain/run/outcome.ts"
import { KeyUse } from "../../../../src/pipelines/run/KeyUse.ts"
import { summaryOf } from "../../../../src/pipelines/run/summary.ts"
import { Tally } from "../../../../src/pipelines/run/Tally.ts"
import { inWarehouse } from "../../../load/sample.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

const options = { runId: "run-1", vaults: { include: [], exclude: [] } }

const outcomeAfter = (tasks: ReadonlyArray<RecordedOutcome>, inserted: number) => {
  const tally = new Tally("fees", "Fees", 0)
  for (const outcome of tasks) {
    tally.add(outcome, 1, [], { inserted, revised: 0, unchanged: 0, requests: 1 })
  }
  const found = { key: new KeyUse(true), tallies: new Map([["fees", tally]]) }
  return Effect.map(summaryOf(options, found), ({ outcome }) => outcome)
}

it.effect("a run with a failed task is partial if it has read anything, be it no rows", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const found = yield* inWarehouse(
      dataDir,
      Effect.all({
        nothing: outcomeAfter(["failed"], 0),
        rowsOfTheFailed: outcomeAfter(["quarantined"], 1),
        emptyResponses: outcomeAfter(["failed", "empty"], 0),
        noFailure: outcomeAfter(["loaded", "empty"], 1),
        putOff: outcomeAfter(["loaded", "deferred"], 1),
      }),
      { tables: [] },
    )
    expect(found).toEqual({
      nothing: "failed",
      rowsOfTheFailed: "partial",
      emptyResponses: "partial",
      noFailure: "complete",
      putOff: "deferred",
    })
  }),
)
