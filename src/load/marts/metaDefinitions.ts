// Schema meta: the dictionary, the worked questions, freshness and runs inside the warehouse, because many drivers
// show no comments. Its content depends only on the version, so it is written like a view: when its definition
// changes.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Value } from "../../domain/table/column.ts"
import { type Table, tableName } from "../../domain/table/table.ts"
import { type DictionaryEntry, dictionaryOf, metaViews } from "./dictionary.ts"
import { identifier, literal } from "../sql/sql.ts"
import { columns } from "../tables/meta/columns.ts"
import { questions } from "../tables/meta/questions.ts"
import { tables as tablesTable } from "../tables/meta/tables.ts"
import { findWarehouseFolder } from "../sql/warehouseFolder.ts"

export interface MetaDefinition {
  /** With its schema. */
  readonly name: string
  /** For a connection whose catalog in use is the warehouse's. */
  readonly statements: ReadonlyArray<string>
}

export const metaDefinitions = (tables: ReadonlyArray<Table>): ReadonlyArray<MetaDefinition> => {
  const entries = dictionaryOf(tables)
  return [
    filled(
      tablesTable,
      entries.map(({ name, comment, grain, key, source, asOf, example }) => ({
        table_name: name,
        description: comment,
        grain,
        key_columns: key.join(", "),
        source,
        as_of_macro: asOf,
        example,
      })),
    ),
    filled(
      columns,
      entries.flatMap(({ name, columns: ofTable }) =>
        ofTable.map((column, at) => ({
          table_name: name,
          position: at + 1,
          column_name: column.name,
          type: column.databaseType,
          unit: column.unit,
          description: column.comment,
          fields: column.fields.length === 0 ? undefined : column.fields.join(", "),
          is_required: column.required,
        })),
      ),
    ),
    filled(questions, workedQuestions()),
    ...entries.filter(({ name }) => metaViews[name] !== undefined).map(view),
  ]
}

const filled = (
  table: Table,
  rows: ReadonlyArray<Readonly<Record<string, Value | undefined>>>,
): MetaDefinition => {
  const name = tableName(table)
  const values = rows.map(
    (row) => `(${table.columns.map((column) => constant(row[column.name])).join(", ")})`,
  )
  return {
    name,
    statements: [`DELETE FROM ${name}`, `INSERT INTO ${name} VALUES ${values.join(",\n")}`],
  }
}

const constant = (value: Value | undefined): string => {
  if (value === undefined || value === null) return "NULL"
  return typeof value === "string" ? literal(value) : String(value)
}

const view = ({ name, comment, source, columns: shown }: DictionaryEntry): MetaDefinition => {
  // Cast, as the columns of marts are: an older engine may infer another type.
  const list = shown.map(
    (column) => `${identifier(column.name)}::${column.databaseType} AS ${identifier(column.name)}`,
  )
  return {
    name,
    statements: [
      `CREATE OR REPLACE VIEW ${name} AS SELECT ${list.join(", ")} FROM ${source}`,
      `COMMENT ON VIEW ${name} IS ${literal(comment)}`,
      ...shown.map((column) => {
        const unit = column.unit === undefined ? "" : ` [${column.unit}]`
        return `COMMENT ON COLUMN ${name}.${identifier(column.name)} IS ${literal(column.comment + unit)}`
      }),
    ],
  }
}

/** Each file begins with comments: the question, a sentence that says who it is for, then notes. */
const workedQuestions = () => {
  const folder = findWarehouseFolder("examples", import.meta.dirname)
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .map((file) => {
      const sql = readFileSync(join(folder, file), "utf8")
      const [, question = "", reader = ""] =
        /^((?:-- .*\n)+?)-- For ((?:.*\n(?:-- \S.*\n)*))/.exec(sql) ?? []
      return {
        name: file.replace(/\.sql$/, ""),
        question: sentenceOf(question),
        reader: sentenceOf(reader).replace(/\..*$/, ""),
        sql,
      }
    })
}

const sentenceOf = (lines: string): string =>
  lines.replaceAll(/^-- /gm, "").trim().replaceAll("\n", " ")
