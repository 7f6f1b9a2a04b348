// The marts: views for analysts, each one SQL file and one YAML file under warehouse/marts. A new mart is
// those two files and one line in warehouse/marts/order.txt. Those with parameters, under warehouse/macros, are made in martMacros.ts.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import { isNeededBy, readers } from "../../domain/neededBy.ts"
import { identifier, literal } from "../sql/sql.ts"
import { readWarehouseFile, WarehouseFileError } from "../sql/warehouseFile.ts"
import { findWarehouseFolder } from "../sql/warehouseFolder.ts"
import { relationComment, unitComment } from "../tables/comment.ts"

/**
 * How a column is aggregated over rows, for dbt metrics. `newest` sums the newest row of each vault or subaccount, as
 * for a level. `ratio` divides one measure by another. A column without a measure is not aggregated.
 */
const Measure = Schema.Union([
  Schema.Literals(["sum", "newest", "average", "minimum", "maximum"]),
  Schema.Struct({ ratio: Schema.Tuple([Schema.NonEmptyString, Schema.NonEmptyString]) }),
])
export type Measure = typeof Measure.Type

const MartColumn = Schema.Struct({
  name: Schema.NonEmptyString,
  type: Schema.Literals(["boolean", "integer", "bigint", "double", "varchar", "date", "timestamp"]),
  /** Meaning in one sentence; becomes the COMMENT and the dictionary entry. */
  comment: Schema.NonEmptyString,
  unit: Schema.optionalKey(Schema.NonEmptyString),
  measure: Schema.optionalKey(Measure),
  /** The values it can have, bounds included; other values fail a check. */
  range: Schema.optionalKey(
    Schema.Struct({
      from: Schema.optionalKey(Schema.Finite),
      to: Schema.optionalKey(Schema.Finite),
    }),
  ),
  /** The values it can have, in any case. */
  accepted: Schema.optionalKey(Schema.NonEmptyArray(Schema.NonEmptyString)),
})
export type MartColumn = typeof MartColumn.Type

/**
 * The rows some columns come from, for `vaulthouse trace`: those of a core table (`fact`) that a condition ties to the
 * mart's row (`mart`). The SQL of `where` and `first_by` uses both names.
 */
const MartSource = Schema.Struct({
  table: Schema.NonEmptyString,
  /** Column of the mart → column of the table it is made from, or the columns. */
  columns: Schema.Record(
    Schema.String,
    Schema.Union([Schema.NonEmptyString, Schema.NonEmptyArray(Schema.NonEmptyString)]),
  ),
  where: Schema.NonEmptyString,
  /** The figure comes from the first row in this order that has a value; without it, from all the rows. */
  first_by: Schema.optionalKey(Schema.NonEmptyString),
})
export type MartSource = typeof MartSource.Type

/**
 * Each row's values of `columns` are those of a row of `to`, another mart or a table, whose columns have the same names; a
 * null refers to nothing.
 */
const MartReference = Schema.Struct({
  columns: Schema.NonEmptyArray(Schema.NonEmptyString),
  to: Schema.NonEmptyString,
})
export type MartReference = typeof MartReference.Type

const MartParameter = Schema.Struct({
  name: Schema.NonEmptyString,
  comment: Schema.NonEmptyString,
})

const Document = Schema.Struct({
  description: Schema.NonEmptyString,
  /** Who needs it, and what for. */
  needed_by: Schema.String.check(
    Schema.makeFilter(
      (text) =>
        isNeededBy(text) || `not \`<reader>: <what for>\`; readers are ${readers.join(", ")}`,
    ),
  ),
  /** One row per … */
  grain: Schema.NonEmptyString,
  key: Schema.NonEmptyArray(Schema.NonEmptyString),
  columns: Schema.NonEmptyArray(MartColumn),
  /** Days, of a table macro: the SQL file reads each as `$name`. */
  parameters: Schema.optionalKey(Schema.NonEmptyArray(MartParameter)),
  from: Schema.optionalKey(Schema.NonEmptyArray(MartSource)),
  references: Schema.optionalKey(Schema.NonEmptyArray(MartReference)),
  /** A question the mart answers, as runnable SQL. */
  example: Schema.NonEmptyString,
})

