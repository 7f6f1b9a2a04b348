// The dictionary explains every table and mart, and what is generated from it can be read: the pages and the dbt project.
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { dbtSemanticModels } from "../../src/cli/pages/dbt/semanticModels.ts"
import { dbtSources } from "../../src/cli/pages/dbt/sources.ts"
import { schemas, tablesPage } from "../../src/cli/pages/tablesPage.ts"
import { sqlLines } from "../../src/cli/words/sqlLines.ts"
import { dictionary, isRelation } from "../../src/pipelines/readers/dictionary.ts"

const entries = dictionary()
const schemaOf = (name: string): string => name.slice(0, name.indexOf("."))

const isBlank = (text: string): boolean => text.trim().length <= 2

describe("the dictionary", () => {
  it("is of schemas that the page has a chapter for, each table once", () => {
    const used = new Set(entries.map(({ name }) => schemaOf(name)))
    expect([...used].toSorted()).toEqual(schemas.map(({ name }) => name).toSorted())
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length)
  })

  it("says of every table and column what it is, of what, and from where", () => {
    const silent = entries.flatMap(({ name, columns, ...about }) => [
      ...(["comment", "grain", "source", "example"] as const)
        .filter((part) => isBlank(about[part]))
        .map((part) => `${name}: ${part}`),
      ...columns.filter(({ comment }) => isBlank(comment)).map((each) => `${name}.${each.name}`),
    ])
    expect(silent).toEqual([])
  })

  it("has keys of columns that there are, none of them twice", () => {
    for (const { name, key, columns } of entries) {
      const names = columns.map((column) => column.name)
      expect(names, name).toEqual(expect.arrayContaining([...key]))
      expect(new Set(names).size, name).toBe(names.length)
    }
  })

  it("has examples that fit on a terminal, stay the same SQL, and can be pasted", () => {
    for (const { name, example } of entries) {
      for (const width of [72, 92]) {
        const lines = sqlLines(example, width)
        expect(lines.filter((line) => line.length > width)).toEqual([])
        const one = lines.map((line) => line.trim()).join(" ")
        expect(one, name).toBe(example.trim().replaceAll(/\s+/g, " "))
      }
      // It is shown between double quotes.
      expect(example, name).not.toMatch(/["$`\\!]/)
    }
  })

  it("gives the unit of every number and instant, or says that the service does not", () => {
    const silent = entries.flatMap(({ name: table, columns }) =>
      columns
        .filter(({ unit, databaseType, comment }) => {
          if (unit !== undefined) return unit === ""
          if (databaseType === "timestamp") return true
          return databaseType === "double" && !/\b(sent|tokens?)\b/.test(comment)
        })
        .map(({ name }) => `${table}.${name}`),
    )
    expect(silent).toEqual([])
  })
})

describe("docs/tables.md", () => {
  const page = tablesPage()
  /** Column → its row, of a section; of the columns that tables share, without a name. */
  const rowsOf = (name: string | undefined): ReadonlyMap<string, string> => {
    const from = name === undefined ? 0 : page.indexOf(`\n### ${name}\n`)
    const until = page.indexOf(name === undefined ? "\n## " : "\n##", from + 1)
    const section = from < 0 ? "" : page.slice(from, until < 0 ? undefined : until)
    const rows = section.split("\n").filter((line) => line.startsWith("| `"))
    return new Map(rows.map((row) => [row.split("`")[1] ?? "", row]))
  }
  const shared = rowsOf(undefined)
  const bySection = new Map(entries.map(({ name }) => [name, rowsOf(name)]))

  it("tells of the columns that tables share once, before their sections", () => {
    expect([...shared.keys()]).toEqual(expect.arrayContaining(["_run_id", "_updated_at"]))
    expect([...shared.keys()].filter((name) => !name.startsWith("_"))).toEqual([])
  })

  it("has each column of each table, with its meaning, once", () => {
    for (const { name, source, columns, asOf } of entries) {
      // A table of superseded versions is described by its table, a view by what it shows.
      const described = [name, name.replace(/_versions$/, ""), source].find(
        (each) => (bySection.get(each)?.size ?? 0) > 0,
      )
      const rows = bySection.get(String(described))
      for (const column of columns) {
        const where = `${name}.${column.name}`
        const row = rows?.get(column.name) ?? shared.get(column.name)
        const meaning = column.comment.replaceAll("|", "\\|").replaceAll("\n", " ")
        expect(row, where).toContain(meaning)
        // A bar inside of a cell would make a column of its own.
        expect(row?.match(/(?<!\\)\|/g), where).toHaveLength(6)
        const isTwice =
          rows?.has(column.name) === true && rows.get(column.name) === shared.get(column.name)
        expect(isTwice, where).toBe(false)
      }
      if (described === name && asOf !== undefined) expect(page).toContain(`\`${asOf}\``)
    }
  })
})

// `make test-bi` has dbt build the project and MetricFlow query its metrics.
describe("deploy/dbt", () => {
  it("tests the key of every table and mart", () => {
    const { sources } = parse(dbtSources()) as {
      readonly sources: ReadonlyArray<{
        readonly schema: string
        readonly tables: ReadonlyArray<{
          readonly name: string
          readonly data_tests?: ReadonlyArray<{
            readonly unique?: { readonly arguments: { readonly column_name: string } }
          }>
          readonly columns: ReadonlyArray<{
            readonly name: string
            readonly data_tests?: ReadonlyArray<unknown>
          }>
        }>
      }>
    }
    const uniqueKeys = new Map<string, ReadonlyArray<string>>(
      sources.flatMap(({ schema, tables }) =>
        tables.map(({ name, columns, data_tests: tests = [] }) => {
          const alone = columns.filter((column) => column.data_tests?.includes("unique"))
          const together = tests.flatMap(({ unique }) => unique?.arguments.column_name ?? [])
          return [
            `${schema}.${name}`,
            [...alone.map((column) => column.name), ...together],
          ] as const
        }),
      ),
    )
    const untested = entries.filter(isRelation).filter(({ name, key }) => {
      const wanted = key.length === 1 ? key[0] : `("${key.join('", "')}")`
      return wanted === undefined || uniqueKeys.get(name)?.includes(wanted) !== true
    })
    expect(untested.map(({ name }) => name)).toEqual([])
  })

  it("has a metric of its own name for each measure, and a ratio only of measures", () => {
    const { metrics, semantic_models } = parse(dbtSemanticModels()) as {
      readonly metrics: ReadonlyArray<{ readonly name: string }>
      readonly semantic_models: ReadonlyArray<{
        readonly measures: ReadonlyArray<{ readonly name: string }>
      }>
    }
    const measured = entries.flatMap(({ columns }) =>
      columns.filter(({ measure }) => measure !== undefined),
    )
    expect(metrics.map(({ name }) => name)).toEqual(measured.map(({ name }) => name))
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length)
    const measures = semantic_models.flatMap((model) => model.measures.map(({ name }) => name))
    const ratios = measured.flatMap(({ measure }) =>
      typeof measure === "object" ? measure.ratio : [],
    )
    expect(measures).toEqual(expect.arrayContaining(ratios))
  })
})
