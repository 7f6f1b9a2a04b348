// Which rows a reading of their set retires: those that no page of a whole set has, and none of a set that may be partial.
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Batch } from "../../../../src/domain/run/outcome.ts"
import type { Rows } from "../../../../src/domain/table/table.ts"
import { haveRepeatedMergeKeys } from "../../../../src/load/commit/merge/retire.ts"
import { stage } from "../../../../src/load/commit/merge/stage.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { batchOf, commit, commitTogether, inWarehouse, replayed, rows } from "../../sample.ts"
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

it("takes effect one batch after the other only where several batches have rows of one set", async () => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  const [one, other] = [holdingsOn(DAY, SECOND, { Aave: 1 }), holdingsOn(DAY, THIRD, { Morpho: 2 })]
  const areRepeated = async (...batches: ReadonlyArray<number>) => {
    const pages = [one, other].map((page, at) => ({
      batch: batches[at] ?? 0,
      rows: page,
      runId: "run-1",
    }))
    return haveRepeatedMergeKeys(connection, await stage(connection, holdings, pages))
  }
  expect(await areRepeated(0, 1)).toBe(true)
  expect(await areRepeated(0, 0)).toBe(false)
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
