// Makes what readers use: the Parquet export and a complete read-only copy of the database, put in place by
// rename so that readers never see half of it.
import { existsSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import { invariant } from "../../domain/invariant.ts"
import { rowsOf } from "../../domain/table/rowsOf.ts"
import { formatMicros, parseInstant } from "../../domain/values/time.ts"
import { markEverything } from "../commit/markEverything.ts"
import { Changes, onCopy, type Session } from "../commit/session.ts"
import { transaction } from "../duckdb/transaction.ts"
import { makeFolder } from "../../domain/flush.ts"
import { putInPlace, writeDurably } from "../../domain/durableFiles.ts"
import { filesError, type LoadError } from "../errors.ts"
import { manifestFile, parquetDirectory } from "./parquet/manifest.ts"
import { type Exported, exportParquet } from "./parquet/exportParquet.ts"
import type { ParquetOptions } from "./parquet/parquetFile.ts"
import { makeCurrent, removeOldParquet, removeParquet } from "./parquet/parquetFolder.ts"
import { publishedDirectory, publishedFile } from "./read/PublishedCopy.ts"
import { giveAccess, giveAccessBelow, ownerOnly, type PublishedAccess } from "./publishedAccess.ts"
import {
  ASIDE,
  copyName,
  foreignLogs,
  giveStableName,
  headerOf,
  isCopyUnchanged,
  isUnchanged,
  type PublishedKeep,
  readCurrent,
  removeNeverCurrentCopy,
  removeOldCopies,
  unfinished,
  writeCurrent,
} from "./publishedFiles.ts"
import { type ViewDefinitions, viewDefinitions } from "./publishedViews.ts"
import { attachConfined } from "../duckdb/confine.ts"
import { readRows } from "../duckdb/readRows.ts"
import { readStoredMarts } from "./marts/readStoredMarts.ts"
import { publicationState, publicationStateSql } from "./publicationState.ts"
import { refreshStoredMarts } from "./marts/refreshStoredMarts.ts"
import { publications } from "../tables/ops/publications.ts"
import { instant } from "../sql/sql.ts"
import { WITHOUT_LOG } from "../storage/template.ts"
import { Warehouse } from "../Warehouse.ts"

export interface PublishOptions {
  /** `undefined` makes no Parquet, and removes what an earlier publication made: it would go out of date. */
  readonly parquet: ParquetOptions | undefined
  /** Without it, only the owner can read what is published. */
  readonly access?: PublishedAccess
  /** Without it, earlier publications are removed. */
  readonly keep?: PublishedKeep
  /** Of this publication, no other's; absent: that of the run. */
  readonly publicationId?: string
}

export interface Publishing extends PublishOptions {
  /** Make everything again from the rows, as after they were changed by hand, even if recorded as up to date. */
  readonly rebuildAll?: boolean
}

export interface Publication {
  readonly runId: string
  /** As-of time of everything published, ISO-8601 UTC. */
  readonly publishedAt: string
  readonly parquetFiles: number
  readonly parquetRows: number
  /** Parquet files that were written: those whose rows changed. */
  readonly parquetWritten: number
  /** Parquet files of earlier publications that were removed, if this one makes none. */
  readonly parquetRemoved: number
}

/** Records the publication. Resolves to its as-of time, in microseconds since 1970: `at`, or the present. */
const stamp = (
  session: Session,
  id: string,
  at: number | undefined,
  parquet: { readonly files: number; readonly rows: number } | undefined,
): Promise<number> =>
  transaction(session, async () => {
    const published_at = at ?? session.tick()
    const publication = {
      run_id: id,
      published_at,
      parquet_files: parquet?.files,
      parquet_rows: parquet?.rows,
    }
    await new Changes(session).write([rowsOf(publications, [publication])])
    return published_at
  })

/** In a DuckDB of its own: the lake's is not confined, and views may be of whoever changed the copy before. */
const withCopy = async <A>(
  copy: string,
  options: string,
  work: (connection: DuckDBConnection) => Promise<A>,
): Promise<A> => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
  const connection = await instance.connect()
  try {
    // DuckDB 1.5 leaves metadata of earlier checkpoints in place, and some such files fail to open in 1.1 to 1.3 with
    // "Failed to load metadata pointer": the copy's own checkpoint writes all metadata again.
    await connection.run("SET experimental_metadata_reuse = false")
    await attachConfined(connection, copy, "copied", [], options)
    return await work(connection)
  } finally {
    // An open connection would keep the file open until it is collected.
    connection.closeSync()
    instance.closeSync()
  }
}

