// Maintenance of a lake: writes small commits to files, joins small files, and removes what no reader needs. Each step takes
// a turn of its own, so that writers wait for one step at most.
import { dirname } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import { LoadError } from "../../errors.ts"
import { CATALOG, literal } from "../../sql/sql.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { transaction, type Writer } from "../../duckdb/transaction.ts"

export interface LakeMaintenance {
  /** Rows that commits had left in PostgreSQL, now in Parquet files. */
  readonly rowsFlushed: number
  /** Files that were rewritten without their deleted rows, or joined with others. */
  readonly filesRewritten: number
  readonly filesCreated: number
  readonly snapshotsExpired: number
  /** Files that no snapshot has any more. */
  readonly filesRemoved: number
  /** Files of transactions that never committed. */
  readonly orphansRemoved: number
}

/** A file is rewritten once this share of its rows is deleted. */
const DELETED_SHARE = 0.2

/**
 * Keeps snapshots and superseded files for `keepDays`, because a reader that opened the lake earlier may still need
 * them. Each step holds its turn to its end, because DuckLake loses deletes of a transaction that is open while its
 * snapshot expires. `published` is the folder of what is published from the lake: fails before anything there is deleted.
 */
export const maintainLake = async (
  writer: Writer,
  keepDays: number,
  published: string,
): Promise<LakeMaintenance> => {
  const { connection, exclusively } = writer
  const called = (name: string, options = "") =>
    readRows(connection, `CALL ducklake_${name}(${literal(CATALOG)}${options})`)
  // What writes files needs a transaction, which flushes them before its COMMIT.
  const inTransaction = (name: string, options?: string) =>
    transaction(writer, () => called(name, options))
  const inTurn = (name: string, options: string) => exclusively(() => called(name, options))
  const old = `, older_than => now() - INTERVAL ${keepDays} DAY`
  const flushed = await inTransaction("flush_inlined_data")
  const rewritten = [
    ...(await inTransaction("rewrite_data_files", `, delete_threshold => ${DELETED_SHARE}`)),
    ...(await inTransaction("merge_adjacent_files")),
  ]
  const expired = await inTurn("expire_snapshots", old)
  const removed = await inTurn("cleanup_old_files", old)
  const orphaned = await inTurn("delete_orphaned_files", `${old}, dry_run => true`)
  await mustBeOfTheLake(connection, orphaned, published)
  const orphans = await inTurn("delete_orphaned_files", old)
  return {
    rowsFlushed: sum(flushed, "rows_flushed"),
    filesRewritten: sum(rewritten, "files_processed"),
    filesCreated: sum(rewritten, "files_created"),
    snapshotsExpired: expired.length,
    filesRemoved: removed.length,
    orphansRemoved: orphans.length,
  }
}

/** DuckLake takes every Parquet file below its folder that is not of the lake for one of a transaction that never committed. */
const mustBeOfTheLake = async (
  connection: DuckDBConnection,
  orphaned: ReadonlyArray<Readonly<Record<string, unknown>>>,
  published: string,
): Promise<void> => {
  const found = await readRows(connection, SCHEMA_FOLDERS)
  const ofTheLake = found.map(({ folder }) => String(folder))
  const other = orphaned
    .flatMap((row) => Object.values(row).map(String))
    .find(
      (path) =>
        path.startsWith(`${published}/`) || !ofTheLake.some((folder) => path.startsWith(folder)),
    )
  if (other === undefined) return
  const folder = other.startsWith(`${published}/`) ? published : dirname(other)
  throw new LoadError({
    reason: "Files",
    what: "Removing the files of transactions that never committed",
    why: `the lake's folder has ${folder} in it, whose files are not the lake's and would be removed too`,
    advice:
      "The rest is done. Move the files away, or the lake: to a file (`vaulthouse move --to file`), and from there into a lake whose lake.data is a folder of its own.",
  })
}

/** Where the lake's tables have their files: a folder for each schema. */
const SCHEMA_FOLDERS = `
  SELECT concat(data_path, schema_name, '/') AS folder
  FROM ducklake_settings(${literal(CATALOG)}), duckdb_schemas() WHERE database_name = ${literal(CATALOG)}`

const sum = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>, column: string): number =>
  rows.reduce((total, row) => total + Number(row[column]), 0)
