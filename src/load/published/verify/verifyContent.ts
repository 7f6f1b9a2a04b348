// Compares the rows of the published copy with those of the Parquet files. A file with the listed checksum has the
// rows that were exported, so a difference means that the copy was changed.
import { join } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import { tableName } from "../../../domain/table/table.ts"
import type { Finding } from "../../../domain/run/finding.ts"
import { causeMessage } from "../../../domain/values/causeMessage.ts"
import type { ManifestFile } from "../parquet/manifest.ts"
import { decodeRow, text } from "../../duckdb/decodeRow.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { identifier, literal } from "../../sql/sql.ts"
import { publications } from "../../tables/ops/publications.ts"

/** The published copy, below the data directory. */
export const PUBLISHED = "published/vaulthouse.duckdb"

/**
 * `published` is the attached copy. Reads every table of it, so that damaged blocks are found, and compares those
 * whose files are in `sound`, which is empty if the copy is of another publication.
 */
export const differingTables = async (
  connection: DuckDBConnection,
  dataDir: string,
  sound: ReadonlyMap<string, ReadonlyArray<ManifestFile>>,
): Promise<ReadonlyArray<Finding>> => {
  const findings: Array<Finding> = []
  const inCopy = await readRows(
    connection,
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables()
     WHERE database_name = 'published' AND NOT internal ORDER BY name`,
  )
  const copied = inCopy.map(decodeRow({ name: text("name") })).map(({ name }) => name)
  for (const table of new Set([...copied, ...sound.keys()])) {
    // The copy's record of the publication counts the exported files, so it is newer than they are.
    const files = table === tableName(publications) ? undefined : sound.get(table)
    const path = `${PUBLISHED} ${table}`
    try {
      const detail = copied.includes(table)
        ? await compare(connection, dataDir, table, files)
        : "is not in the published copy"
      if (detail !== undefined) findings.push({ kind: "content", path, detail })
    } catch (cause) {
      findings.push({ kind: "unreadable", path, detail: causeMessage(cause) })
    }
  }
  return findings
}

const compare = async (
  connection: DuckDBConnection,
  dataDir: string,
  table: string,
  files: ReadonlyArray<ManifestFile> | undefined,
): Promise<string | undefined> => {
  const inCopy = `published.${table.split(".").map(identifier).join(".")}`
  // For this table alone, because `duckdb_columns()` binds every view.
  const columns = await readRows(connection, `DESCRIBE ${inCopy}`)
  // The copy's own types: Parquet may hold instants and JSON as text.
  const values = columns
    .map(decodeRow({ column: text("column_name"), type: text("column_type") }))
    .map(({ column, type }) => `${identifier(column)}::${type === "JSON" ? "VARCHAR" : type}`)
    .join(", ")
  const sum = (source: string) =>
    readRows(
      connection,
      `SELECT count(*)::DOUBLE AS rows, sum(hash(${values}))::VARCHAR AS content FROM ${source}`,
    )
  const [copy] = await sum(inCopy)
  if (files === undefined) return undefined
  const paths = files.map(({ path }) => literal(join(dataDir, "parquet", path))).join(", ")
  const [exported] = await sum(`read_parquet([${paths}], hive_partitioning = false)`)
  if (copy?.["rows"] !== exported?.["rows"]) {
    return `${String(copy?.["rows"])} rows, the Parquet files hold ${String(exported?.["rows"])}`
  }
  return copy?.["content"] === exported?.["content"]
    ? undefined
    : "as many rows as the Parquet files, but not the same ones"
}
