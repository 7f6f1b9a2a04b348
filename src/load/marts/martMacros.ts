// Marts with parameters: table macros of schema mart, each one SQL file and one YAML file under warehouse/macros. The SQL
// reads a parameter as `$name`.
import { readdirSync } from "node:fs"
import { identifier, literal } from "../sql/sql.ts"
import { findWarehouseFolder } from "../sql/warehouseFolder.ts"
import { type Mart, martComment, readMart, viewQuery } from "./marts.ts"

export const martMacrosDirectory: string = findWarehouseFolder("macros", import.meta.dirname)

/** In alphabetical order: a macro that reads another comes after it. */
export const martMacros: ReadonlyArray<Mart> = readdirSync(martMacrosDirectory)
  .filter((file) => file.endsWith(".sql"))
  .toSorted()
  .map((file) => readMart(martMacrosDirectory, file.replace(/\.sql$/, "")))

export const parameterNames = ({ parameters }: Mart): ReadonlyArray<string> =>
  (parameters ?? []).map(({ name }) => name)

const DAY_TYPES = ["DATE", "VARCHAR", "TIMESTAMP", '"NULL"']

// A cast would convert a TIMESTAMPTZ by the reader's time zone.
const dayOf = (macro: string, name: string): string => `(CASE
  WHEN typeof(${name}) IN (${DAY_TYPES.map(literal).join(", ")}) THEN ${name}::DATE
  ELSE error(concat(${literal(`mart.${macro} needs a DATE in UTC, or null, as ${name}, not `)},
    typeof(${name}), ${literal(": write DATE '2026-03-01'")}))::DATE
END)`

/** The macro and its comment, for a connection whose catalog in use is the warehouse's. */
export const martMacroStatements = (mart: Mart): ReadonlyArray<string> => {
  const macro = `mart.${identifier(mart.name)}`
  const parameters = parameterNames(mart)
  const sql = parameters.reduce(
    (text, name) => text.replaceAll(`$${name}`, () => dayOf(mart.name, name)),
    viewQuery(mart),
  )
  return [
    // No types of parameters and no overloads: DuckDB 1.1 to 1.3 would not read them back.
    `CREATE OR REPLACE MACRO ${macro}(${parameters.join(", ")}) AS TABLE ${sql}`,
    `COMMENT ON MACRO TABLE ${macro} IS ${literal(martComment(mart))}`,
  ]
}
