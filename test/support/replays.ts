// Replays, and comparisons of their tables.
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { allColumns, storedTables, type Table, tableName } from "../../src/domain/table/table.ts"
import { defaultTimeFields } from "../../src/domain/wire/timeFields.ts"
import { marts } from "../../src/load/marts/marts.ts"
import { pipelineTables } from "../../src/pipelines/pipelines.ts"
import { replay, type ReplayOptions } from "../../src/pipelines/archive/replay.ts"
import { queries, query } from "./warehouseRun.ts"

export const replayOptions = (
  dataDir: string,
  timeFields: ReadonlyArray<string> = defaultTimeFields,
): ReplayOptions => ({ dataDir, timeFields, publish: undefined, onResponse: () => undefined })

export const replayed = (dataDir: string, timeFields?: ReadonlyArray<string>) =>
  replay(replayOptions(dataDir, timeFields))

/** Every table a replay makes, versions included. */
export const replayedTables: ReadonlyArray<Table> = pipelineTables.flatMap(storedTables)

const contentOf = (tables: ReadonlyArray<Table>): string =>
  tables
    .map(
      (table) =>
        `select '${table.name}' as name, count(*)::integer as rows, sum(hash(t))::varchar as content
         from (select ${allColumns(table)
           .map(({ name }) => `"${name}"`)
           .join(", ")} from ${tableName(table)}) t`,
    )
    .join(" union all ")

/** Every stored column of every table, as one number a table. */
export const content = (dataDir: string, tables = replayedTables) =>
  query(dataDir, contentOf(tables))

export const segments = (dataDir: string): ReadonlyArray<string> =>
  readdirSync(join(dataDir, "raw")).toSorted()

export const loseTheWarehouse = (dataDir: string): void => {
  rmSync(join(dataDir, "vaulthouse.duckdb"))
  rmSync(join(dataDir, "vaulthouse.duckdb.wal"), { force: true })
}

/** Without the places of bodies, which the archive may hold more than once. */
const indexRows = `select * exclude (archive_file, archive_offset, archive_length)
  from raw.responses order by response_id`

export const index = (dataDir: string) => query(dataDir, indexRows)

/** These marts, and those that read a table matching the pattern or one of them, directly or through others. */
export const martsReading = (
  table: RegExp,
  given: ReadonlyArray<string> = [],
): ReadonlySet<string> => {
  const found = new Set(given)
  // A mart is listed after those it reads.
  for (const { name, sql } of marts) {
    const code = sql.replaceAll(/--.*/g, "")
    const reads = [...code.matchAll(/\bmart\.(\w+)/g)].map(([, read = ""]) => read)
    if (table.test(code) || reads.some((read) => found.has(read))) found.add(name)
  }
  return found
}

const martsThatMayDiffer = martsReading(/\bops\./, ["clock"])

const martContents = marts
  .filter(({ name }) => !martsThatMayDiffer.has(name))
  .map(
    ({ name }) =>
      `select '${name}' as name, count(*)::integer as rows, sum(hash(t))::varchar as content from mart.${name} t`,
  )
  .join(" union all ")

/**
 * The marts of nothing but these tables, which give the same in whatever order a replay stores the rows. They take longer
 * than the replay of a few rows, so `expectReplays` leaves them out.
 */
export const martContent = (dataDir: string) => query(dataDir, martContents)

/** What a replay of the archive makes: the content of its tables, and the index. */
export const contentAndIndex = (dataDir: string) =>
  queries(dataDir, [contentOf(replayedTables), indexRows])

/**
 * A replay of the archive alone gives the same tables and the same index. With the warehouse it begins with the index, so
 * that its tables are the same as well; test/pipelines/archive/replay.test.ts runs it.
 */
export const expectReplays = Effect.fnUntraced(function* (dataDir: string) {
  const before = yield* contentAndIndex(dataDir)
  loseTheWarehouse(dataDir)
  const alone = yield* replayed(dataDir)
  expect([...alone.unreadable, ...alone.lost, ...alone.unended]).toEqual([])
  expect(yield* contentAndIndex(dataDir)).toEqual(before)
})
