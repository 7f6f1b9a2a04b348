// A commit whose end is not known: one that happened is not repeated, though another worker has read the same task since; one that did not is.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { claimLost, LoadError } from "../../../src/load/errors.ts"
import { duckdbFile } from "../../../src/load/storage/file/duckdbFile.ts"
import type { Database, Storage } from "../../../src/load/storage/Storage.ts"
import { responses } from "../../../src/load/tables/raw/responses.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { failingCommits } from "../failingCommits.ts"
import {
  batchOf,
  commit,
  commitTogether,
  indexRows,
  inWarehouse,
  latest,
  reading,
  readingsBatch,
  rows,
  rowsOf,
} from "../sample.ts"

const unreachable = new LoadError({
  reason: "Catalog",
  what: "The lake's catalog",
  why: "the connection was lost",
  advice: "",
})

/**
 * A file whose next turn ends without the acknowledgement of its commit once `lose` is called; `meanwhile` comes after it, and
 * another worker has all claims from then on, unless this one keeps them.
 */
const losing = (dataDir: string, meanwhile: string, keepsClaims = false) => {
  let isLost = false
  let loses = false
  const storage = duckdbFile(dataDir)
  const open: Storage["open"] = async (options, tables) => {
    const database = await storage.open(options, tables)
    const exclusively: Database["exclusively"] = (work) =>
      database.exclusively(async (turn) => {
        const result = await work({
          ...turn,
          hold: async ([claim]) => {
            if (isLost && !keepsClaims && claim !== undefined) throw claimLost(claim)
          },
        })
        if (!loses) return result
        loses = false
        isLost = true
        await database.writer.run(meanwhile)
        throw unreachable
      })
    return { ...database, exclusively }
  }
  return { storage: { ...storage, open }, lose: () => (loses = true) }
}

describe("a commit whose acknowledgement arrives after another worker has recorded its task again", () => {
  it.live("is found by its responses, and neither repeated nor taken for refused", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const later = "update ops.tasks set finished_at = finished_at + interval 1 minute"
      const { storage, lose } = losing(dataDir, later)
      const batch = (entity: string) =>
        readingsBatch([reading(entity, 0, 1)], {
          task: {
            pipeline: "sample",
            entity,
            window: "w",
            outcome: "landed",
            requests: 1,
            seconds: 1,
          },
          // Beside other rows, and a page without a response.
          bookkeeping: [
            rowsOf(latest, [{ vault_address: `vault ${entity}` }]),
            rowsOf(responses, []),
            indexRows(entity),
          ],
          claim: { runId: "run-1", pipeline: "sample", entity, epoch: 1 },
        })
      const work = Effect.gen(function* () {
        lose()
        const counts = yield* commitTogether(["a", "b"].map(batch))
        expect(counts).toEqual(["a", "b"].map(() => ({ inserted: 1, revised: 0, unchanged: 0 })))
        const recorded = "select entity, rows_inserted::int as inserted from ops.tasks order by 1"
        expect(yield* rows(recorded)).toEqual([
          { entity: "a", inserted: 1 },
          { entity: "b", inserted: 1 },
        ])
      })
      yield* inWarehouse(dataDir, work, { storage })
    }),
  )
})

describe("a commit without a response, whose acknowledgement is lost", () => {
  it.live("is repeated, and adds its requests to those of an earlier worker once", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const { storage, lose } = losing(dataDir, "select 1", true)
      const failed = (epoch: number, requests: number) =>
        batchOf([], {
          task: {
            pipeline: "sample",
            entity: "a",
            window: "w",
            outcome: "failed",
            requests,
            seconds: 1,
          },
          claim: { runId: "run-1", pipeline: "sample", entity: "a", epoch },
        })
      const work = Effect.gen(function* () {
        yield* commit(failed(1, 2))
        lose()
        yield* commit(failed(2, 3))
        return yield* rows("select requests::int as requests, seconds from ops.tasks")
      })
      expect(yield* inWarehouse(dataDir, work, { storage })).toEqual([{ requests: 5, seconds: 2 }])
    }),
  )
})

describe("a commit that did not happen", () => {
  it.live(
    "is repeated where the connection was lost, and fails where anything else went wrong",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const { storage, fail } = failingCommits(dataDir)
        const batch = (at: number) =>
          readingsBatch([reading("a", at, 1)], { bookkeeping: [indexRows(`response-${at}`)] })
        const work = Effect.gen(function* () {
          fail(unreachable)
          expect(yield* commit(batch(0))).toEqual({ inserted: 1, revised: 0, unchanged: 0 })
          fail(new Error("no space"))
          const { message } = yield* Effect.flip(commit(batch(1)))
          expect(message).toContain("no space")
          return yield* rows(`select (select count(*) from core.readings)::int as stored,
          (select count(*) from ops.tasks)::int as tasks, (from raw.responses select string_agg(response_id)) as ids`)
        })
        const found = yield* inWarehouse(dataDir, work, { storage })
        expect(found).toEqual([{ stored: 1, tasks: 1, ids: "response-0" }])
      }),
  )
})
