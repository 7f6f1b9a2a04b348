// The dictionary's printed forms are those of the tables and marts there are, whole, and not out of date.
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { checksPage } from "../../src/cli/pages/checksPage.ts"
import { dbtFiles } from "../../src/cli/pages/dbt/files.ts"
import { dbtSemanticModels } from "../../src/cli/pages/dbt/semanticModels.ts"
import { dbtSources } from "../../src/cli/pages/dbt/sources.ts"
import { schemas, tablesPage } from "../../src/cli/pages/tablesPage.ts"
import { sqlLines } from "../../src/cli/words/sqlLines.ts"
import { dictionary } from "../../src/pipelines/readers/dictionary.ts"

const written = (file: string) => readFileSync(resolve(import.meta.dirname, "../..", file), "utf8")
const entries = dictionary()
const split = (name: string) => name.split(".") as [string, string]

interface Source {
  readonly name: string
  readonly schema: string
  readonly tables: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly config: {
      readonly meta: { readonly source: string; readonly key: ReadonlyArray<string> }
    }
    readonly data_tests?: ReadonlyArray<unknown>
    readonly columns: ReadonlyArray<{
      readonly name: string
      readonly description: string
      readonly data_type: string
      readonly config?: { readonly meta: Readonly<Record<string, unknown>> }
      readonly data_tests?: ReadonlyArray<string>
    }>
  }>
}
const { sources } = parse(dbtSources()) as { readonly sources: ReadonlyArray<Source> }
const tableOf = (name: string) => {
  const [schema, table] = split(name)
  return sources.find((each) => each.schema === schema)?.tables.find((each) => each.name === table)
}

describe("the dictionary", () => {
  it("is of schemas that the page has a chapter for", () => {
    const used = new Set(entries.map(({ name }) => split(name)[0]))
    expect([...used].toSorted()).toEqual(schemas.map(({ name }) => name).toSorted())
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length)
  })

  it.each(entries)("$name says what it is, of what, and from where", (entry) => {
    for (const text of [entry.comment, entry.grain, entry.source, entry.example]) {
      expect(text.trim().length).toBeGreaterThan(2)
    }
    const names = entry.columns.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...entry.key]))
    expect(new Set(names).size).toBe(names.length)
    for (const { name, comment, unit } of entry.columns) {
      expect(comment.trim().length, name).toBeGreaterThan(2)
      expect(unit, name).not.toBe("")
    }
  })

  it.each(entries)("$name: its example fits on a terminal and stays the same SQL", (entry) => {
    for (const width of [72, 92]) {
      const lines = sqlLines(entry.example, width)
      expect(lines.filter((line) => line.length > width)).toEqual([])
      const one = lines.map((line) => line.trim()).join(" ")
      expect(one).toBe(entry.example.trim().replaceAll(/\s+/g, " "))
    }
    // It is shown between double quotes, to be pasted.
    expect(entry.example).not.toMatch(/["$`\\!]/)
  })

  it("gives the unit of every number and instant, or says that the service does not", () => {
    const silent = entries.flatMap(({ name: table, columns }) =>
      columns
        .filter(({ unit, databaseType, comment }) => {
          if (unit !== undefined) return false
          if (databaseType === "timestamp") return true
          return databaseType === "double" && !/\b(sent|tokens?)\b/.test(comment)
        })
        .map(({ name }) => `${table}.${name}`),
    )
    expect(silent).toEqual([])
  })
})

describe("docs/tables.md", () => {
  it("is what the dictionary says; `make docs` writes it again", () => {
    expect(written("docs/tables.md")).toBe(tablesPage())
    expect(written("docs/checks.md")).toBe(checksPage())
  })

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

  it.each(entries)("each column of $name is there, with its meaning, once", (entry) => {
    const { name, source, columns, asOf } = entry
    // A table of superseded versions is described by its table, a view by what it shows.
    const described = [name, name.replace(/_versions$/, ""), source].find(
      (each) => (bySection.get(each)?.size ?? 0) > 0,
    )
    const rows = bySection.get(String(described))
    for (const column of columns) {
      const row = rows?.get(column.name) ?? shared.get(column.name)
      expect(row, column.name).toContain(
        column.comment.replaceAll("|", "\\|").replaceAll("\n", " "),
      )
      // A bar inside of a cell would make a column of its own.
      expect(row?.match(/(?<!\\)\|/g), row).toHaveLength(6)
      const isTwice =
        rows?.has(column.name) === true && rows.get(column.name) === shared.get(column.name)
      expect(isTwice, column.name).toBe(false)
    }
    if (described === name && asOf !== undefined) expect(page).toContain(`\`${asOf}\``)
  })
})

// `make test-bi` has dbt build the project and MetricFlow query its metrics.
describe("deploy/dbt", () => {
  it.each(Object.keys(dbtFiles()))(
    "%s is what the dictionary says; `make docs` writes it",
    (file) => {
      expect(written(file)).toBe(dbtFiles()[file])
    },
  )

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

  it.each(entries)("$name with its columns, described, and its key tested", (entry) => {
    const table = tableOf(entry.name)
    expect(table?.description).toContain(entry.comment)
    expect(table?.config.meta).toMatchObject({ source: entry.source, key: entry.key })
    expect(
      table?.columns.map(({ name, description, data_type }) => [name, description, data_type]),
    ).toEqual(entry.columns.map(({ name, comment, databaseType }) => [name, comment, databaseType]))
    for (const [at, { unit }] of entry.columns.entries()) {
      expect(table?.columns[at]?.config?.meta["unit"]).toBe(unit)
    }
    const tested = (test: string) =>
      table?.columns.filter((column) => column.data_tests?.includes(test)).map(({ name }) => name)
    expect(tested("not_null")).toEqual(expect.arrayContaining([...entry.key]))
    const [only, ...others] = entry.key
    if (others.length === 0) expect(tested("unique")).toEqual([only])
    else {
      const column_name = `("${entry.key.join('", "')}")`
      expect(table?.data_tests).toContainEqual({
        unique: {
          arguments: { column_name },
          config: { meta: { check: `${entry.name}.unique_key` } },
        },
      })
    }
  })
})
