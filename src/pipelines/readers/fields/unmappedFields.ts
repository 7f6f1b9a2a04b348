// Fields that the service sends and no column holds: the content of `extra` in the published copy, which also keeps what a
// column holds in another spelling or unit.
import * as Effect from "effect/Effect"
import type { Column } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { parseInstant } from "../../../domain/values/time.ts"
import type { PublishedCopy } from "../../../load/published/read/PublishedCopy.ts"
import type { Fields } from "../../../transform/fields/settings.ts"
import { namesOf } from "../../../transform/fields/wireNames.ts"
import { joined } from "../../../transform/proposals.ts"
import { yaml } from "../../../transform/shapes/undeclared.ts"
import { coreTables, pipelines } from "../../pipelines.ts"

export interface UnmappedField {
  readonly table: string
  /** Endpoints the table is filled from. */
  readonly endpoints: ReadonlyArray<string>
  /** Relative to the record; `a.b` if it is nested. */
  readonly path: string
  readonly type: string
  /** Share of the table's rows that have it, between 0 and 1. */
  readonly share: number
  readonly example: string
  /** The column it may belong to, as the setting `fields` names it. */
  readonly suggestion: string | undefined
  /** Lines for the setting of which only the user can say which is right: the unit of an amount, the table of a list. */
  readonly choices: ReadonlyArray<string>
}

/** Records in a shape that nobody declared, which are in quarantine. */
export interface UndeclaredShape {
  readonly pipeline: string
  /** Records or responses in this shape. */
  readonly count: number
  /** What the newest one looks like. */
  readonly detail: string
  /** Lines for the setting `fields` that would declare it. */
  readonly choices: ReadonlyArray<string>
}

/** The shapes in quarantine that the setting can declare, of a copy that has their proposals. */
export const undeclaredShapes = Effect.fnUntraced(function* (copy: PublishedCopy) {
  const [column] = yield* copy.rows(
    "select 1 from information_schema.columns where table_schema = 'ops' and table_name = 'quarantine' and column_name = 'proposal'",
  )
  if (column === undefined) return []
  const rows = yield* copy.rows(
    `select pipeline, detail, proposal from ops.quarantine
     where closed_at is null and proposal is not null order by pipeline, quarantined_at desc, json_path, entity, "window"`,
  )
  return [...Map.groupBy(rows, ({ pipeline }) => String(pipeline))].map(
    ([pipeline, entries]): UndeclaredShape => ({
      pipeline,
      count: entries.length,
      detail: String(entries[0]?.["detail"]),
      choices: joined(entries.map(({ proposal }) => String(proposal))),
    }),
  )
})

/** Reads only tables that the copy has, since it may be older than this version. `setting` has names of the columns. */
export const unmappedFields = Effect.fnUntraced(function* (copy: PublishedCopy, setting: Fields) {
  const stored = yield* copy.rows(
    "select table_name as name from information_schema.columns where table_schema = 'core' and column_name = 'extra'",
  )
  const names = new Set(stored.map(({ name }) => name))
  const found: Array<UnmappedField> = []
  for (const table of coreTables.filter(({ name }) => names.has(name))) {
    for (const field of yield* fieldsIn(copy, table, setting)) found.push(field)
  }
  return found
})

