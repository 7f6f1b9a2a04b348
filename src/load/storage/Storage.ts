// What the warehouse is stored in: a DuckDB file (duckdbFile.ts) or a lake (ducklake.ts). Everything else reads and
// writes it by the same SQL, as the catalog `CATALOG`.
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Table } from "../../domain/table/table.ts"
import type { Limits } from "../duckdb/connections.ts"
import type { Holder } from "../lock/LockFile.ts"
import type { Exclusively, Writer } from "../duckdb/transaction.ts"

export interface OpenOptions extends Limits {
  readonly dataDir: string
  readonly runId: string
}

/** The condition of the warehouse, as `inspect` finds it. */
export type Condition =
  | { readonly state: "absent" }
  | {
      readonly state: "held"
      readonly by: Holder
    }
  | {
      readonly state: "opens"
      readonly tables: number
      /** The newest record of ops.runs, as `run_id (command): outcome`. */
      readonly lastRun: string | undefined
      /** Whether its layout is that of this version. */
      readonly isCurrent: boolean
    }
  | { readonly state: "broken"; readonly why: string; readonly advice?: string }

export interface Storage {
  /** Where it is, for messages; without secrets. */
  readonly shown: string
  readonly exists: () => Promise<boolean>
  /** Its condition, for `doctor`: changes nothing, and never fails. */
  readonly inspect: (tables: ReadonlyArray<Table>) => Promise<Condition>
  /** `tables` are those of a new warehouse. Rejects with `LoadError` or DuckDB's own error. */
  readonly open: (options: OpenOptions, tables: ReadonlyArray<Table>) => Promise<Database>
}

/** A copy of the warehouse as it is at one moment, in a DuckDB file. */
export interface Copying<A> {
  /** The file to create. */
  readonly file: string
  /** An earlier copy that this one may be made from; `undefined` to make it from all rows. */
  readonly previous: string | undefined
  /**
   * Completes the content of the copy, on a connection where that content is `CATALOG`: the warehouse itself, or the
   * copy if others write the warehouse meanwhile.
   */
  readonly complete: (connection: DuckDBConnection) => Promise<A>
}

export interface Database {
  /** For transactions and temporary tables. */
  readonly writer: DuckDBConnection
  /** For reading while the writer is in a transaction. */
  readonly reader: DuckDBConnection
  readonly exclusively: Exclusively
  /** Keeps other processes from opening it until `close`. Rejects with `WarehouseLocked` if one has it open. */
  readonly alone: () => Promise<void>
  /** How long a commit waits at most for further batches. */
  readonly longestWaitMillis: number
  /** Microseconds by which the clock that all writers go by is ahead of this machine's. */
  readonly clockAhead: () => number
  /** How many rows each table holds at most, as `schema.name`; those of which that is not known are left out. */
  readonly rowCounts: () => Promise<ReadonlyMap<string, number>>
  /** Whether one of the tables surely has no row: `false` also where finding that out takes as long as reading it. */
  readonly isAnyEmpty: (tables: ReadonlyArray<string>) => Promise<boolean>
  readonly accepts: Writer["accepts"]
  /** Whether another process that works on the run is alive. */
  readonly isRunning: (runId: string) => Promise<boolean>
  /** Writes what is committed to its final place. */
  readonly checkpoint: () => Promise<void>
  /** Called before the layout changes: keeps a copy of the warehouse, if its old state would be lost otherwise. */
  readonly keepCopy: () => Promise<void>
  /** Call it outside a transaction. Resolves to the result of `complete`. */
  readonly makeCopy: <A>(copying: Copying<A>) => Promise<A>
  readonly close: () => Promise<void>
}
