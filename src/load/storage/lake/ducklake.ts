// The warehouse as a lake that several machines write: DuckLake's catalog in PostgreSQL, Parquet files in a folder or
// in object storage. Write transactions take turns by a lock of the catalog's database (docs/lake.md).
import { join } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import { isInObjectStore } from "../../../domain/stores/objectStore.ts"
import { openConnections } from "../../duckdb/connections.ts"
import { broken, inspect } from "../inspect.ts"
import { storedTables } from "../../../domain/table/table.ts"
import { CATALOG } from "../../sql/sql.ts"
import { attachAnew, attachIfThere, attachLake, GOES_ON, type LakeOptions } from "./attachLake.ts"
import { attachedAgain } from "./attachedAgain.ts"
import { Catalog } from "./Catalog.ts"
import { AUTHOR } from "./metadata.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { copyLake } from "./copyLake.ts"
import { newObjects } from "./reachObjectStore.ts"
import { newFilesIn } from "./newFiles.ts"
import { undoing } from "../../duckdb/undoing.ts"
import { spillFolder } from "./spillFolder.ts"
import type { Storage } from "../Storage.ts"

export const ducklake = (lake: LakeOptions): Storage => ({
  shown: `ducklake:${lake.catalog.shown}`,
  exists: async () => {
    const catalog = await Catalog.open(lake.catalog, "exists")
    try {
      return (await catalog.dataPath()) !== undefined
    } finally {
      await catalog.close()
    }
  },
  inspect: async (tables) => {
    try {
      const catalog = await Catalog.open(lake.catalog, "inspect")
      try {
        await catalog.requireSuitable()
        return await inspect(tables, (connection) => attachIfThere(connection, lake, catalog))
      } finally {
        await catalog.close()
      }
    } catch (cause) {
      return broken(cause)
    }
  },
  open: async (options, tables) => {
    const catalog = await Catalog.open(lake.catalog, options.runId)
    try {
      await catalog.requireSuitable()
      await catalog.enter()
      const spill = await spillFolder(options.dataDir)
      let data = ""
      const connections = await openConnections(
        options,
        spill.path,
        async (writer) => {
          data = await attachLake(writer, lake, catalog)
        },
        GOES_ON,
      )
      const watched = attachedAgain(lake.catalog.shown, () =>
        connections.aside((connection) => attachAnew(connection, lake, catalog, data)),
      )
      const reader = watched(connections.reader)
      const writer = watched(connections.writer)
      await catalog.begin()
      const schemas = new Set(tables.flatMap(storedTables).map(({ schema }) => schema))
      const files = await (isInObjectStore(data)
        ? newObjects(connections, lake.objectStore())
        : newFilesIn(data, schemas))
      return {
        writer,
        reader,
        exclusively: (work) =>
          catalog.exclusively(async (turn) => {
            await files.begin(turn.others?.length !== 0)
            return undoing(
              () => files.release(),
              () =>
                work({
                  ...turn,
                  note: (text) => note(writer, text),
                  beforeCommit: async () => {
                    await files.keep()
                    await turn.beforeCommit()
                  },
                }),
            )
          }),
        alone: () => catalog.alone(),
        longestWaitMillis: 400,
        clockAhead: () => catalog.clockAhead,
        rowCounts: () => catalog.rowCounts(),
        // DuckLake looks up the statistics of an empty table again for each of its columns, which takes longer than any rows.
        isAnyEmpty: async (names) => {
          const counts = await catalog.rowCounts()
          return names.some((name) => counts.get(name) === 0)
        },
        accepts: (statement) => !UNSUPPORTED.test(statement),
        isRunning: (runId) => catalog.isRunning(runId),
        // Maintenance is a command of its own.
        checkpoint: async () => undefined,
        // A change of the layout is a snapshot like any other; earlier snapshots remain.
        keepCopy: async () => undefined,
        makeCopy: async (copying) => {
          // The state after this process's last commit, whatever others commit meanwhile.
          const [newest] = await readRows(
            writer,
            `SELECT id FROM ${CATALOG}.last_committed_snapshot()`,
          )
          const at = `READ_ONLY, SNAPSHOT_VERSION ${String(newest?.["id"])}`
          const attach = async (connection: DuckDBConnection, name: string): Promise<void> => {
            await attachLake(connection, lake, catalog, name, at)
          }
          return copyLake({ options, spill: join(spill.path, "copy"), tables, attach }, copying)
        },
        close: async () => {
          await connections.close()
          await catalog.close()
          await spill.remove()
        },
      }
    } catch (cause) {
      await catalog.close()
      throw cause
    }
  },
})

/** Becomes part of the snapshot, so that it is there if and only if the transaction is committed. */
const note = async (writer: DuckDBConnection, text: string): Promise<void> => {
  await writer.run(
    `CALL ${CATALOG}.set_commit_message('${AUTHOR}', 'rows of a run', extra_info => $1)`,
    [text],
  )
}

const UNSUPPORTED = /^COMMENT ON (MACRO|COLUMN (mart|meta)\.)/
