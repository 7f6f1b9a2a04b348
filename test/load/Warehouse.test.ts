// What a commit keeps, counts and refuses, whether alone or in a group.
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import type { Batch } from "../../src/domain/run/outcome.ts"
import type { Table } from "../../src/domain/table/table.ts"
import type { Queued } from "../../src/load/commit/commitQueue.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import {
  batchOf,
  type TaskBatch,
  commit,
  commitTogether,
  descriptions,
  inWarehouse,
  latest,
  once,
  reading,
  readings,
  readingsBatch,
  rows,
  rowsOf,
} from "./sample.ts"

const inTemporary = <A, E>(work: Effect.Effect<A, E, Warehouse>) =>
  Effect.flatMap(temporaryFolder, (dataDir) => inWarehouse(dataDir, work))

const stored = rows("SELECT * FROM core.readings ORDER BY ALL")
const versions = rows(`SELECT value, _superseded_by_run_id AS by FROM core.readings_versions
  ORDER BY _superseded_at`)

const counted = (inserted: number, revised: number, unchanged: number) => ({
  inserted,
  revised,
  unchanged,
})

const withCursor = (batch: TaskBatch, entity: string, cursor: unknown): Batch => ({
  ...batch,
  task: { ...batch.task, entity },
  cursor: { pipeline: "sample", entity, cursor },
})

describe("history", () => {
  it.effect("keeps every type to the last digit", () =>
    inTemporary(
      Effect.gen(function* () {
        const row = {
          ...reading("a", 0, 0.1),
          observed_at: 1_706_702_400_123_457,
          count: Number.MAX_SAFE_INTEGER,
          flag: false,
          day: 19_753,
          note: "naïve 'quote' \u0000 🙂",
          amount: (2n ** 256n - 1n).toString(),
          extra: '{"big":12345678901234567890123456789}',
        }
        yield* commit(readingsBatch([row, reading("a", 1, null)]))
        const [first, second] = yield* stored
        expect(first).toMatchObject({
          ...row,
          observed_at: "2024-01-31T12:00:00.123457Z",
          day: "2024-01-31",
          _run_id: "run-1",
          _response_id: "response-2",
        })
        expect(second).toMatchObject({
          value: null,
          count: null,
          flag: null,
          day: null,
          extra: null,
        })
      }),
    ),
  )

  it.effect("changes nothing when the same rows come again, not even _updated_at", () =>
    inTemporary(
      Effect.gen(function* () {
        const batch = () =>
          readingsBatch([reading("a", 0, 1), { ...reading("a", 1, null), extra: '{"x":1}' }])
        expect(yield* commit(batch())).toEqual(counted(2, 0, 0))
        const before = yield* stored
        yield* TestClock.adjust("1 hour")
        expect(yield* commit(batch())).toEqual(counted(0, 0, 2))
        expect(yield* stored).toEqual(before)
        const outcomes = yield* rows("SELECT outcome FROM ops.tasks ORDER BY finished_at")
        expect(outcomes).toEqual([{ outcome: "loaded" }, { outcome: "unchanged" }])
      }),
    ),
  )

  it.effect("keeps each revision's old values, one that returns to them too", () =>
    inTemporary(
      Effect.gen(function* () {
        for (const [at, value] of [1, 2, null, 1].entries()) {
          yield* commit(batchOf([rowsOf(readings, [reading("a", 0, value)], 1_000_000 * (at + 1))]))
        }
        expect(yield* versions).toEqual([1, 2, null].map((value) => ({ value, by: "run-1" })))
        const [row] = yield* stored
        expect(row).toMatchObject({
          value: 1,
          _first_seen_at: "1970-01-01T00:00:01.000Z",
          _updated_at: "1970-01-01T00:00:04.000Z",
        })
      }),
    ),
  )

  it.effect("takes the last row of a key within a batch", () =>
    inTemporary(
      Effect.gen(function* () {
        const batch = readingsBatch([1, 2, 3].map((value) => reading("a", 0, value)))
        expect(yield* commit(batch)).toEqual(counted(1, 0, 0))
        expect(yield* stored).toMatchObject([{ value: 3 }])
        expect(yield* versions).toEqual([])
      }),
    ),
  )

  it.effect("treats batches of one group as if committed one after the other", () =>
    inTemporary(
      Effect.gen(function* () {
        const together = yield* commitTogether([
          readingsBatch([reading("a", 0, 1), reading("b", 0, 1)]),
          readingsBatch([reading("a", 0, 2)]),
          readingsBatch([reading("a", 0, 2), reading("c", 0, 1)]),
        ])
        expect(together).toEqual([counted(2, 0, 0), counted(0, 1, 0), counted(1, 0, 1)])
        expect(yield* versions).toEqual([{ value: 1, by: "run-1" }])
      }),
    ),
  )
})

