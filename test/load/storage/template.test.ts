// A new warehouse is a copy of a template; one with an unchanged layout is opened without creating anything.
import { randomUUID } from "node:crypto"
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { DuckDBInstance } from "@duckdb/node-api"
import { fingerprintOf } from "../../../src/load/tables/warehouseLayout.ts"
import { operationTables } from "../../../src/load/tables/index.ts"
import { copyTemplate, makeEmptyWarehouse } from "../../../src/load/storage/template.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { inWarehouse, readings, rows } from "../sample.ts"

const catalog = `
  SELECT schema_name, table_name, column_name, data_type, is_nullable, comment FROM duckdb_columns()
  WHERE database_name = 'vaulthouse' ORDER BY ALL`

it.effect(
  "a copied template has the tables and comments that are made where none can be copied",
  () =>
    Effect.gen(function* () {
      const copied = yield* inWarehouse(yield* temporaryFolder, rows(catalog))
      const dataDir = yield* temporaryFolder
      // An empty database is there already, as where no template could be kept.
      const empty = yield* Effect.promise(() =>
        DuckDBInstance.create(join(dataDir, "vaulthouse.duckdb")),
      )
      empty.closeSync()
      expect(yield* inWarehouse(dataDir, rows(catalog))).toEqual(copied)
    }),
)

it.effect("where nothing can be copied, no file is left", () =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "missing", "vaulthouse.duckdb")
    yield* Effect.promise(() => copyTemplate(file, [readings]))
    expect(existsSync(file)).toBe(false)
  }),
)

it.effect("a process that was killed while it made one leaves nothing in the way of the next", () =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "vaulthouse.duckdb")
    // In a container, the next process often has the number of the one before.
    writeFileSync(`${file}.${process.pid}`, "half of a warehouse")
    yield* Effect.promise(() => makeEmptyWarehouse(file, [readings, ...operationTables]))
    expect(existsSync(file)).toBe(true)
    expect(existsSync(`${file}.${process.pid}`)).toBe(false)
  }),
)

it.effect("what other versions left in the cache is removed after a month, and not before", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    // Makes the folder of the cache.
    yield* Effect.promise(() => copyTemplate(join(folder, "first"), [readings]))
    const cache = join(homedir(), ".cache/vaulthouse")
    const [old, young] = [31, 29].map((days) => {
      const name = `${randomUUID()}.duckdb`
      writeFileSync(join(cache, name), "of another version")
      const changedAt = Date.now() / 1000 - days * 86_400
      utimesSync(join(cache, name), changedAt, changedAt)
      return name
    })
    // Of a layout that was never there.
    const tables = [{ ...readings, comment: randomUUID() }, ...operationTables]
    yield* Effect.promise(() => copyTemplate(join(folder, "second"), tables))
    const left = readdirSync(cache)
    const made = left.filter((name) => name.startsWith(fingerprintOf(tables).slice(0, 32)))
    expect(made).toHaveLength(1)
    for (const name of [young ?? "", ...made]) rmSync(join(cache, name), { force: true })
    expect(left).toContain(young)
    expect(left).not.toContain(old)
  }),
)

it("another comment is another layout", () => {
  const renamed = { ...readings, comment: "Other readings" }
  expect(fingerprintOf([renamed, ...operationTables])).not.toBe(
    fingerprintOf([readings, ...operationTables]),
  )
})