export interface Mart extends Schema.Schema.Type<typeof Document> {
  readonly name: string
  /** The query as its file has it, naming tables as schema.table: a catalog's name would break every copy. */
  readonly sql: string
}

// The first `select` at the start of a line: those of the steps before it are indented.
const finalSelect = /^select\b/m

/** Reads and checks `<directory>/<name>.sql` and `.yml`. Throws `WarehouseFileError`, naming file and place. */
export const readMart = (directory: string, name: string): Mart => {
  const { file, document, sql } = readWarehouseFile(directory, name, Document)
  const declared = new Set(document.columns.map((column) => column.name))
  const unknown = document.key.filter((column) => !declared.has(column))
  if (unknown.length > 0) {
    throw new WarehouseFileError({
      file,
      why: `its key names columns that it does not have: ${unknown.join(", ")}`,
    })
  }
  const undeclared = (document.from ?? [])
    .flatMap(({ columns }) => Object.keys(columns))
    .filter((column) => !declared.has(column))
  if (undeclared.length > 0) {
    throw new WarehouseFileError({
      file,
      why: `\`from\` names columns that it does not have: ${undeclared.join(", ")}`,
    })
  }
  if (!finalSelect.test(sql)) {
    throw new WarehouseFileError({
      file: file.replace(/yml$/, "sql"),
      why: "its last `select` must be at the start of a line",
    })
  }
  return { ...document, name, sql }
}

export const martsDirectory: string = findWarehouseFolder("marts", import.meta.dirname)

/** In dependency order: a mart comes after those it reads. */
const names: ReadonlyArray<string> = readFileSync(join(martsDirectory, "order.txt"), "utf8")
  .trim()
  .split("\n")

/** Every mart, in dependency order. The files are part of the package: a wrong one is a defect. */
export const marts: ReadonlyArray<Mart> = names.map((name) => readMart(martsDirectory, name))

export const martComment = ({ description, grain }: Mart): string =>
  relationComment(description, grain)

export const martColumnComment = ({ comment, unit }: MartColumn): string =>
  unitComment(comment, unit)

/** The mart is the same without them, so editing one makes no view again and publishes nothing. */
const withoutComments = (sql: string): string => sql.replaceAll(/^ *--.*\n/gm, "")

/**
 * The mart's query with its last select as one more step, then the columns the YAML file declares, in its order. Each
 * is cast: DuckDB 1.1 to 1.4 refuse a view whose types another version inferred. As a subquery, the mart's query would
 * lose its steps in 1.4.
 */
export const viewQuery = ({ sql, columns }: Pick<Mart, "sql" | "columns">): string => {
  const code = withoutComments(sql)
  const at = code.search(finalSelect)
  const before = code.slice(0, at)
  const steps = /^with$/m.test(before) ? `${before},` : `${before}WITH`
  const casts = columns.map(
    ({ name, type }) => `${identifier(name)}::${type} AS ${identifier(name)}`,
  )
  return `${steps} final AS (\n${code.slice(at)}\n)\nSELECT ${casts.join(", ")} FROM final`
}

/** The view and its comments, for a connection whose catalog in use is the warehouse's. */
export const martStatements = (mart: Mart): ReadonlyArray<string> => {
  const view = `mart.${identifier(mart.name)}`
  return [
    `CREATE OR REPLACE VIEW ${view} AS ${viewQuery(mart)}`,
    `COMMENT ON VIEW ${view} IS ${literal(martComment(mart))}`,
    ...mart.columns.map(
      (column) =>
        `COMMENT ON COLUMN ${view}.${identifier(column.name)} IS ${literal(martColumnComment(column))}`,
    ),
  ]
}
