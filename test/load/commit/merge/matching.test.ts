// Which stored rows are compared with those that are read.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Table } from "../../../../src/domain/table/table.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { batchOf, commit, inWarehouse, reading, readings, rows, rowsOf } from "../../sample.ts"

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
