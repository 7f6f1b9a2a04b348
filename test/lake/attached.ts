// The warehouses of a test attached to one DuckDB, as a reader attaches them, and what differs between two of them.
import { DuckDBInstance } from "@duckdb/node-api"
import { loadExtensions } from "../../src/load/storage/lake/extensions.ts"
import { extensions, type Lake } from "./lake.ts"

/** A DuckDB file, or a lake. */
export type Place = string | Lake

const attaching = (place: Place, name: string): string => {
  if (typeof place === "string") return `ATTACH '${place}' AS ${name} (READ_ONLY)`
  const { hostname, port, username, password, pathname } = new URL(place.catalog)
  return `CREATE SECRET ${name} (TYPE postgres, HOST '${hostname}', PORT ${port}, USER '${username}',
      PASSWORD '${decodeURIComponent(password)}', DATABASE '${pathname.slice(1)}');
    ATTACH 'ducklake:postgres:' AS ${name}
      (METADATA_SCHEMA 'vaulthouse_lake', META_SECRET '${name}', READ_ONLY)`
}

/** Columns that no two runs have in common: ids, places in the archive, hashes and lengths of bodies with a time (that of a whole
 * second has no fraction), durations, ages. */
const ofItsOwn =
  /^_?(\w+_)?(run_id|response_id|task_id)$|^archive_|^body_sha256$|^bytes$|seconds$|^(age|lag)_|_age_|^duration|^definition$|^health_factor_id$|^requests_(at_once|per_second)$/

/** Instants after this year's beginning, in text: of the machine, not of the service. */
const INSTANT = String.raw`20(2[5-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z`

/** Times from `since` on, an ISO instant, count as one; sums of doubles in another order differ in their last digits. */
const comparable = (name: string, type: string, since: string): string => {
  const column = `"${name}"`
  // `least` leaves out nulls.
  if (/^(TIMESTAMP|DATE)/.test(type))
    return `CASE WHEN ${column} IS NOT NULL THEN least(${column}, ${type} '${since}') END AS ${column}`
  if (type === "DOUBLE") return `printf('%.10g', ${column}) AS ${column}`
  if (/^(VARCHAR|JSON)$/.test(type))
    return `regexp_replace(${column}::VARCHAR, '${INSTANT}', 'then', 'g') AS ${column}`
  return column
}

/** Attaches each by its name; `close` when done. */
export const attached = async (places: Readonly<Record<string, Place>>) => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  await loadExtensions(connection, ["ducklake", "postgres_scanner"], extensions)
  await connection.run("SET TimeZone = 'UTC'")
  for (const [name, place] of Object.entries(places)) await connection.run(attaching(place, name))
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()

  /** Tables and views, and calls of the macros: as of `instant`, or over all days before it. */
  const sources = async (catalog: string, instant: string) => {
    const found = await rows(
      `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
       WHERE table_catalog = '${catalog}' AND table_schema IN ('core', 'mart', 'meta', 'ops', 'raw')
       UNION ALL
       SELECT schema_name || '.' || function_name ||
         CASE WHEN len(parameters) = 1 THEN '(TIMESTAMP ''${instant}'')'
           ELSE '(DATE ''2000-01-01'', DATE ''${instant}'')' END
       FROM duckdb_functions() WHERE database_name = '${catalog}' AND schema_name = 'mart'
       ORDER BY name`,
    )
    return found.map(({ name }) => String(name))
  }

  /** A few rows of one warehouse that are not in the other; or, but for `asSets`, not as often. */
  const difference = async (
    one: string,
    other: string,
    source: string,
    since: string,
    asSets: boolean,
  ) => {
    await connection.run(`USE ${one}`)
    const columns = (await rows(`DESCRIBE SELECT * FROM ${source}`))
      .map(({ column_name, column_type }) => [String(column_name), String(column_type)] as const)
      .filter(([name]) => !ofItsOwn.test(name))
      .map(([name, type]) => comparable(name, type, since))
    for (const catalog of [one, other]) {
      // A view or macro names no catalog: it is read in the one in use.
      await connection.run(`USE ${catalog}`)
      await connection.run(
        `CREATE OR REPLACE TEMP TABLE of_${catalog} AS SELECT ${columns.join(", ")} FROM ${source}`,
      )
    }
    await connection.run("USE memory")
    const except = asSets ? "EXCEPT" : "EXCEPT ALL"
    return rows(`(FROM of_${one} ${except} FROM of_${other})
      UNION ALL (FROM of_${other} ${except} FROM of_${one}) LIMIT 3`)
  }

  return {
    rows,
    sources,
    difference,
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
