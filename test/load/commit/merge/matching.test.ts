// Which stored rows are compared with those that are read.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Table } from "../../../../src/domain/table/table.ts"
import { withinBounds } from "../../../../src/load/commit/merge/matching.ts"
import type { Staged } from "../../../../src/load/commit/merge/stage.ts"
import { day, instant } from "../../../../src/load/sql/sql.ts"
import { Warehouse } from "../../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  descriptions,
  hour,
  inWarehouse,
  reading,
  readings,
  rows,
  rowsOf,
} from "../../sample.ts"

/** One row for each vault, whose time is not part of its key. */
const newest: Table = { ...readings, name: "newest", key: ["vault_address"] }

it.effect("a row whose time moves far from that of its key is a revision, not a second row", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const options = { tables: [newest] }
    const landing = (at: number) => commit(batchOf([rowsOf(newest, [reading("a", at, at)])]))
    yield* inWarehouse(dataDir, landing(0), options)
    const later = Effect.gen(function* () {
      expect(yield* landing(5000)).toEqual({ inserted: 0, revised: 1, unchanged: 0 })
      return yield* rows("select value::int as value from core.newest")
    })
    expect(yield* inWarehouse(dataDir, later, options)).toEqual([{ value: 5000 }])
  }),
)

it.effect("a row whose time moves to another month marks both months as changed", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const options = { tables: [newest] }
    const landing = (at: number) => commit(batchOf([rowsOf(newest, [reading("a", at, at)])]))
    const first = Effect.gen(function* () {
      yield* landing(0)
      // As after an export.
      yield* (yield* Warehouse).execute(["delete from ops.partition_changes"])
    })
    yield* inWarehouse(dataDir, first, options)
    const marks = rows(`select table_name || ' ' || month as mark from ops.partition_changes
      where table_schema = 'core' order by mark`)
    const later = Effect.andThen(landing(5000), marks)
    const marked = (yield* inWarehouse(dataDir, later, options)).map(({ mark }) => mark)
    expect(marked).toEqual([
      "newest 2024-01",
      "newest 2024-08",
      "newest_versions 2024-01",
      "newest_versions 2024-08",
    ])
  }),
)

it("only rows stored within the times of those that are read are compared, where the key decides the time", () => {
  const within = (table: Table, bounds: Staged["bounds"]): string =>
    withinBounds({
      table,
      bounds,
      rows: 0,
      rowsOfBatch: new Map(),
      hasEmptySets: false,
      distinct: false,
      mergeKeys: [],
      mergeKeyShapes: [],
    })
  const [hours, days] = [
    { from: hour(0), to: hour(12) },
    { from: 19_752, to: 19_753 },
  ]
  expect(within(readings, hours)).toBe(
    `t."observed_at" BETWEEN ${instant(hours.from)} AND ${instant(hours.to)}`,
  )
  const ofDays: Table = { ...readings, key: ["vault_address", "day"], time: "day" }
  expect(within(ofDays, days)).toBe(`t."day" BETWEEN ${day(days.from)} AND ${day(days.to)}`)
  const all: ReadonlyArray<readonly [Table, Staged["bounds"]]> = [
    [newest, hours],
    [readings, undefined],
    [descriptions, hours],
  ]
  expect(all.map((each) => within(...each))).toEqual(all.map(() => "true"))
})
