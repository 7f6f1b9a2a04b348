// What a commit counts and stores of rows that can't be stored yet, which it appends without comparing them.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  inWarehouse,
  reading,
  readings,
  replayed,
  rows,
  rowsOf,
} from "../../sample.ts"

it.effect("counts the rows of all pages of a batch", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const work = Effect.gen(function* () {
      const hours = (vault: string, from: number, count: number) =>
        Array.from({ length: count }, (_, at) => reading(vault, from + at, from + at))
      const pages = [hours("a", 0, 3), hours("a", 10, 4), hours("b", 0, 5)]
      const counts = yield* commit(batchOf(pages.map((page) => rowsOf(readings, page))))
      expect(counts).toEqual({ inserted: 12, revised: 0, unchanged: 0 })
      const [task] = yield* rows("select outcome, rows_inserted::int as rows from ops.tasks")
      expect(task).toEqual({ outcome: "loaded", rows: 12 })
    })
    yield* inWarehouse(dataDir, work)
  }),
)

it.effect(
  "stores each value in its column, with its response, run and time, and marks its month",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const work = Effect.gen(function* () {
        // Before and after the end of January.
        const page = [reading("a", 11, 1.5), reading("a", 12, null)]
        const row = { count: -3, flag: true, day: -1, note: "n", amount: "12", extra: "{}" }
        const given = rowsOf(readings, [{ ...page[0], ...row }, page[1] ?? {}], 5_000_000)
        yield* commit(replayed("run-0", [given]))
        const stored = yield* rows("select * from core.readings order by observed_at")
        const lineage = {
          _run_id: "run-0",
          _response_id: "response-2",
          _first_seen_at: "1970-01-01T00:00:05.000Z",
          _updated_at: "1970-01-01T00:00:05.000Z",
        }
        expect(stored).toEqual([
          {
            vault_address: "a",
            observed_at: "2024-01-31T23:00:00.000Z",
            value: 1.5,
            ...row,
            day: "1969-12-31",
            ...lineage,
          },
          {
            vault_address: "a",
            observed_at: "2024-02-01T00:00:00.000Z",
            value: null,
            count: null,
            flag: null,
            day: null,
            note: null,
            amount: null,
            extra: null,
            ...lineage,
          },
        ])
        const marks = yield* rows(
          "select month from ops.partition_changes where table_name = 'readings' order by month",
        )
        expect(marks.map(({ month }) => month)).toEqual(["2024-01", "2024-02"])
      })
      yield* inWarehouse(dataDir, work)
    }),
)
