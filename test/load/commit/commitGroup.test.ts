// What batches that share a transaction leave: what they would leave one after the other, each with its own counts.
import { describe, expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Batch } from "../../../src/domain/run/outcome.ts"
import { duckdbFile } from "../../../src/load/storage/file/duckdbFile.ts"
import type { Storage } from "../../../src/load/storage/Storage.ts"
import { type Note, parseNote } from "../../../src/load/commit/stored/note.ts"
import { claimLost, type LoadError } from "../../../src/load/errors.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  commitTogether,
  descriptions,
  hour,
  inWarehouse,
  latest,
  once,
  reading,
  readings,
  rows,
  rowsOf,
  type TaskBatch,
} from "../sample.ts"
import { holdings, holdingsOn } from "../sets.ts"

const hours = (vault: string, from: number, to: number, value: number) =>
  rowsOf(
    readings,
    Array.from({ length: to - from + 1 }, (_, at) => reading(vault, from + at, value)),
  )

const counts = (inserted: number, revised: number, unchanged: number) => ({
  inserted,
  revised,
  unchanged,
})

/** Rows of readings, superseded ones, and what was recorded of the tasks, without times of our own. */
const left = Effect.gen(function* () {
  const lines = (sql: string) =>
    Effect.map(rows(`select concat_ws(' ', ${sql} order by all`), (found) =>
      found.map((row) => Object.values(row)[0]),
    )
  const hourOf = "hour(observed_at) - 12"
  return {
    stored: yield* lines(`vault_address, ${hourOf}, value::integer) from core.readings`),
    superseded: yield* lines(
      `vault_address, ${hourOf}, value::integer) from core.readings_versions`,
    ),
    tasks: yield* lines(
      `entity, outcome, rows_inserted, rows_revised, rows_unchanged) from ops.tasks`,
    ),
    cursors: yield* lines(`entity, "cursor"::varchar) from ops.cursors`),
    marks: yield* lines(
      `table_name, month) from ops.partition_changes where table_schema = 'core'`,
    ),
  }
})

const of = (entity: string, batch: TaskBatch, cursor: unknown): Batch => ({
  ...batch,
  task: { ...batch.task, entity },
  cursor: { pipeline: "sample", entity, cursor },
})

describe("batches of one commit", () => {
  it.effect(
    "land as they would one after the other: new pages, overlapping and repeated ones",
    () =>
      Effect.gen(function* () {
        const batches = () => [
          of("1", batchOf([hours("a", 0, 2, 1), hours("b", 0, 0, 1)]), 1),
          of("2", batchOf([hours("a", 2, 3, 2)]), 2),
          of("3", batchOf([hours("a", 4, 5, 3), hours("a", 2, 2, 3)]), 3),
          of("4", batchOf([hours("b", 0, 0, 1)]), 4),
        ]
        const ways = [commitTogether, (all: ReadonlyArray<Batch>) => Effect.forEach(all, commit)]
        for (const commitAll of ways) {
          const dataDir = yield* temporaryFolder
          const work = Effect.gen(function* () {
            return { committed: yield* commitAll(batches()), ...(yield* left) }
          })
          expect(yield* inWarehouse(dataDir, work)).toEqual({
            committed: [counts(4, 0, 0), counts(1, 1, 0), counts(2, 1, 0), counts(0, 0, 1)],
            stored: ["a 0 1", "a 1 1", "a 2 3", "a 3 2", "a 4 3", "a 5 3", "b 0 1"],
            superseded: ["a 2 1", "a 2 2"],
            tasks: ["1 loaded 4 0 0", "2 loaded 1 1 0", "3 loaded 2 1 0", "4 unchanged 0 0 1"],
            cursors: ["1 1", "2 2", "3 3", "4 4"],
            marks: ["readings 2024-01", "readings_versions 2024-01"],
          })
        }
      }),
  )

  it.effect("with an empty set end what is stored of it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const set = (vault: string, at: number, titles: ReadonlyArray<string>) => ({
        ...rowsOf(
          descriptions,
          titles.map((title) => ({ vault_address: vault, title })),
          at,
        ),
        mergeKey: { vault_address: vault },
      })
      const work = Effect.gen(function* () {
        yield* commit(batchOf([set("a", 1000, ["A"]), set("b", 1001, ["B"])]))
        const [ended, other] = yield* commitTogether([
          batchOf([set("a", 2000, [])]),
          batchOf([set("b", 2001, ["B"])]),
        ])
        expect([ended, other]).toEqual([counts(0, 1, 0), counts(0, 0, 1)])
        // Neither rows that change in their own table nor new ones leave superseded versions to export.
        yield* commit(batchOf([hours("a", 0, 0, 1)]))
        expect((yield* left).marks).toEqual(["descriptions -", "readings 2024-01"])
        return yield* rows("select title, is_current from core.descriptions order by title")
      })
      expect(yield* inWarehouse(dataDir, work)).toEqual([
        { title: "A", is_current: false },
        { title: "B", is_current: true },
      ])
    }),
  )

  it.effect("with an empty set of a page that says so retire what is stored of it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const day = 19_752
      const emptySets = [{ vault_address: "a", day }]
      const work = Effect.gen(function* () {
        yield* commit(batchOf([holdingsOn(day, 1000, { Aave: 1 })]))
        const [ended, other] = yield* commitTogether([
          batchOf([{ ...holdingsOn(day, 2000, {}), emptySets }]),
          batchOf([holdingsOn(day + 1, 2001, { Morpho: 2 })]),
        ])
        expect([ended, other]).toEqual([counts(0, 1, 0), counts(1, 0, 0)])
        return yield* rows("select protocol from core.holdings")
      })
      const found = yield* inWarehouse(dataDir, work, { tables: [holdings] })
      expect(found).toEqual([{ protocol: "Morpho" }])
    }),
  )
})

