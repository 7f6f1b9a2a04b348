// The warehouse as one DuckDB file in the data directory, whose lock makes this process its only writer.
import { chmodSync, existsSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { brokenLink } from "../../../domain/brokenLink.ts"
import { flush } from "../../../domain/flush.ts"
import { attachConfined } from "../../duckdb/confine.ts"
import { copyDatabase } from "../../duckdb/copyDatabase.ts"
import { openConnections } from "../../duckdb/connections.ts"
import { number, text } from "../../duckdb/decodeRow.ts"
import { LoadError, WarehouseLocked } from "../../errors.ts"
import { inspect } from "../inspect.ts"
import { lockHolder } from "../../lock/LockFile.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { CATALOG, literal } from "../../sql/sql.ts"
import { sqlFile } from "../../sql/sqlFile.ts"
import { copyTemplate, STORAGE_VERSION, WITHOUT_LOG } from "../template.ts"
import { logOf } from "../../duckdb/databaseLog.ts"
import { onlyWriter } from "../../duckdb/transaction.ts"
import type { Storage } from "../Storage.ts"
import { doublewriteFile, keepingBlocks, mendTornWrites, tornPieces } from "./tornWrites.ts"

export const databaseFile = (dataDir: string): string => join(dataDir, "vaulthouse.duckdb")

/** What stands where a new database would be made, for `there is …`, and what to do about it. */
interface Left {
  readonly found: string
  readonly advice: string
}

/**
 * A broken link, or what a database that is gone has left with its log: DuckDB would apply the log to any other that gets its name.
 * `undefined` where there is neither, or the database is there.
 */
export const leftWithout = (database: string): Left | undefined => {
  const link = brokenLink(database)
  if (link !== undefined) return link
  if (existsSync(database) || !existsSync(logOf(database))) return undefined
  const left = [logOf(database), doublewriteFile(database)].filter((file) => existsSync(file))
  const [names, each] = [left.map((file) => basename(file)).join(" and "), left.join(" and ")]
  return {
    found: `${names} of a database that is gone`,
    advice: `Nothing was changed. Move ${each} to where that database is now, or away, and run this again; DuckDB would take a log for that of the new one.`,
  }
}

const mustNotBe = (what: string, left: Left | undefined): void => {
  if (left === undefined) return
  const { found, advice } = left
  throw new LoadError({ reason: "Files", what, why: `there is ${found}`, advice })
}

/** All that a writer's DuckDB writes and reads again is below these, of which each may be a link to another disk. */
export const writtenFolders = (dataDir: string): ReadonlyArray<string> => [
  dataDir,
  join(dataDir, "published"),
  join(dataDir, "parquet"),
]

/** The warehouse as it was before a newer version last changed its layout. */
export const copyBeforeMigration = (dataDir: string): string =>
  join(dataDir, "vaulthouse.before-migration.duckdb")

export const duckdbFile = (dataDir: string): Storage => fileIn(dataDir, false)

/**
 * A warehouse that is made anew where making it fails. It has no log: its rows are in the file after `checkpoint`, and
 * what a kill or a power cut leaves of it is of no use.
 */
export const scratchFile = (dataDir: string): Storage => fileIn(dataDir, true)

/** How large the log may become, or, without one, the rows that are not in the file yet. */
const CHECKPOINT_MB = 32

// Without a log, DuckDB checkpoints when it is closed. Until then, rows take memory, or space among what is spilled.
const notInFile = `SELECT coalesce(sum(memory_usage_bytes + temporary_storage_bytes), 0)::DOUBLE / 1e6 AS megabytes
  FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'`

/** Throws where this user may not look: that nothing is there would be untrue. */
export const isPresent = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false }) !== undefined

// `doctor` has the file open while it looks at it, which keeps writers out; with a log to apply, for a second or two.
const ATTEMPTS = 50
const MILLIS_BETWEEN_ATTEMPTS = 100

/** Rejects with `WarehouseLocked` if another program has the file open, and still has it after some seconds. */
const whenFree = async (file: string, attach: () => Promise<void>, attempt = 1): Promise<void> => {
  try {
    await attach()
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.includes("Could not set lock"))) throw cause
    if (attempt === ATTEMPTS) throw new WarehouseLocked({ file, holder: undefined })
    await setTimeout(MILLIS_BETWEEN_ATTEMPTS)
    await whenFree(file, attach, attempt + 1)
  }
}

