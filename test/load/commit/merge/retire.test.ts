// Which rows a reading of their set retires: those that no page of a whole set has, and none of a set that may be partial.
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Batch } from "../../../../src/domain/run/outcome.ts"
import type { Rows } from "../../../../src/domain/table/table.ts"
import { haveRepeatedMergeKeys } from "../../../../src/load/commit/merge/retire.ts"
import { stage } from "../../../../src/load/commit/merge/stage.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  commitTogether,
  descriptions,
  inWarehouse,
  replayed,
  rows,
  rowsOf,
  type RowValues,
} from "../../sample.ts"
import { holdings, holdingsOn } from "../../sets.ts"

// 2024-01-30.
const DAY = 19_752
const FIRST = 1_000_000
const SECOND = 2_000_000
const THIRD = 3_000_000

const partial = (page: Rows): Rows => ({ ...page, isPartial: true })

const listed = (table: string, ...columns: ReadonlyArray<string>) =>
  Effect.map(
    rows(`select concat_ws(' ', protocol, ${columns.join(", ")}) as line from core.${table}
      order by line`),
    (found) => found.map(({ line }) => line),
  )

/** What is stored, and what was superseded and when, after three protocols were read and then `batches`, one by one or together. */
const after = Effect.fnUntraced(function* (
  batches: ReadonlyArray<Batch>,
  commitAll: (batches: ReadonlyArray<Batch>) => ReturnType<typeof commitTogether> = (all) =>
    Effect.forEach(all, commit),
) {
  const dataDir = yield* temporaryFolder
  const work = Effect.gen(function* () {
    yield* commit(batchOf([holdingsOn(DAY, FIRST, { Aave: 1, Morpho: 2, Pendle: 3 })]))
    yield* commitAll(batches)
    return {
      stored: yield* listed("holdings", "value::integer"),
      superseded: yield* listed(
        "holdings_versions",
        "value::integer",
        "epoch_us(_superseded_at)",
        "_superseded_by_run_id",
      ),
    }
  })
  return yield* inWarehouse(dataDir, work, { tables: [holdings] })
})

const whole = { stored: ["Aave 1", "Morpho 2", "Pendle 3"], superseded: [] }

it.effect("ends at the time of the last page that arrived, in whichever order the pages are", () =>
  Effect.gen(function* () {
    const titled = (vault: string, receivedAt: number): Rows => ({
      ...rowsOf(descriptions, [{ vault_address: vault, title: vault }], receivedAt),
      mergeKey: {},
    })
    const work = Effect.gen(function* () {
      yield* commit(batchOf([titled("a", FIRST), titled("b", FIRST), titled("c", FIRST)]))
      yield* commit(batchOf([titled("a", THIRD), titled("b", SECOND)]))
      return yield* rows(
        `select vault_address as vault, epoch_us(valid_to)::double as ended from core.descriptions
         where valid_to is not null`,
      )
    })
    const ended = yield* inWarehouse(yield* temporaryFolder, work, { tables: [descriptions] })
    expect(ended).toEqual([{ vault: "c", ended: THIRD }])
  }),
)

it("takes effect one batch after the other only where several batches have rows of one set", async () => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  const areRepeated = async (pages: ReadonlyArray<Rows>, batches = pages.map((_, at) => at)) => {
    const [{ table } = { table: holdings }] = pages
    const ofBatches = pages.map((page, at) => ({
      batch: batches[at] ?? 0,
      rows: page,
      runId: "run-1",
    }))
    return haveRepeatedMergeKeys(connection, await stage(connection, table, ofBatches))
  }
  const one = holdingsOn(DAY, SECOND, { Aave: 1 })
  const other = holdingsOn(DAY, THIRD, { Morpho: 2 })
  const later = holdingsOn(DAY + 1, THIRD, { Morpho: 2 })
  const without = (day: number): Rows => ({
    ...holdingsOn(day, THIRD, {}),
    emptySets: [{ vault_address: "a", day }],
  })
  expect(await areRepeated([one, other])).toBe(true)
  expect(await areRepeated([one, other], [0, 0])).toBe(false)
  expect(await areRepeated([one, later])).toBe(false)
  expect(await areRepeated([one, without(DAY)])).toBe(true)
  expect(await areRepeated([one, without(DAY + 1)])).toBe(false)
  // Sets that pages say they hold whole, and rows of pages that say nothing.
  const titled = (vault: string, title: string) =>
    rowsOf(descriptions, [{ vault_address: vault, title }])
  const of = (page: Rows, mergeKey: RowValues): Rows => ({ ...page, mergeKey })
  const [a, b] = [titled("a", "A"), titled("b", "B")]
  const allOfA = of(a, { vault_address: "a" })
  expect(await areRepeated([a, b])).toBe(false)
  expect(await areRepeated([allOfA, of(b, { vault_address: "b" })])).toBe(false)
  expect(await areRepeated([allOfA, of(titled("a", "B"), { vault_address: "a" })])).toBe(true)
  expect(await areRepeated([allOfA, b])).toBe(false)
  expect(await areRepeated([allOfA, titled("a", "B")])).toBe(true)
  expect(await areRepeated([allOfA, of(b, { title: "B" })])).toBe(false)
  expect(await areRepeated([allOfA, of(titled("b", "A"), { title: "A" })])).toBe(true)
  connection.closeSync()
  instance.closeSync()
})