describe("the other modes", () => {
  const described = (title: string, observedAt?: number) =>
    batchOf([rowsOf(descriptions, [{ vault_address: "a", title }], observedAt)])
  const periods = rows(`SELECT title, epoch_us(valid_from) AS since, epoch_us(valid_to) AS until,
    is_current FROM core.descriptions ORDER BY valid_from`)

  it.effect("slowly changing: other content ends the current row and starts another", () =>
    inTemporary(
      Effect.gen(function* () {
        const counts = []
        for (const [title, at] of [
          ["A", 10],
          ["A", 20],
          ["B", 30],
          ["A", 40],
        ] as const) {
          counts.push(yield* commit(described(title, at)))
        }
        expect(counts).toEqual([
          counted(1, 0, 0),
          counted(0, 0, 1),
          counted(0, 1, 0),
          counted(0, 1, 0),
        ])
        const expected = [
          { title: "A", since: 10, until: 30, is_current: false },
          { title: "B", since: 30, until: 40, is_current: false },
          { title: "A", since: 40, until: null, is_current: true },
        ]
        expect(yield* periods).toEqual(expected)
        // The archive again, oldest first: nothing of it is newer than what is stored.
        for (const [title, at] of [
          ["A", 10],
          ["B", 30],
          ["A", 40],
        ] as const) {
          expect(yield* commit(described(title, at))).toEqual(counted(0, 0, 1))
        }
        expect(yield* periods).toEqual(expected)
      }),
    ),
  )

  it.effect("slowly changing: several contents in one group each get their time", () =>
    inTemporary(
      Effect.gen(function* () {
        yield* commitTogether(["A", "B", "C"].map((title) => described(title)))
        const found = yield* periods
        expect(found.map(({ title }) => title)).toEqual(["A", "B", "C"])
        expect(found.map(({ until }) => until)).toEqual([
          found[1]?.["since"],
          found[2]?.["since"],
          null,
        ])
      }),
    ),
  )

  it.effect("replace takes the new row, first keeps the old one", () =>
    inTemporary(
      Effect.gen(function* () {
        const bookkeeping = [1, 2].flatMap((value) => [
          rowsOf(latest, [{ vault_address: "a", value }]),
          rowsOf(once, [{ vault_address: "a", day: 19_753, value }]),
        ])
        yield* commit(batchOf([], { bookkeeping }))
        yield* commit(batchOf([], { bookkeeping: bookkeeping.slice(0, 2) }))
        expect(yield* rows("SELECT value FROM core.latest")).toEqual([{ value: 1 }])
        expect(yield* rows("SELECT value FROM core.once")).toEqual([{ value: 1 }])
      }),
    ),
  )
})

/** Only the database sees that a column is missing, when all of the group is under way. */
const notAsStored: Table = {
  ...descriptions,
  columns: [...descriptions.columns, { name: "missing", type: "text", comment: "Missing" }],
}