/** Makes the copy's marts read their stored rows, and the file readable for older versions of DuckDB. */
const completeCopy = (copy: string): Promise<void> =>
  withCopy(copy, WITHOUT_LOG, async (connection) => {
    await readStoredMarts(connection, "copied")
    await connection.run("CHECKPOINT copied")
    await connection.run("DETACH copied")
  })

/** Opens the copy as a reader would and reads its stamp and views, before it takes the old one's place. */
const checkCopy = (copy: string, runId: string): Promise<ViewDefinitions> =>
  withCopy(copy, "READ_ONLY", async (connection) => {
    const [newest] = await readRows(
      connection,
      "SELECT run_id FROM copied.ops.publications ORDER BY published_at DESC LIMIT 1",
    )
    const held = String(newest?.["run_id"])
    invariant(held === runId, "a published copy holds the state of its run", { held, run: runId })
    return viewDefinitions(connection, "copied")
  })

const countsOf = (exported: Exported | undefined) => {
  const files = exported?.manifest.files ?? []
  return { files: files.length, rows: files.reduce((sum, { rows }) => sum + rows, 0) }
}

/** The copy published last in this folder, if it is as it was, has the same definition and not all rows must be copied. */
const previousCopy = async (
  dataDir: string,
  definition: string,
  rebuildAll: boolean,
): Promise<string | undefined> => {
  const current = await readCurrent(dataDir)
  if (rebuildAll || current?.definition !== definition) return undefined
  const file = join(publishedDirectory(dataDir), current.file)
  return existsSync(file) && (await isUnchanged(current, file)) ? file : undefined
}

const stateOf = async (connection: DuckDBConnection, options: PublishOptions) => {
  const [row] = await readRows(connection, publicationStateSql())
  return publicationState(row, options)
}