it.effect("bookkeeping is written, and not counted", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const keeping = (value: number) =>
      batchOf([], {
        bookkeeping: [
          rowsOf(latest, [{ vault_address: "a", value }]),
          rowsOf(once, [{ vault_address: "a", day: 0, value }]),
        ],
      })
    const work = Effect.gen(function* () {
      expect(yield* commit(keeping(1))).toEqual(counts(0, 0, 0))
      expect(yield* commit(keeping(2))).toEqual(counts(0, 0, 0))
      return yield* rows(`select (select sum(value) from core.latest)::int as latest,
        (select sum(value) from core.once)::int as once`)
    })
    expect(yield* inWarehouse(dataDir, work)).toEqual([{ latest: 2, once: 1 }])
  }),
)

describe("rows that another process has written meanwhile", () => {
  /** The file, where another writer runs `sql` before the turn after the first. */
  const withOther = (dataDir: string, sql: string): Storage => {
    const file = duckdbFile(dataDir)
    return {
      ...file,
      open: async (options, tables) => {
        const database = await file.open(options, tables)
        let isDone = false
        return {
          ...database,
          exclusively: (work) =>
            database.exclusively(async (turn) => {
              const stored = await database.writer.runAndReadAll(
                "select 1 from duckdb_tables() where table_name = 'readings' and estimated_size > 0",
              )
              const othersWrote = !isDone && stored.currentRowCount > 0
              if (othersWrote) {
                isDone = true
                await database.writer.run(sql)
              }
              return work(othersWrote ? { ...turn, others: undefined } : turn)
            }),
        }
      },
    }
  }

  it.effect("are compared, though this one knew that nothing was stored there", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const others = `insert into vaulthouse.core.readings
        select * replace (observed_at + interval 5 hour as observed_at, 5 as value)
        from vaulthouse.core.readings`
      const work = Effect.gen(function* () {
        yield* commit(batchOf([hours("a", 0, 0, 1)]))
        expect(yield* commit(batchOf([hours("a", 5, 6, 6)]))).toEqual(counts(1, 1, 0))
        return yield* left
      })
      const found = yield* inWarehouse(dataDir, work, { storage: withOther(dataDir, others) })
      expect(found.stored).toEqual(["a 0 1", "a 5 6", "a 6 6"])
      expect(found.superseded).toEqual(["a 5 5"])
    }),
  )
})

it.effect(
  "what other processes may know or have claimed is settled in the transaction itself",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const file = duckdbFile(dataDir)
      const lost = new Set<string>()
      const notes: Array<Note | undefined> = []
      const open: Storage["open"] = async (options, tables) => {
        const database = await file.open(options, tables)
        return {
          ...database,
          exclusively: (work) =>
            database.exclusively((turn) =>
              work({
                ...turn,
                hold: async (claims) => {
                  for (const each of claims) if (lost.has(each.entity)) throw claimLost(each)
                },
                note: async (text) => void notes.push(parseNote(text)),
              }),
            ),
        }
      }
      const claimed = (entity: string) => {
        const batch = of(entity, batchOf([hours(entity, 0, 2, 1)]), 1)
        return { ...batch, claim: { runId: "run-1", pipeline: "sample", entity, epoch: 1 } }
      }
      const work = Effect.gen(function* () {
        yield* commit(claimed("a"))
        lost.add("b")
        const { message } = yield* Effect.flip(commit(claimed("b")))
        expect(message).toContain("this worker no longer has the task")
        const { stored, tasks, cursors } = yield* left
        expect(stored).toEqual(["a 0 1", "a 1 1", "a 2 1"])
        expect(tasks).toEqual(["a loaded 3 0 0"])
        expect(cursors).toEqual(["a 1"])
      })
      yield* inWarehouse(dataDir, work, { storage: { ...file, open } })
      const extents = [{ series: '["a"]', from: hour(0), to: hour(2) }]
      expect(notes).toMatchObject([{ extents: [["core.readings", extents]] }])
    }),
)

it.effect(
  "rows of tables that were empty are appended, without a statement that compares them",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const statementsOf = (work: Effect.Effect<unknown, LoadError, Warehouse>) =>
        Effect.gen(function* () {
          const { exclusively } = yield* Warehouse
          const spies = yield* exclusively("Watching the writer", async ({ connection }) => [
            vi.spyOn(connection, "run"),
            vi.spyOn(connection, "runAndReadAll"),
          ])
          yield* work
          return spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql))
        })
      const landing = commit(batchOf([hours("a", 0, 2, 1)]))
      const compares = (sql: string) => /\bstaged\b/.test(sql)
      const first = yield* inWarehouse(dataDir, statementsOf(landing))
      expect(first.filter(compares)).toEqual([])
      const again = yield* inWarehouse(dataDir, statementsOf(landing))
      expect(again.some(compares)).toBe(true)
    }),
)
