// The data dictionary as dbt sources: documented and tested tables for dbt models.
import { Document, isCollection, visit } from "yaml"
import { identifier } from "../../../domain/values/sqlText.ts"
import {
  type DictionaryColumn,
  type DictionaryEntry,
  dictionary,
  isRelation,
} from "../../../pipelines/readers/dictionary.ts"
import { schemas } from "../tablesPage.ts"
import { columnTests, tableTests } from "./tests.ts"

/** YAML of deploy/dbt/models/sources.yml. */
export const dbtSources = (): string => {
  const entries = dictionary().filter(isRelation)
  const sources = schemas.map(({ name, about }) => ({
    name,
    description: about,
    // For a published copy with another name: --vars 'vaulthouse_database: other'.
    database: "{{ var('vaulthouse_database', 'vaulthouse') }}",
    schema: name,
    tables: entries.filter((entry) => entry.name.startsWith(`${name}.`)).map(sourceTable),
  }))
  const document = new Document({ version: 2, sources }, { aliasDuplicateObjects: false })
  // One line per column.
  visit(document, {
    Pair: (_, { key, value }) => {
      if (String(key) !== "columns" || !isCollection(value)) return undefined
      for (const column of value.items) if (isCollection(column)) column.flow = true
      return visit.SKIP
    },
  })
  return dbtYaml(document)
}

/** The YAML that `make docs` writes, with each description on one line. */
export const dbtYaml = (document: Document): string =>
  `# Written by \`make docs\` from the data dictionary.\n${document.toString({ lineWidth: 0 })}`

const sourceTable = (entry: DictionaryEntry) => {
  const { key } = entry
  const composite = compositeOf(key)
  const tests = [
    // A key of several columns is tested as one row.
    ...(key.length > 1
      ? [
          {
            unique: {
              arguments: { column_name: composite },
              config: { meta: { check: `${entry.name}.unique_key` } },
            },
          },
        ]
      : []),
    ...tableTests(entry),
  ]
  return {
    name: withoutSchema(entry.name),
    description: `${entry.comment} One row per ${entry.grain}.`,
    config: { meta: { source: entry.source, key, ...(entry.asOf && { as_of: entry.asOf }) } },
    ...(tests.length > 0 && { data_tests: tests }),
    columns: entry.columns.map((column) => sourceColumn(column, entry)),
  }
}

const sourceColumn = (column: DictionaryColumn, entry: DictionaryEntry) => {
  const { name, databaseType, unit, comment, fields, required } = column
  const { key } = entry
  const tests = [
    ...(required || key.includes(name) ? ["not_null"] : []),
    ...(key.length === 1 && key[0] === name ? ["unique"] : []),
    ...columnTests(column, entry),
  ]
  const meta = { ...(unit && { unit }), ...(fields.length > 0 && { fields }) }
  return {
    name,
    data_type: databaseType,
    description: comment,
    ...(Object.keys(meta).length > 0 && { config: { meta } }),
    // Tests name the column in SQL, where `window` is a keyword.
    ...(tests.length > 0 && { quote: true, data_tests: tests }),
  }
}

const compositeOf = (columns: ReadonlyArray<string>): string =>
  `(${columns.map(identifier).join(", ")})`

const withoutSchema = (name: string): string => name.slice(name.indexOf(".") + 1)
