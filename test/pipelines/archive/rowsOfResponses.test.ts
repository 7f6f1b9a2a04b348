// Which rows a rebuilt warehouse lacks, for every table, whatever the names of its key, and for however many responses.
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storedTables, tableName } from "../../../src/domain/table/table.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { rowsMissing } from "../../../src/pipelines/archive/rowsOfResponses.ts"
import { coreTables } from "../../../src/pipelines/pipelines.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

const layer = (dataDir: string) => Warehouse.layer({ dataDir, runId: "r", tables: coreTables })

/** A value of any column that may not be null. */
const anyOf = (type: string): string => {
  if (/^(DATE|TIMESTAMP)/.test(type)) return `${type} '2026-01-01'`
  if (type === "JSON" || type.endsWith("[]")) return `cast('[]' as ${type})`
  return `cast('1' as ${type})`
}

it.live("are those of the responses that were read in part, and of no other", () =>
  Effect.gen(function* () {
    const here = yield* temporaryFolder
    const there = join(here, "rebuilt")
    yield* Effect.scoped(Effect.provide(Effect.void, layer(there)))
    const found = yield* Effect.gen(function* () {
      const { exclusively, rows } = yield* Warehouse
      const columns = yield* rows(
        `select schema_name || '.' || table_name as "table", column_name, data_type from duckdb_columns()
         where schema_name in ('core', 'raw') and not is_nullable`,
      )
      const required = Map.groupBy(columns, ({ table }) => String(table))
      // One row of each table, of response `last`.
      yield* exclusively("Adding rows", async ({ connection }) => {
        const add = (table: string, response: string) => {
          const others = (required.get(table) ?? [])
            .filter(({ column_name }) => column_name !== response)
            .map(
              ({ column_name, data_type }) =>
                `${anyOf(String(data_type))} as "${String(column_name)}"`,
            )
          const values = [`'last' as ${response}`, ...others].join(", ")
          return connection.run(`insert into ${table} by name select ${values}`)
        }
        await add("raw.responses", "response_id")
        for (const stored of coreTables.flatMap(storedTables))
          await add(tableName(stored), "_response_id")
      })
      const named = (ids: ReadonlyArray<string>) => new Map(coreTables.map((table) => [table, ids]))
      // More than one statement takes.
      const others = Array.from({ length: 25_000 }, (_, at) => `other ${at}`)
      return {
        none: yield* rowsMissing(named(["other"]), there),
        all: yield* rowsMissing(named([...others, "last"]), there),
      }
    }).pipe(Effect.provide(layer(here)), Effect.scoped)
    expect(found.none).toEqual([])
    // Twice where the response also ended rows.
    expect(new Set(found.all.map(({ table }) => table))).toEqual(new Set(coreTables.map(tableName)))
    expect(new Set(found.all.map(({ responseId }) => responseId))).toEqual(new Set(["last"]))
  }).pipe(Effect.scoped),
)
