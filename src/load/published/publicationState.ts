// What a publication of the present state would be made from. Where it differs from what current.json records, readers
// would find something new.
import { fingerprint } from "../../domain/values/fingerprint.ts"
import { decodeRow, text } from "../duckdb/decodeRow.ts"
import type { Row } from "../duckdb/readRows.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import type { ParquetOptions } from "./parquet/parquetFile.ts"
import type { PublishedAccess } from "./publishedAccess.ts"

/** One row for `publicationState`. */
export const publicationStateSql = (): string => sqlFile("publication", "state")

interface PublicationState {
  /** Fingerprint of the rows whose change is news. */
  readonly content: string
  /** Fingerprint of everything else that decides what is published: marts and settings. */
  readonly definition: string
  /** Views recorded by another version of DuckDB could not be verified. */
  readonly duckdb: string
}

const decodeState = decodeRow({
  content: text("content"),
  marts: text("marts"),
  duckdb: text("duckdb"),
})

export const publicationState = (
  row: Row | undefined,
  options: {
    readonly parquet: ParquetOptions | undefined
    readonly access?: PublishedAccess
  },
): PublicationState => {
  const { content, marts, duckdb } = decodeState(row ?? {})
  return { content, definition: fingerprint(options.parquet, options.access, marts), duckdb }
}
