// Hashes of the views and macros of a copy, recorded when it is published, so that `verify` finds one that was
// replaced since. Parquet holds no views, so nothing else would show it.
import type { DuckDBConnection } from "@duckdb/node-api"
import { fingerprint } from "../../domain/values/fingerprint.ts"
import { decodeRow, text } from "../duckdb/decodeRow.ts"
import { readRows } from "../duckdb/readRows.ts"
import { literal } from "../sql/sql.ts"

export interface ViewDefinitions {
  /** Each version of DuckDB formats the SQL differently, so hashes of two versions can't be compared. */
  readonly duckdb: string
  /** `mart.<name>` → SHA-256 of its SQL as DuckDB stores it. */
  readonly views: Readonly<Record<string, string>>
}

const decodeDefinition = decodeRow({ name: text("name"), definition: text("definition") })

/** The views and macros of the database attached as `catalog`. */
export const viewDefinitions = async (
  connection: DuckDBConnection,
  catalog: string,
): Promise<ViewDefinitions> => {
  const [version] = await readRows(connection, "SELECT library_version AS v FROM pragma_version()")
  // Overloads of a macro are rows of their own.
  const rows = await readRows(
    connection,
    `SELECT name, string_agg(definition, chr(10) ORDER BY definition) AS definition FROM (
       SELECT schema_name || '.' || view_name AS name, sql AS definition FROM duckdb_views()
       WHERE database_name = ${literal(catalog)} AND NOT internal
       UNION ALL
       SELECT schema_name || '.' || function_name,
         function_type || ' ' || parameters::VARCHAR || ' ' || macro_definition
       FROM duckdb_functions()
       WHERE database_name = ${literal(catalog)} AND NOT internal AND macro_definition IS NOT NULL
     ) GROUP BY name ORDER BY name`,
  )
  return {
    duckdb: String(version?.["v"]),
    views: Object.fromEntries(
      rows.map(decodeDefinition).map(({ name, definition }) => [name, fingerprint(definition)]),
    ),
  }
}

/** Differences between the recorded and the present views, by name; empty if DuckDB's versions differ. */
export const differingViews = (
  recorded: ViewDefinitions,
  found: ViewDefinitions,
): ReadonlyArray<{ readonly name: string; readonly detail: string }> => {
  if (recorded.duckdb !== found.duckdb) return []
  const names = new Set([...Object.keys(recorded.views), ...Object.keys(found.views)])
  return [...names].toSorted().flatMap((name) => {
    const before = recorded.views[name]
    const now = found.views[name]
    if (before === now) return []
    const detail =
      now === undefined
        ? "the view or macro is gone"
        : before === undefined
          ? "a view or macro that was not published"
          : "the view or macro is not the one that was published"
    return [{ name, detail }]
  })
}
