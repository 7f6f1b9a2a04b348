// Brings the views and macros of schema mart, and schema meta, to the definitions of this version. Unchanged ones are
// left alone, because making all of them again with their comments takes several hundred milliseconds.
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Table, tableName } from "../../domain/table/table.ts"
import { LoadError } from "../errors.ts"
import type { Definition } from "./martDefinitions.ts"
import { martSources } from "./martSources.ts"
import { storedMarts } from "./storedMarts.ts"
import { transaction, type Writer } from "../duckdb/transaction.ts"
import { CATALOG, identifier, literal } from "../sql/sql.ts"
import { storedMartsTable } from "../tables/ops/stored_marts.ts"
import { viewFingerprints } from "../tables/ops/view_fingerprints.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"

/** The name under which the fingerprint of all sources is stored; every other name is that of a definition. */
const SOURCES = "*"

const fingerprints = tableName(viewFingerprints)

/**
 * What both schemas hold in the catalog in use. The fingerprint is null for what was made by other means, and for
 * views that read a stored mart, as in a published copy that became the warehouse.
 */
const existing = `
  SELECT name, kind, CASE WHEN is_stored IS NOT TRUE THEN fingerprint END AS fingerprint,
    fingerprint AS recorded
  FROM (
    SELECT schema_name || '.' || view_name AS name, 'VIEW' AS kind,
      contains(sql, ' FROM mart_tables.') AS is_stored
    FROM duckdb_views()
    WHERE database_name = current_database() AND schema_name IN ('mart', 'meta')
    UNION
    SELECT schema_name || '.' || function_name, 'MACRO TABLE', false FROM duckdb_functions()
    WHERE database_name = current_database() AND schema_name = 'mart'
    UNION
    SELECT schema_name || '.' || table_name, 'TABLE', false FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name = 'meta'
  )
  FULL JOIN (FROM ${fingerprints} WHERE name <> ${literal(SOURCES)}) USING (name)`

/** Whether everything exists and was made from these sources. */
const areMadeFrom = async (connection: DuckDBConnection, sources: string): Promise<boolean> => {
  const found = await connection.runAndReadAll(
    `SELECT 1 FROM ${fingerprints}
     WHERE name = ${literal(SOURCES)} AND fingerprint = ${literal(sources)}
       AND NOT EXISTS (FROM (${existing}) WHERE kind IS NULL OR fingerprint IS NULL)`,
  )
  return found.currentRowCount > 0
}

/** Read when first needed, which most runs never do. */
const readDefinitions = async (
  tables: ReadonlyArray<Table>,
): Promise<ReadonlyArray<Definition>> => {
  const { martDefinitions } = await import("./martDefinitions.ts").catch((cause: unknown) => {
    throw new LoadError({
      reason: "Files",
      what: "Reading the marts in warehouse/marts",
      why: causeMessage(cause),
      advice: "Correct the file it names.",
      cause,
    })
  })
  return martDefinitions(tables)
}

/**
 * Creates what is new or defined differently, with comments, and drops what this version no longer has, in one
 * transaction; call it outside of one. Rejects with DuckDB's error.
 */
export const createMarts = async (writer: Writer, tables: ReadonlyArray<Table>): Promise<void> => {
  const { accepts, connection } = writer
  const [[before] = []] = (
    await connection.runAndReadAll(
      `SELECT '"' || current_catalog() || '"."' || current_schema() || '"'`,
    )
  ).getRows()
  // A view keeps the catalog that its SQL names, which a copy does not have, so the SQL names none.
  await connection.run(`USE ${identifier(CATALOG)}`)
  try {
    const sources = martSources(tables)
    if (await areMadeFrom(connection, sources)) return
    const definitions = await readDefinitions(tables)
    await transaction(writer, async () => {
      const statements = await changes(connection, definitions, sources)
      await connection.run(statements.filter(accepts).join(";\n"))
    })
  } finally {
    await connection.run(`USE ${String(before)}`)
  }
}

const qualifiedName = (name: string): string => name.split(".").map(identifier).join(".")

const changes = async (
  connection: DuckDBConnection,
  definitions: ReadonlyArray<Definition>,
  sources: string,
): Promise<ReadonlyArray<string>> => {
  const found = new Map<unknown, unknown>()
  const recorded = new Map<unknown, unknown>()
  const gone: Array<string> = []
  const wanted = new Set(definitions.map(({ name }) => name))
  const rowsOfExisting = (await connection.runAndReadAll(existing)).getRows()
  for (const [name, kind, fingerprint, definition] of rowsOfExisting) {
    if (kind === null) continue
    found.set(name, fingerprint)
    recorded.set(name, definition)
    if (!wanted.has(String(name))) gone.push(`DROP ${String(kind)} ${qualifiedName(String(name))}`)
  }
  const changed = definitions.filter(({ name, fingerprint }) => found.get(name) !== fingerprint)
  // In the copy that a lake's publication begins with, the views of stored marts are made again without a new definition.
  const redefined = new Set(
    changed
      .filter(({ name, fingerprint }) => recorded.get(name) !== fingerprint)
      .map(({ name }) => name),
  )
  const outdated = storedMarts.filter(({ name, through }) =>
    [name, ...through].some((each) => redefined.has(`mart.${each}`)),
  )
  const rows = [{ name: SOURCES, fingerprint: sources }, ...definitions].map(
    ({ name, fingerprint }) => `(${literal(name)}, ${literal(fingerprint)})`,
  )
  return [
    ...gone,
    ...changed.flatMap(({ statements }) => statements),
    // The next publication makes them again; until then, their rows are not compared with those of the views.
    ...outdated.map(
      ({ name }) => `DELETE FROM ${tableName(storedMartsTable)} WHERE name = ${literal(name)}`,
    ),
    `DELETE FROM ${fingerprints}`,
    `INSERT INTO ${fingerprints} (name, fingerprint) VALUES ${rows.join(", ")}`,
  ]
}