const fileIn = (dataDir: string, isScratch: boolean): Storage => {
  const file = databaseFile(dataDir)
  const attachOptions = `STORAGE_VERSION ${literal(STORAGE_VERSION)}${isScratch ? `, ${WITHOUT_LOG}` : ""}`
  const isThere = (): boolean => {
    mustNotBe(`Looking for the warehouse in ${dataDir}`, brokenLink(file))
    return isPresent(file)
  }
  return {
    shown: dataDir,
    exists: async () => isThere(),
    inspect: async (tables) => {
      const holder = await lockHolder(dataDir)
      if (holder !== undefined) return { state: "held", by: holder }
      const found = await inspect(tables, async (connection) => {
        if (!isThere()) return false
        if (tornPieces(file).length > 0) {
          throw new LoadError({
            reason: "Files",
            what: file,
            why: "a kill or a power cut ended a write to it halfway",
            advice: "The next run repairs it; nothing is lost.",
          })
        }
        await attachConfined(connection, file, "inspected")
        return true
      })
      // A command that has begun meanwhile keeps it from being opened, and writes parts of it.
      const by = found.state === "broken" ? await lockHolder(dataDir) : undefined
      return by === undefined ? found : { state: "held", by }
    },
    open: async (options, tables) => {
      const connections = await openConnections(options, join(dataDir, "tmp"), async (writer) => {
        // The default of 16 MB rewrites the tail of growing tables every few groups, a quarter slower and with more
        // memory at its peak; more than this keeps more of a first sync in memory.
        await writer.run(`SET checkpoint_threshold = '${CHECKPOINT_MB}MB'`)
        const isNew = !existsSync(file)
        mustNotBe(`Making a new warehouse in ${dataDir}`, leftWithout(file))
        if (isNew) await copyTemplate(file, tables)
        else await mendTornWrites(file)
        await whenFree(file, () =>
          attachConfined(writer, file, CATALOG, writtenFolders(dataDir), attachOptions),
        )
        // DuckDB makes files by the umask. A kill may have kept the run that made this one from doing this.
        chmodSync(file, 0o600)
        if (isNew) await flush(dataDir)
        // Closing the database checkpoints what an interrupted command left in the log.
        if (existsSync(logOf(file))) await keepingBlocks(file, writer)()
      })
      const { reader, writer } = connections
      const keepBlocks = isScratch ? async () => undefined : keepingBlocks(file, writer)
      // DuckDB flushes the log that it makes after a checkpoint, but not its name, and makes it by the umask.
      let log: string | undefined
      const protectLog = async (): Promise<void> => {
        const found = statSync(logOf(file), { throwIfNoEntry: false })
        const name = found === undefined ? undefined : `${found.ino} ${found.birthtimeMs}`
        if (name !== undefined && name !== log) {
          chmodSync(logOf(file), 0o600)
          await flush(dataDir)
        }
        log = name
      }
      const checkpoint = async (): Promise<void> => {
        await keepBlocks()
        await writer.run(`CHECKPOINT ${CATALOG}`)
      }
      const checkpointInTime = async (): Promise<void> => {
        const [row] = await readRows(writer, notInFile)
        if (row !== undefined && number("megabytes")(row) > CHECKPOINT_MB) await checkpoint()
      }
      return {
        writer,
        reader,
        exclusively: (work) =>
          onlyWriter(async (turn) => {
            const result = await work({ ...turn, beforeCommit: keepBlocks })
            await (isScratch ? checkpointInTime() : protectLog())
            return result
          }),
        alone: async () => undefined,
        longestWaitMillis: 100,
        clockAhead: () => 0,
        rowCounts: async () => {
          const rows = await readRows(writer, sqlFile("state", "row_counts"))
          return new Map(rows.map((row) => [text("name")(row), number("row_count")(row)]))
        },
        isAnyEmpty: async () => false,
        accepts: () => true,
        isRunning: async () => false,
        checkpoint,
        keepCopy: async () => {
          await checkpoint()
          await copyDatabase(file, copyBeforeMigration(dataDir))
          await flush(dataDir)
        },
        makeCopy: async ({ complete, file: copy }) => {
          const result = await complete(writer)
          await checkpoint()
          await copyDatabase(file, copy)
          return result
        },
        close: async () => connections.close(),
      }
    },
  }
}
