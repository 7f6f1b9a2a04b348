// Publications of a warehouse with readings of two months, and what they left in Parquet.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import { publish } from "../../../src/load/published/publish.ts"
import type { Warehouse, WarehouseOptions } from "../../../src/load/Warehouse.ts"
import { inWarehouse, reading } from "../sample.ts"

let run = 0

/** Runs as a run of its own, which a publication needs. */
export const asRun = <A, E>(
  dataDir: string,
  work: Effect.Effect<A, E, Warehouse>,
  options: Partial<WarehouseOptions> = {},
) => inWarehouse(dataDir, work, { runId: `run-${(run += 1)}`, ...options })

export const published = { parquet: { marts: false } }
export const publishAll = publish(published)

// The 31st of January from noon on, and the 1st of February.
export const twoMonths = (value: number) =>
  Array.from({ length: 24 }, (_, at) => reading("a", at, value))

export const inMemory = (sql: string) =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(":memory:")
    try {
      const connection = await instance.connect()
      return (await connection.runAndReadAll(sql)).getRowObjectsJson()
    } finally {
      instance.closeSync()
    }
  })

/** The current files of the table, by name. */
export const readingsFiles = (dataDir: string): ReadonlyArray<string> =>
  readdirSync(join(dataDir, "parquet/current/core/readings")).toSorted()

export const monthsOf = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.map((name) => name.slice(0, 7))

export const everyReading = (dataDir: string): string =>
  `read_parquet('${dataDir}/parquet/current/core/readings/**/*.parquet')`
