// A mart whose rows may depend on the present time is of the publication it is in, whatever the clock says.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tableName } from "../../../../src/domain/table/table.ts"
import { createMarts } from "../../../../src/load/marts/createMarts.ts"
import type { Manifest } from "../../../../src/load/published/parquet/manifest.ts"
import { publish } from "../../../../src/load/published/publish.ts"
import { Warehouse } from "../../../../src/load/Warehouse.ts"
import { coreTables } from "../../../../src/pipelines/pipelines.ts"
import { ahead } from "../../../support/movableClock.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { batchOf, commit, inWarehouse, rowsOf } from "../../sample.ts"

const ratioHistory = coreTables.find((table) => tableName(table) === "core.ratio_history")

const createViews = Effect.flatMap(Warehouse, ({ exclusively, tables }) =>
  exclusively("test", (session) => createMarts(session, tables)),
)

it.live("is exported again by a second publication in the same millisecond", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const commitPoint = (hour: number) => {
      const point = {
        vault_address: "0xaa",
        observed_at: Date.UTC(2026, 0, 1, hour) * 1000,
        adjusted_redeem_ratio: 1,
      }
      // Of a response long ago, so that it is no row that is dated ahead.
      const rows = ratioHistory === undefined ? [] : [rowsOf(ratioHistory, [point], 1)]
      return commit(batchOf(rows))
    }
    const publishPoint = Effect.fnUntraced(function* (hour: number) {
      const work = Effect.andThen(commitPoint(hour), publish({ parquet: { marts: true } }))
      yield* inWarehouse(dataDir, work, { runId: `run-${hour}`, tables: coreTables })
      const manifest = readFileSync(join(dataDir, "parquet/current/manifest.json"), "utf8")
      const { files } = JSON.parse(manifest) as Manifest
      return files.find(({ schema, table }) => `${schema}.${table}` === "mart.ratio_points")?.rows
    })
    const first = Effect.andThen(createViews, publish({ parquet: undefined }))
    yield* inWarehouse(dataDir, first, { runId: "run-0", tables: coreTables })
    // Set back since, the clock moves on by a microsecond for each step.
    const counts = yield* ahead(-3_600_000, Effect.forEach([1, 2], publishPoint))
    expect(counts).toEqual([1, 2])
  }),
)
