// What was known at an instant: a table macro mart.<table>_as_of(instant) for each table that keeps its past.
import { allColumns, type Table, tableName, versionsOf } from "../../domain/table/table.ts"
import { identifier, identifiers, inSchema, literal } from "../sql/sql.ts"

export interface AsOfMacro {
  /** Without its schema, which is `mart`. */
  readonly name: string
  readonly table: Table
  readonly sql: string
  readonly comment: string
}

const LOCAL_TYPES = ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATE"]

// A cast to TIMESTAMP would convert a TIMESTAMPTZ by the reader's time zone, and drop the offset of a text, which is refused
// for that. By way of VARCHAR, because DuckDB binds all branches: a function of instants would reject a text in words of its own.
const instantOf = (macro: string): string => `CASE
  WHEN typeof(instant) = 'TIMESTAMP WITH TIME ZONE' THEN make_timestamp(epoch_us(instant::VARCHAR::TIMESTAMPTZ))
  WHEN typeof(instant) IN (${LOCAL_TYPES.map(literal).join(", ")}) THEN instant::VARCHAR::TIMESTAMP
  ELSE error(concat(${literal(`mart.${macro} needs a TIMESTAMP in UTC, a TIMESTAMPTZ or a DATE, not `)},
    typeof(instant), ${literal(": write TIMESTAMP '2026-03-01 12:00:00'")}))
END`

const columnsOf = (table: Table): string => identifiers(allColumns(table).map(({ name }) => name))

/** Rows whose values were known at the instant, and versions that were superseded only after it. */
const historySql = (table: Table, at: string): string =>
  `SELECT ${columnsOf(table)} FROM ${inSchema(table)} WHERE _updated_at <= ${at}
UNION ALL
SELECT ${columnsOf(table)} FROM ${inSchema(versionsOf(table))}
WHERE _updated_at <= ${at} AND _superseded_at > ${at}`

/** The content that was current at the instant, without its end, which was not known then. */
const slowlyChangingSql = (table: Table, at: string): string => {
  const current: Readonly<Record<string, string>> = {
    valid_to: "NULL::TIMESTAMP AS valid_to",
    is_current: "true AS is_current",
  }
  const columns = allColumns(table).map(({ name }) => current[name] ?? identifier(name))
  return `SELECT ${columns.join(", ")} FROM ${inSchema(table)}
WHERE valid_from <= ${at} AND (valid_to IS NULL OR valid_to > ${at})`
}

/** The macro of a table, or `undefined` if its mode keeps no past. */
export const asOfMacro = (table: Table): AsOfMacro | undefined => {
  if (table.mode !== "history" && table.mode !== "slowly_changing") return undefined
  const name = `${table.name}_as_of`
  const sql = (table.mode === "history" ? historySql : slowlyChangingSql)(table, instantOf(name))
  return {
    name,
    table,
    sql,
    comment: `${tableName(table)} as it was known at an instant, a TIMESTAMP in UTC. One row per ${table.key.join(", ")}.`,
  }
}

export const asOfMacros = (tables: ReadonlyArray<Table>): ReadonlyArray<AsOfMacro> =>
  tables.flatMap((table) => asOfMacro(table) ?? [])

/** A macro and its comment, for a connection whose catalog in use is the warehouse's. */
export const asOfMacroStatements = ({ name, sql, comment }: AsOfMacro): ReadonlyArray<string> => [
  // No types of parameters and no overloads: DuckDB 1.1 to 1.3 would not read them back.
  `CREATE OR REPLACE MACRO mart.${identifier(name)}(instant) AS TABLE ${sql}`,
  `COMMENT ON MACRO TABLE mart.${identifier(name)} IS ${literal(comment)}`,
]