const fieldsIn = Effect.fnUntraced(function* (copy: PublishedCopy, table: Table, setting: Fields) {
  const from = `core.${table.name}${table.mode === "slowly_changing" ? " where is_current" : ""}`
  // Entries of lists have no name of their own: a list is one field.
  const leaves = yield* copy.rows(
    `with fields as (
       select field.fullkey as path, field.type, coalesce(field.atom, field.value)::varchar as value
       from (select extra from ${from}) rows, json_tree(rows.extra) field
       where field.type <> 'OBJECT' and field.fullkey not like '%[%')
     select path, mode(type order by type) as type, count(*)::double as records, min(value) as example,
       (select count(*)::double from ${from}) as total
     from fields where type <> 'NULL' group by path order by records desc, path`,
  )
  if (leaves.length === 0) return []
  const candidates = yield* emptyColumns(copy, table, from)
  const read = new Set(
    table.columns
      .filter((column) => !candidates.includes(column))
      .flatMap(({ name }) => namesOf(table, name, setting)),
  )
  const readers = pipelines.filter(({ tables }) => tables.includes(table))
  const endpoints = [...new Set(readers.map(({ endpoint: { name } }) => name))]
  const lists = [
    ...new Set(
      readers.flatMap(({ tables }) => tables.filter(({ shapes }) => shapes !== undefined)),
    ),
  ]
  return leaves.flatMap((leaf): ReadonlyArray<UnmappedField> => {
    const path = String(leaf["path"]).replace(/^\$\./, "").replaceAll('"', "")
    if (read.has(path)) return []
    const type = String(leaf["type"]).toLowerCase()
    const example = String(leaf["example"])
    const column = suggestedColumn(path, type, example, candidates)
    const choices = [
      ...(column === undefined ? [] : unitChoices(table, column, path)),
      ...(example.startsWith("[{") && !path.includes(".")
        ? lists.map(({ name }) => `${name}: ${yaml(path)}`)
        : []),
    ]
    return [
      {
        table: table.name,
        endpoints,
        path,
        type,
        share: Number(leaf["records"]) / Number(leaf["total"]),
        example,
        suggestion:
          column === undefined || choices.length > 0 ? undefined : `${table.name}.${column.name}`,
        choices,
      },
    ]
  })
})

/** The units in which a field may be the amount of the column. */
const unitChoices = (table: Table, column: Column, path: string): ReadonlyArray<string> => {
  const other = table.columns.find(({ name }) => name === column.otherUnit)
  if (other === undefined) return []
  const [raw, normalized] = column.type === "amount" ? [column, other] : [other, column]
  const field = yaml(path)
  return [
    `${table.name}.${raw.name}: ${field} # if it is in the token's smallest unit`,
    `${table.name}.${normalized.name}: ${field} # if it is in whole tokens`,
    `${table.name}.${normalized.name}: { field: ${field}, scale: 0.000001 } # if it is in the smallest unit of a token with 6 decimals`,
  ]
}

/** Columns that are read from a field and have no value in any row. */
const emptyColumns = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  { columns }: Table,
  from: string,
) {
  const readable = columns.filter(
    ({ fields, required }) => fields !== undefined && required !== true,
  )
  if (readable.length === 0) return []
  const counts = readable.map(({ name }) => `count("${name}")::double as "${name}"`)
  const [filled = {}] = yield* copy.rows(`select ${counts.join(", ")} from ${from}`)
  return readable.filter(({ name }) => filled[name] === 0)
})

/** The only column of the field's type whose name has the same words as the field's whole path, units included. */
const suggestedColumn = (
  path: string,
  type: string,
  example: string,
  columns: ReadonlyArray<Column>,
): Column | undefined => {
  const words = distinctWords(path)
  const [found, another] = columns
    .filter((column) => takes(column, type, example))
    .filter(({ name }) => hasSameWords(words, distinctWords(name)))
  return another === undefined ? found : undefined
}

/** The words and numbers of a name in snake_case or camelCase, in lower case. */
const distinctWords = (name: string): ReadonlyArray<string> => {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []
  return [...new Set(words.map((word) => word.toLowerCase()))]
}

/** In any order, each in full or abbreviated. */
const hasSameWords = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length &&
  one.every((word) => other.some((each) => isSameWord(word, each))) &&
  other.every((word) => one.some((each) => isSameWord(word, each)))

const isSameWord = (one: string, other: string): boolean =>
  isShortFor(one, other) || isShortFor(other, one)

/** `mgmt` for `management`: the same first letter, and the others in the same order. */
const isShortFor = (short: string, long: string): boolean => {
  if (short === long) return true
  if (short.length < 3 || short[0] !== long[0]) return false
  let at = 0
  for (const letter of short) {
    at = long.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

const isNumber = (type: string, example: string): boolean =>
  /^(double|u?bigint|hugeint)$/.test(type) || /^"-?\d+(\.\d+)?"$/.test(example)

const takes = (column: Column, type: string, example: string): boolean => {
  switch (column.type) {
    case "double":
    case "integer":
    case "amount":
      return isNumber(type, example)
    case "boolean":
      return type === "boolean"
    case "timestamp":
    case "date": {
      const value: unknown = JSON.parse(example)
      return parseInstant(value) !== undefined
    }
    case "text":
      return type === "varchar"
    case "json":
      return type === "array"
  }
}
