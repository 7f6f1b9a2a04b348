// What a transaction that fails leaves of what the session knows: nothing. A month that counts as marked without being it
// would never be published again.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Changes } from "../../../src/load/commit/session.ts"
import { transaction } from "../../../src/load/duckdb/transaction.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { failingCommits } from "../failingCommits.ts"
import {
  batchOf,
  commit,
  inWarehouse,
  reading,
  readings,
  readingsBatch,
  rows,
  rowsOf,
} from "../sample.ts"

const marks = Effect.map(
  rows(`select table_name || ' ' || month as mark from ops.partition_changes
    where table_schema = 'core' order by mark`),
  (found) => found.map(({ mark }) => mark),
)

it.effect("a month is marked by the next commit if the one before failed after marking it", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const work = Effect.gen(function* () {
      const { exclusively } = yield* Warehouse
      const failed = yield* Effect.flip(
        exclusively("A commit that fails", (session) =>
          transaction(session, async () => {
            const changes = new Changes(session)
            changes.add(readings, ["2024-01", "2024-02"])
            await changes.write()
            throw new Error("the disk is full")
          }),
        ),
      )
      expect(failed.message).toContain("the disk is full")
      expect(yield* marks).toEqual([])
      yield* commit(readingsBatch([reading("a", 0, 1)]))
      expect(yield* marks).toEqual(["readings 2024-01"])
    })
    yield* inWarehouse(dataDir, work)
  }),
)

it.effect("rows of a commit that failed are not taken for stored, nor for missing", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const { storage, fail } = failingCommits(dataDir)
    const work = Effect.gen(function* () {
      const pages = ["a", "b"].map((vault) => rowsOf(readings, [reading(vault, 0, 1)]))
      fail(new Error("no space"))
      const { message } = yield* Effect.flip(commit(batchOf(pages)))
      expect(message).toContain("no space")
      expect(yield* rows("select 1 from core.readings")).toEqual([])
      yield* commit(readingsBatch([reading("a", 0, 1)]))
      yield* commit(readingsBatch([reading("a", 0, 2), reading("a", 1, 2)]))
      const stored = yield* rows("select value from core.readings order by observed_at")
      expect(stored).toEqual([{ value: 2 }, { value: 2 }])
      expect(yield* rows("select value from core.readings_versions")).toEqual([{ value: 1 }])
      expect(yield* marks).toEqual(["readings 2024-01", "readings_versions 2024-01"])
    })
    yield* inWarehouse(dataDir, work, { storage })
  }),
)
