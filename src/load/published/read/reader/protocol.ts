// Messages between a reader process and the process that started it, as JSON. A reader runs one statement at a time.
import type { Json } from "@duckdb/node-api"
import type { QueryParameters } from "../../../../domain/values/queryParameter.ts"

/** The first argument of the process. */
export interface ReaderOptions {
  /** The published copy. */
  readonly file: string
  /** A folder of this process alone, for what spills and for an export. */
  readonly folder: string
  readonly memoryLimit: string
  /** How much may spill. */
  readonly diskLimit: string
}

export interface Column {
  readonly name: string
  /** As DuckDB writes it. */
  readonly type: string
}

export interface Statement {
  readonly sql: string
  readonly parameters: QueryParameters
  /** The rows of a result end before its values exceed this. */
  readonly maxBytes?: number
}

export interface Failure {
  readonly message: string
  /** The statement did not begin: `guard.ts` refused it. */
  readonly isRefused: boolean
  /** Later statements are for another process: DuckDB refuses them, or has too little memory left. */
  readonly isBroken: boolean
}

export type ToReader =
  | { readonly kind: "run"; readonly statement: Statement }
  /** Writes the result, up to `maxRows` rows of it, to `EXPORT` in the folder. */
  | { readonly kind: "export"; readonly statement: Statement; readonly maxRows: number }
  /** Some rows have been used: send more. */
  | { readonly kind: "more" }
  | { readonly kind: "stop" }

export type FromReader =
  | { readonly kind: "ready" }
  | { readonly kind: "columns"; readonly columns: ReadonlyArray<Column> }
  | { readonly kind: "rows"; readonly rows: ReadonlyArray<ReadonlyArray<Json>> }
  /** The statement has ended; `isCut` if `maxBytes` ended it, `exported` is the number of rows of an export. */
  | { readonly kind: "end"; readonly isCut: boolean; readonly exported?: number }
  /** The statement failed, or the copy can't be opened. */
  | ({ readonly kind: "failed" } & Failure)

export const EXPORT = "export.parquet"

/** What does not fit into memory, in the same folder. */
export const SPILL = "spill"

/** How many batches of rows may be under way. */
export const BATCHES_AHEAD = 2
