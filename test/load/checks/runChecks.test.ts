// A check that compares keys runs over the months a run touched, a few at a time: a doubled key is found in its month.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { findOffenders, recordResults } from "../../../src/load/checks/runChecks.ts"
import { tableChecks } from "../../../src/load/checks/tableChecks.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { commit, inWarehouse, reading, readings, readingsBatch } from "../sample.ts"

const check = tableChecks([readings]).filter(({ name }) => name.endsWith("readings.unique_key"))
const days = (from: number) => Array.from({ length: 24 }, (_, at) => reading("a", from + at, 1))

it.live("finds a key twice in the months of this run, and leaves other months alone", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const twice = Effect.flatMap(Warehouse, ({ execute }) =>
      execute(["INSERT INTO core.readings SELECT * FROM core.readings LIMIT 3"]),
    )
    yield* inWarehouse(dataDir, Effect.andThen(commit(readingsBatch(days(0))), twice))
    const ofThisRun = Effect.gen(function* () {
      const { openedAt } = yield* Warehouse
      yield* commit(readingsBatch(days(24 * 60)))
      const elsewhere = yield* findOffenders(check, { since: openedAt })
      yield* commit(readingsBatch([reading("b", 1, 1)]))
      const found = yield* findOffenders(check, { since: openedAt })
      yield* recordResults("run", found)
      return [elsewhere, found, yield* findOffenders(check, { since: undefined })]
    })
    const all = yield* inWarehouse(dataDir, ofThisRun)
    expect(all.map(([result]) => result?.failures)).toEqual([0, 3, 3])
    expect(all.map(([result]) => result?.outcome)).toEqual(["passed", "failed", "failed"])
  }),
)
