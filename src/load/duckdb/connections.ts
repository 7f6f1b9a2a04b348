// The DuckDB instance that a process writes with; its limits and time zone are set before anything is read.
import { availableParallelism } from "node:os"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { makeFolder } from "../../domain/flush.ts"
import { CATALOG, literal } from "../sql/sql.ts"
import { settling } from "./settling.ts"

export interface Connections {
  readonly writer: DuckDBConnection
  readonly reader: DuckDBConnection
  /** Runs `work` on a further connection, in which no database is attached by default. */
  readonly aside: (work: (connection: DuckDBConnection) => Promise<void>) => Promise<void>
  /** Resolves once the statements that still run have ended; further ones are refused. */
  readonly close: () => Promise<void>
}

/** What DuckDB may use of the machine. */
export interface Limits {
  /** For example `1GB` (default 128MB); what does not fit is spilled. */
  readonly memoryLimit?: string
  readonly threads?: number
}

const MAX_SPILL = "20GB"

/** Secrets that the user has stored for DuckDB would come before those of vaulthouse. */
export const OWN_SECRETS = { allow_persistent_secrets: "false" }

/** `attach` attaches the warehouse as `CATALOG`; `spill` is the folder for what does not fit into memory. */
export const openConnections = async (
  { memoryLimit = "128MB", threads }: Limits,
  spill: string,
  attach: (writer: DuckDBConnection) => Promise<void>,
  config: Readonly<Record<string, string>> = {},
): Promise<Connections> => {
  await makeFolder(spill)
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: memoryLimit,
    temp_directory: spill,
    // One core is left to reading and parsing: on two, a second thread here slows both by a sixth.
    threads: String(threads ?? Math.max(1, availableParallelism() - 1)),
    ...OWN_SECRETS,
    ...config,
  })
  const { counted, settle } = settling()
  try {
    const writing = await instance.connect()
    const writer = counted(writing)
    // DuckDB ignores it among the options of `create`.
    await writer.run(`SET max_temp_directory_size = ${literal(MAX_SPILL)}`)
    await attach(writer)
    const reading = await instance.connect()
    const reader = counted(reading)
    for (const connection of [writer, reader]) {
      await connection.run(`USE ${CATALOG}`)
      await connection.run("SET TimeZone = 'UTC'")
    }
    return {
      writer,
      reader,
      aside: async (work) => {
        const connection = await instance.connect()
        try {
          await work(connection)
        } finally {
          connection.closeSync()
        }
      },
      close: async () => {
        await settle()
        writing.closeSync()
        reading.closeSync()
        instance.closeSync()
      },
    }
  } catch (cause) {
    instance.closeSync()
    throw cause
  }
}