describe("a set with a partial page", () => {
  it.effect("retires no row, whichever of its pages is partial", () =>
    Effect.gen(function* () {
      const one = holdingsOn(DAY, SECOND, { Aave: 1 })
      const other = holdingsOn(DAY, THIRD, { Morpho: 2 })
      expect(yield* after([batchOf([partial(one)])])).toEqual(whole)
      expect(yield* after([batchOf([partial(one), other])])).toEqual(whole)
      expect(yield* after([batchOf([one, partial(other)])])).toEqual(whole)
    }),
  )

  it.effect("does not keep another set of the response from being taken as whole", () =>
    Effect.gen(function* () {
      const found = yield* after([
        batchOf([holdingsOn(DAY + 1, FIRST + 1, { Aave: 5, Morpho: 6 })]),
        batchOf([
          partial(holdingsOn(DAY, SECOND, { Aave: 1 })),
          holdingsOn(DAY + 1, SECOND, { Aave: 5 }),
        ]),
      ])
      expect(found.stored).toEqual(["Aave 1", "Aave 5", "Morpho 2", "Pendle 3"])
      expect(found.superseded).toEqual([`Morpho 6 ${SECOND} run-1`])
    }),
  )
})

describe("a whole set", () => {
  it.effect("retires what none of its pages has, as of the last of them", () =>
    Effect.gen(function* () {
      const pages = [holdingsOn(DAY, SECOND, { Aave: 1 }), holdingsOn(DAY, THIRD, { Pendle: 3 })]
      expect(yield* after([replayed("run-2", pages)])).toEqual({
        stored: ["Aave 1", "Pendle 3"],
        superseded: [`Morpho 2 ${THIRD} run-2`],
      })
    }),
  )

  it.effect("retires nothing that was read after it", () =>
    Effect.gen(function* () {
      const older = batchOf([holdingsOn(DAY, FIRST - 1, { Aave: 1 })])
      expect(yield* after([older])).toEqual(whole)
    }),
  )

  it.effect("of two batches in one commit retires each member in its turn", () =>
    Effect.gen(function* () {
      const batches = [
        replayed("run-2", [holdingsOn(DAY, SECOND, { Aave: 1, Morpho: 2 })]),
        replayed("run-3", [holdingsOn(DAY, THIRD, { Aave: 1, Pendle: 4 })]),
      ]
      const expected = {
        stored: ["Aave 1", "Pendle 4"],
        superseded: [`Morpho 2 ${THIRD} run-3`, `Pendle 3 ${SECOND} run-2`],
      }
      expect(yield* after(batches)).toEqual(expected)
      expect(yield* after(batches, commitTogether)).toEqual(expected)
    }),
  )

  it.effect("of two batches in one commit may be empty, before or after the other", () =>
    Effect.gen(function* () {
      const empty = (run: string, at: number) =>
        replayed(run, [
          { ...holdingsOn(DAY, at, {}), emptySets: [{ vault_address: "a", day: DAY }] },
        ])
      const one = (run: string, at: number) => replayed(run, [holdingsOn(DAY, at, { Aave: 1 })])
      const retired = (at: number, run: string, ...others: ReadonlyArray<string>) =>
        others.map((protocol) => `${protocol} ${at} ${run}`)
      const [first, last] = [
        [empty("run-2", SECOND), one("run-3", THIRD)],
        [one("run-2", SECOND), empty("run-3", THIRD)],
      ] as const
      expect(yield* after(first, commitTogether)).toEqual({
        stored: ["Aave 1"],
        superseded: retired(SECOND, "run-2", "Aave 1", "Morpho 2", "Pendle 3"),
      })
      expect(yield* after(last, commitTogether)).toEqual({
        stored: [],
        superseded: [
          ...retired(THIRD, "run-3", "Aave 1"),
          ...retired(SECOND, "run-2", "Morpho 2", "Pendle 3"),
        ],
      })
    }),
  )
})
