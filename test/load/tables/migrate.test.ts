// Tables are created from their values with comments; columns are added, anything else is refused.
import { readFileSync, writeFileSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Table } from "../../../src/domain/table/table.ts"
import { copyBeforeMigration } from "../../../src/load/storage/file/duckdbFile.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { changeFile, queryFile } from "../../support/warehouseRun.ts"
import { commit, inWarehouse, reading, readings, readingsBatch, rows } from "../sample.ts"

const comments = `
  SELECT table_name || '.' || column_name AS name, data_type, is_nullable, comment
  FROM duckdb_columns() WHERE schema_name = 'core' AND column_name IN ('value', 'observed_at', '_run_id')
    AND table_name LIKE 'readings%' ORDER BY ALL`

const withColumns = (columns: Table["columns"]): Table => ({ ...readings, columns })

const seeded = Effect.fnUntraced(function* () {
  const dataDir = yield* temporaryFolder
  yield* inWarehouse(dataDir, commit(readingsBatch([reading("a", 0, 1)])), { tables: [readings] })
  return dataDir
})

const refusal = (dataDir: string, table: Table) =>
  inWarehouse(dataDir, Effect.void, { tables: [table] }).pipe(
    Effect.flip,
    Effect.map(({ message }) => message),
  )

describe("the stored schema", () => {
  it.effect("has types, required columns and comments with unit and source", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const found = yield* inWarehouse(dataDir, rows(comments))
      expect(found).toContainEqual({
        name: "readings.value",
        data_type: "DOUBLE",
        is_nullable: true,
        comment: "It's a value. [USD] Source: a test, field val",
      })
      expect(found).toContainEqual({
        name: "readings_versions.observed_at",
        data_type: "TIMESTAMP",
        is_nullable: false,
        comment: "Hour. [UTC] Source: a test",
      })
      const uncommented = yield* inWarehouse(
        dataDir,
        rows(`SELECT table_name, column_name FROM duckdb_columns()
          WHERE database_name = 'vaulthouse' AND NOT internal AND comment IS NULL
          UNION ALL SELECT table_name, NULL FROM duckdb_tables()
          WHERE database_name = 'vaulthouse' AND comment IS NULL`),
      )
      expect(uncommented).toEqual([])
    }),
  )

  it.effect("is private, and stored so that DuckDB 1.1 opens it", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryFolder, "below", "it")
      yield* inWarehouse(dataDir, Effect.void)
      const file = join(dataDir, "vaulthouse.duckdb")
      const [folder, database, bytes] = yield* Effect.promise(() =>
        Promise.all([stat(dataDir), stat(file), readFile(file)]),
      )
      expect(folder.mode & 0o777).toBe(0o700)
      expect(database.mode & 0o777).toBe(0o600)
      // The file's storage version: 64 is v1.0.0 and v1.1.0.
      expect(bytes.subarray(8, 12).toString()).toBe("DUCK")
      expect(bytes.readBigUInt64LE(12)).toBe(64n)
    }),
  )

  it.effect("gains an optional column in table and versions, and new comments", () =>
    Effect.gen(function* () {
      const dataDir = yield* seeded()
      const grown = withColumns([
        ...readings.columns.map((column) =>
          column.name === "value" ? { ...column, comment: "Renamed" } : column,
        ),
        { name: "added", type: "double", comment: "Added later" },
      ])
      const found = yield* inWarehouse(
        dataDir,
        Effect.gen(function* () {
          yield* commit(readingsBatch([], {}))
          return yield* rows(`SELECT r.value, r.added, c.comment FROM core.readings r,
            duckdb_columns() c WHERE c.table_name = 'readings_versions' AND c.column_name = 'added'`)
        }),
        { tables: [grown] },
      )
      expect(found).toEqual([{ value: 1, added: null, comment: "Added later. Source: a test" }])
      // As it was before; kept once, until the layout changes again.
      const copy = copyBeforeMigration(dataDir)
      expect(yield* queryFile(copy, "select count(*)::integer as n from core.readings")).toEqual([
        { n: 1 },
      ])
      writeFileSync(copy, "")
      yield* inWarehouse(dataDir, Effect.void, { tables: [grown] })
      expect(readFileSync(copy, "utf8")).toBe("")
      const renamed = yield* inWarehouse(dataDir, rows(comments), { tables: [grown] })
      expect(renamed.map(({ comment }) => comment)).toContain(
        "Renamed. [USD] Source: a test, field val",
      )
    }),
  )

  it.effect("is copied before it changes, and opens from then on without another copy", () =>
    Effect.gen(function* () {
      const dataDir = yield* seeded()
      const copy = copyBeforeMigration(dataDir)
      const added = { name: "added", type: "double", comment: "Added later" } as const
      const grown = { tables: [withColumns([...readings.columns, added])] }
      yield* inWarehouse(dataDir, commit(readingsBatch([reading("a", 1, 2)])), grown)
      const before = yield* Effect.promise(() => DuckDBInstance.create(copy))
      const connection = yield* Effect.promise(() => before.connect())
      const found = yield* Effect.promise(() =>
        connection.runAndReadAll("SELECT * FROM core.readings"),
      )
      connection.closeSync()
      before.closeSync()
      expect(found.columnNames()).not.toContain("added")
      expect(found.currentRowCount).toBe(1)
      writeFileSync(copy, "")
      yield* inWarehouse(dataDir, Effect.void, grown)
      expect(readFileSync(copy, "utf8")).toBe("")
    }),
  )

  it.effect("refuses another type, a column gone and a required one without values", () =>
    Effect.gen(function* () {
      const dataDir = yield* seeded()
      const [address, at, , ...others] = readings.columns
      const message = yield* refusal(
        dataDir,
        withColumns([
          ...(address === undefined || at === undefined ? [] : [address, at]),
          ...others.slice(1),
          { name: "value", type: "text", comment: "Now text" },
          { name: "needed", type: "text", required: true, comment: "Needed" },
          { name: "fine", type: "text", comment: "This alone would be added" },
        ]),
      )
      expect(message).toContain("core.readings.value is stored as DOUBLE, now VARCHAR")
      expect(message).toContain("core.readings.count is stored but no longer declared")
      expect(message).toContain("core.readings.needed is required but the stored rows lack it")
      expect(message).toContain("Nothing was changed")
      const columns = yield* inWarehouse(
        dataDir,
        rows("SELECT column_name FROM duckdb_columns() WHERE table_name = 'readings'"),
        { tables: [readings] },
      )
      expect(columns).not.toContainEqual({ column_name: "fine" })
    }),
  )

  it.effect("adds a required column while a table is empty, and lets a required one go", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* inWarehouse(dataDir, Effect.void, { tables: [readings] })
      const needed = { name: "needed", type: "text", required: true, comment: "Needed" } as const
      const strict = withColumns([...readings.columns, needed])
      const lenient = withColumns([...readings.columns, { ...needed, required: false }])
      const nullable = rows(`SELECT DISTINCT is_nullable FROM duckdb_columns()
        WHERE column_name = 'needed'`)
      expect(yield* inWarehouse(dataDir, nullable, { tables: [strict] })).toEqual([
        { is_nullable: false },
      ])
      expect(yield* inWarehouse(dataDir, nullable, { tables: [lenient] })).toEqual([
        { is_nullable: true },
      ])
      expect(yield* refusal(dataDir, strict)).toContain("is stored as optional, now required")
    }),
  )

  it.effect("of a newer layout is refused by its number, and left as it is", () =>
    Effect.gen(function* () {
      const dataDir = yield* seeded()
      const file = join(dataDir, "vaulthouse.duckdb")
      // A newer version whose tables this one could add to.
      yield* changeFile(
        file,
        "update ops.layout set number = 99, fingerprint = 'newer'",
        "create table core.later (i integer)",
        "checkpoint",
      )
      const before = readFileSync(file)
      expect(yield* refusal(dataDir, readings)).toMatch(
        /^A newer version of vaulthouse has written this warehouse: its layout has the number 99, and this version knows those up to \d+\. Nothing was changed\./,
      )
      expect(readFileSync(file).equals(before)).toBe(true)
    }),
  )
})