const publishAll = async (
  session: Session,
  warehouse: Warehouse["Service"],
  options: Publishing,
): Promise<Publication> => {
  const { dataDir } = warehouse
  const access = options.access ?? ownerOnly
  const directory = publishedDirectory(dataDir)
  await makeFolder(directory)
  await removeNeverCurrentCopy(dataDir)
  for (const name of await readdir(directory)) {
    if (name.startsWith(ASIDE)) await rm(join(directory, name), { force: true })
  }
  const runId = options.publicationId ?? session.runId
  const file = copyName(runId)
  await writeDurably(unfinished(dataDir), file)
  // Changes from here on are not in this publication and have to be marked again.
  session.marked.clear()
  if (options.rebuildAll === true) await markEverything(session, warehouse.tables)
  const micros = await stamp(session, runId, undefined, undefined)
  const publishedAt = formatMicros(micros)
  const { definition } = await stateOf(session.connection, options)
  const aside = join(directory, `${ASIDE}${process.pid}.duckdb`)
  const { content, exported } = await session.makeCopy({
    file: aside,
    previous: await previousCopy(dataDir, definition, options.rebuildAll ?? false),
    complete: async (connection) => {
      const source = connection === session.connection ? session : onCopy(session, connection)
      await refreshStoredMarts(source, options.rebuildAll ?? false)
      const made =
        options.parquet === undefined
          ? undefined
          : await exportParquet({
              connection,
              dataDir,
              tables: warehouse.tables,
              options: options.parquet,
              stamp: { runId, publishedAt, publishedMicros: micros },
              access,
              rebuildAll: options.rebuildAll ?? false,
            })
      // Records it in the warehouse, and in the copy if that is another database.
      for (const each of connection === session.connection ? [session] : [session, source]) {
        if (made !== undefined) await stamp(each, runId, micros, countsOf(made))
      }
      return { exported: made, content: (await stateOf(connection, options)).content }
    },
  })
  await completeCopy(aside)
  const definitions = await checkCopy(aside, runId)
  await giveAccess(aside, access)
  // Before readers are switched to it: to other users a folder without access is one without tables.
  await giveAccessBelow(dataDir, [parquetDirectory(dataDir)], access)
  if (exported !== undefined) await makeCurrent(dataDir, exported.manifest)
  await putInPlace(aside, join(directory, file))
  await giveStableName(dataDir, file)
  const parquetRemoved = exported === undefined ? await removeParquet(dataDir) : 0
  const header = await headerOf(join(directory, file))
  const stamped = { file, run_id: runId, published_at: publishedAt, definition, content, header }
  await writeCurrent(dataDir, { ...stamped, ...definitions }, access)
  const keep = options.keep ?? { copies: 0, days: 0 }
  await removeOldCopies(dataDir, file, keep)
  if (exported !== undefined) await removeOldParquet(dataDir, exported.manifest, keep)
  await giveAccessBelow(dataDir, [directory], access)
  await rm(unfinished(dataDir))
  const { files, rows } = countsOf(exported)
  return {
    runId,
    publishedAt,
    parquetFiles: files,
    parquetRows: rows,
    parquetWritten: exported?.written ?? 0,
    parquetRemoved,
  }
}

/** Publishes the warehouse as it is now; readers keep what they had until each part is complete. */
export const publish = (options: Publishing): Effect.Effect<Publication, LoadError, Warehouse> =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.exclusively("Publishing the warehouse", (session) =>
      publishAll(session, warehouse, options).catch((cause: unknown) => {
        throw filesError("Publishing the warehouse", cause)
      }),
    ),
  )

/**
 * Whether readers would find anything new: facts, gaps, quarantine or drift changed since the last publication, it was
 * not completed, its definition has changed, its files are missing, or somebody has written to the copy. Tasks, cursors and
 * archived responses alone are not news.
 */
export const changedSincePublication = (
  options: PublishOptions,
): Effect.Effect<boolean, LoadError, Warehouse> =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const { dataDir } = warehouse
    const current = yield* Effect.promise(() => readCurrent(dataDir))
    if (current === undefined) return true
    if (!existsSync(publishedFile(dataDir)) || existsSync(unfinished(dataDir))) return true
    if ((yield* Effect.promise(() => foreignLogs(dataDir))).length > 0) return true
    if (!(yield* Effect.promise(() => isCopyUnchanged(dataDir, current)))) return true
    if (existsSync(manifestFile(dataDir)) !== (options.parquet !== undefined)) return true
    const [row] = yield* warehouse.rows(publicationStateSql())
    const state = publicationState(row, options)
    return (
      current.content !== state.content ||
      current.definition !== state.definition ||
      current.duckdb !== state.duckdb
    )
  })

/**
 * Whether readers may still look for archived bodies where these were before they were last moved: no publication since then has
 * been completed.
 */
export const hasUnpublishedPlaces: Effect.Effect<boolean, LoadError, Warehouse> = Effect.gen(
  function* () {
    const { dataDir, rows } = yield* Warehouse
    if (existsSync(unfinished(dataDir))) return true
    const current = yield* Effect.promise(() => readCurrent(dataDir))
    const publishedAt = parseInstant(current?.published_at) ?? 0
    const moved = yield* rows(
      `select 1 from ops.partition_changes
       where table_schema = 'raw' and table_name = 'places' and changed_at > ${instant(publishedAt)}`,
    )
    return moved.length > 0
  },
)
