// The data dictionary: every table and mart, from the declarations that the database itself is made from. `vaulthouse
// tables`, docs/tables.md, deploy/dbt and the tables of schema meta are made from it.
import type { Column, Constraints, Reference } from "../../domain/table/column.ts"
import type { Shape } from "../../domain/table/shape.ts"
import {
  allColumns,
  storedKey,
  type Table,
  tableName,
  storedTables,
} from "../../domain/table/table.ts"
import { asOfMacro } from "./asOf.ts"
import { martMacros, parameterNames } from "./martMacros.ts"
import { type Mart, type Measure, marts } from "./marts.ts"
import { storedType } from "../sql/sql.ts"

export interface DictionaryColumn {
  readonly name: string
  readonly type: string
  /** DuckDB's type, in lower case. */
  readonly databaseType: string
  readonly unit: string | undefined
  readonly comment: string
  /** Fields of the API's response; the first one present wins. Empty for a column that vaulthouse itself fills. */
  readonly fields: ReadonlyArray<string>
  /** Never null. */
  readonly required: boolean
  /** How it is aggregated over rows, if it can be. */
  readonly measure: Measure | undefined
  /** What its values keep; `references` of the entry has what they refer to. */
  readonly constraints: Omit<Constraints, "references">
}

export interface DictionaryEntry {
  readonly name: string
  readonly comment: string
  /** Who needs a mart, and what for; the tables hold what the API has. */
  readonly neededBy: string | undefined
  readonly grain: string
  /** No two rows have the same values in these. */
  readonly key: ReadonlyArray<string>
  readonly source: string
  /** Where its records may be in a response, in words; empty where they are in one place. */
  readonly shapes: ReadonlyArray<string>
  /** Of a table macro: it is no table or view, and must be called with these. */
  readonly parameters: ReadonlyArray<string>
  /** The macro that gives the table as it was known at an instant, for tables that keep their past. */
  readonly asOf: string | undefined
  readonly columns: ReadonlyArray<DictionaryColumn>
  /** The column of event time, if there is one. */
  readonly time: string | undefined
  /** Rows of other tables that each row refers to. */
  readonly references: ReadonlyArray<Reference>
  /** `is_current` if only those rows keep the constraints; the others are past versions. */
  readonly constrained: "all" | "is_current" | "none"
  readonly example: string
}

/** Views of schema meta, and what each of them shows under another name. */
export const metaViews: Readonly<Record<string, string>> = {
  "meta.freshness": "mart.pipeline_freshness",
  "meta.runs": "ops.runs",
}

/** Marts first, because most people look for them. `tables` may already include those with superseded versions. */
export const dictionaryOf = (tables: ReadonlyArray<Table>): ReadonlyArray<DictionaryEntry> => {
  const stored = new Map(tables.flatMap(storedTables).map((table) => [tableName(table), table]))
  const entries = [
    ...marts.map(martEntry),
    ...martMacros.map(macroEntry),
    ...[...stored.values()].map(tableEntry),
  ]
  const views = Object.entries(metaViews).flatMap(([name, shown]) =>
    entries
      .filter((entry) => entry.name === shown)
      .map((entry) => ({
        ...entry,
        name,
        source: shown,
        example: `select * from ${name} limit 5`,
      })),
  )
  return [...entries, ...views]
}

const martEntry = (mart: Mart): DictionaryEntry => ({
  name: `mart.${mart.name}`,
  comment: mart.description.trim(),
  neededBy: mart.needed_by,
  grain: mart.grain,
  key: mart.key,
  source: `warehouse/marts/${mart.name}.sql`,
  shapes: [],
  parameters: [],
  asOf: undefined,
  columns: mart.columns.map(({ name, type, unit, comment, measure, range, accepted }) => ({
    name,
    type,
    databaseType: type,
    unit,
    comment,
    fields: [],
    required: mart.key.includes(name),
    measure,
    constraints: { ...(range && { range }), ...(accepted && { accepted }) },
  })),
  references: (mart.references ?? []).map(({ columns, to }) => ({
    name: `${to.slice(to.indexOf(".") + 1)}_known`,
    columns,
    to: [{ table: to, columns }],
  })),
  constrained: "all",
  time: undefined,
  example: mart.example,
})

const macroEntry = (mart: Mart): DictionaryEntry => ({
  ...martEntry(mart),
  source: `warehouse/macros/${mart.name}.sql`,
  parameters: parameterNames(mart),
})

/** Whether it can be read by its name alone, without parameters. */
export const isRelation = ({ parameters }: DictionaryEntry): boolean => parameters.length === 0

const isSuperseded = ({ columns }: Table): boolean =>
  columns.some(({ name }) => name === "_superseded_at")

const tableEntry = (table: Table): DictionaryEntry => {
  const macro = asOfMacro(table)
  return {
    name: tableName(table),
    comment: table.comment,
    neededBy: undefined,
    grain: table.grain,
    key: storedKey(table),
    source: table.source,
    shapes: (table.shapes ?? []).map(shapeText),
    parameters: [],
    asOf: macro && `mart.${macro.name}(instant)`,
    columns: allColumns(table).map(columnEntry),
    time: table.time,
    references: isSuperseded(table)
      ? []
      : allColumns(table).flatMap(({ references }) => references ?? []),
    constrained: isSuperseded(table)
      ? "none"
      : table.mode === "slowly_changing"
        ? "is_current"
        : "all",
    example: table.example,
  }
}

const shapeText = ({ name, in: places = [] }: Shape): string =>
  places.length === 0 ? name : `${name} in \`${places.join("`, `")}\``

const columnEntry = ({
  name,
  type,
  unit,
  comment,
  fields,
  required,
  range,
  plausible,
  accepted,
  isPast,
}: Column): DictionaryColumn => ({
  name,
  type,
  databaseType: storedType[type].toLowerCase(),
  unit,
  comment,
  fields: fields ?? [],
  required: required === true,
  measure: undefined,
  constraints: {
    ...(range && { range }),
    ...(plausible && { plausible }),
    ...(accepted && { accepted }),
    ...(isPast && { isPast }),
  },
})