describe("a batch that can't be kept", () => {
  it.effect("is none for a backslash before u and d", () =>
    inTemporary(
      Effect.gen(function* () {
        const extra = JSON.stringify({ path: String.raw`\ud83d` })
        yield* commit(readingsBatch([{ ...reading("a", 0, 1), extra }]))
        expect(yield* rows("SELECT extra ->> 'path' AS path FROM core.readings")).toEqual([
          { path: String.raw`\ud83d` },
        ])
      }),
    ),
  )

  it.effect("fails alone: its group lands, and nothing of it does", () =>
    inTemporary(
      Effect.gen(function* () {
        const broken = batchOf([
          rowsOf(readings, [reading("bad", 0, 1)]),
          rowsOf(notAsStored, [{ vault_address: "bad" }]),
        ])
        const results = yield* Effect.forEach(
          [
            withCursor(readingsBatch([reading("a", 0, 1)]), "a", 1),
            withCursor(broken, "bad", 1),
            withCursor(readingsBatch([reading("b", 0, 1)]), "b", { at: [1, "x"] }),
          ],
          (batch) => Effect.result(commit(batch)),
          { concurrency: "unbounded" },
        )
        expect(results.map(Result.isSuccess)).toEqual([true, false, true])
        expect(yield* rows("SELECT vault_address FROM core.readings ORDER BY 1")).toEqual([
          { vault_address: "a" },
          { vault_address: "b" },
        ])
        expect(yield* rows("SELECT entity FROM ops.tasks ORDER BY 1")).toEqual([
          { entity: "a" },
          { entity: "b" },
        ])
        const warehouse = yield* Warehouse
        expect((yield* warehouse.cursors)("sample")).toEqual(
          new Map<string, unknown>([
            ["a", 1],
            ["b", { at: [1, "x"] }],
          ]),
        )
      }),
    ),
  )

  it.effect("fails what follows it, in its group and after it, and nothing else", () =>
    inTemporary(
      Effect.gen(function* () {
        const { queue, cursors } = yield* Warehouse
        const inSeries = (entity: string, n: number, rowsOfBatch = rowsOf(readings, [])) =>
          withCursor(batchOf([rowsOf(readings, [reading(entity, n, n)]), rowsOfBatch]), entity, n)
        const broken = rowsOf(notAsStored, [{ vault_address: "bad" }])
        const a1 = yield* queue(inSeries("a", 1))
        const a2 = yield* queue(inSeries("a", 2, broken), a1)
        const b1 = yield* queue(inSeries("b", 1))
        const a3 = yield* queue(inSeries("a", 3), a2)
        const b2 = yield* queue(inSeries("b", 2), b1)
        const a4 = yield* queue(inSeries("a", 4), a3)
        const fates = (all: ReadonlyArray<Queued>) =>
          Effect.forEach(all, (queued) =>
            Effect.map(Effect.result(Deferred.await(queued)), (fate) =>
              Result.isSuccess(fate) ? "committed" : fate.failure.reason,
            ),
          )
        expect(yield* fates([a1, a2, a3, a4])).toEqual([
          "committed",
          "Database",
          "NotTried",
          "NotTried",
        ])
        // Decided already; and one that is refused before it is queued.
        const a5 = yield* queue(inSeries("a", 5), a4)
        const b3 = yield* queue(withCursor(readingsBatch([reading("b", 3, NaN)]), "b", 3), b2)
        const b4 = yield* queue(inSeries("b", 4), b3)
        expect(yield* fates([a5, b1, b2, b3, b4])).toEqual([
          "NotTried",
          "committed",
          "committed",
          "InvalidRow",
          "NotTried",
        ])
        expect(
          yield* rows("SELECT vault_address AS of, value FROM core.readings ORDER BY ALL"),
        ).toEqual([
          { of: "a", value: 1 },
          { of: "b", value: 1 },
          { of: "b", value: 2 },
        ])
        expect((yield* cursors)("sample")).toEqual(
          new Map([
            ["a", 1],
            ["b", 2],
          ]),
        )
      }),
    ),
  )

  it.effect("leaves the writer able to go on", () =>
    inTemporary(
      Effect.gen(function* () {
        const broken = batchOf([rowsOf(notAsStored, [{ vault_address: "bad" }])])
        const error = yield* Effect.flip(commit(broken))
        expect(error).toMatchObject({ _tag: "LoadError", reason: "Database" })
        expect(error.message).toContain("missing")
        expect(yield* commit(readingsBatch([reading("a", 0, 1)]))).toEqual(counted(1, 0, 0))
        const { execute } = yield* Warehouse
        const refused = execute(["CREATE TABLE core.half (x INTEGER)", "SELECT no_such_column"])
        yield* Effect.flip(refused)
        expect(yield* rows("SELECT 1 FROM duckdb_tables() WHERE table_name = 'half'")).toEqual([])
      }),
    ),
  )
})

describe("a run", () => {
  it.effect("is recorded from start to end, with what its tasks did", () =>
    inTemporary(
      Effect.gen(function* () {
        const { finishRun, startRun } = yield* Warehouse
        yield* startRun({ command: "sync ratio", version: "1.2.3", baseUrl: "http://x" })
        expect(yield* rows("SELECT finished_at, outcome FROM ops.runs")).toEqual([
          { finished_at: null, outcome: null },
        ])
        yield* commit(readingsBatch([reading("a", 0, 1), reading("a", 1, 1)]))
        yield* commit(readingsBatch([reading("a", 0, 2)]))
        const failed = batchOf([])
        yield* commit({
          ...failed,
          task: { ...failed.task, outcome: "failed", errorTag: "Timeout", errorText: "too slow" },
        })
        const sums = { tasks: 3, requests: 3, rowsInserted: 2, rowsRevised: 1 }
        expect(yield* finishRun("partial")).toEqual({
          ...sums,
          seconds: expect.any(Number) as number,
        })
        expect(yield* rows("SELECT * FROM ops.runs")).toMatchObject([
          { run_id: "run-1", command: "sync ratio", outcome: "partial", tasks: 3, rows_revised: 1 },
        ])
        expect(
          yield* rows("SELECT outcome, error_tag FROM ops.tasks WHERE error_tag IS NOT NULL"),
        ).toEqual([{ outcome: "failed", error_tag: "Timeout" }])
      }),
    ),
  )

  it.effect("never writes an older time than the run before, whatever the clock says", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* TestClock.setTime(Date.UTC(2030, 0, 1))
      const received = (value: number, at: number) =>
        commit(batchOf([rowsOf(readings, [reading("a", 0, value)], at)]))
      const opened = Effect.map(Warehouse, ({ openedAt }) => openedAt)
      yield* inWarehouse(
        dataDir,
        Effect.flatMap(opened, (at) => received(1, at)),
      )
      yield* TestClock.setTime(Date.UTC(2020, 0, 1))
      const found = yield* inWarehouse(
        dataDir,
        Effect.gen(function* () {
          yield* received(2, yield* opened)
          return yield* rows(`SELECT _updated_at > _first_seen_at AS later, year(_updated_at) AS year
            FROM core.readings`)
        }),
      )
      expect(found).toEqual([{ later: true, year: 2030 }])
    }),
  )
})
