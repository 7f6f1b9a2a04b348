// The worked questions of warehouse/examples, on a copy published by real runs: what each promises, the same
// answers over the Parquet files alone, and no answer to a parameter nobody declared.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type DuckDBConnection, DuckDBInstance, type Json } from "@duckdb/node-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  queriedAt,
  type ExampleWarehouse,
  makeExampleWarehouse,
} from "../../../demo/exampleWarehouse.ts"
import { guideFile, withAnswers } from "../../../demo/guide.ts"
import { readmeFile, withShown } from "../../../demo/readme.ts"
import { stopClock } from "../../../demo/stoppedClock.ts"
import { allColumns, tableName } from "../../../src/domain/table/table.ts"
import { asOfMacros, asOfMacroStatements } from "../../../src/load/marts/asOf.ts"
import { createSchemas, createTable } from "../../../src/load/tables/ddl.ts"
import { readManifest } from "../../../src/load/published/parquet/manifest.ts"
import { marts, martStatements } from "../../../src/load/marts/marts.ts"
import { namesIn, type QueryParameter } from "../../../src/domain/values/queryParameter.ts"
import { bindParameters } from "../../../src/load/published/read/reader/bindParameters.ts"
import { CATALOG, identifier, literal, storedType } from "../../../src/load/sql/sql.ts"
import { checkFigures } from "./exampleFigures.ts"
import { checkPages } from "../archived/checkPages.ts"
import { tables } from "../support.ts"

const folder = join(import.meta.dirname, "../../../warehouse/examples")
const names = readdirSync(folder).map((file) => file.replace(/\.sql$/, ""))
const textOf = (name: string) => readFileSync(join(folder, `${name}.sql`), "utf8")
const codeOf = (sql: string) => sql.replaceAll(/^\s*--.*$/gm, "")

/** Columns by question, as published: whoever renames one breaks somebody's notebook. */
const promised = JSON.parse(
  readFileSync(join(import.meta.dirname, "examples.columns.json"), "utf8"),
) as Readonly<Record<string, ReadonlyArray<string>>>

/** Questions whose best answer is no row, and why there is none on the simulated platform. */
const legitimatelyEmpty: Readonly<Record<string, string>> = {}

type Rows = ReadonlyArray<Readonly<Record<string, Json>>>

const answer = async (
  connection: DuckDBConnection,
  name: string,
  given: Readonly<Record<string, QueryParameter>> = {},
): Promise<{ readonly columns: ReadonlyArray<string>; readonly rows: Rows }> => {
  const sql = textOf(name)
  const parameters = await bindParameters(connection, sql, given)
  const reader = await connection.runAndReadAll(sql, parameters)
  return { columns: reader.columnNames(), rows: reader.getRowObjectsJson() }
}

let directory: string
let example: ExampleWarehouse
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "vaulthouse-examples-"))
  example = await makeExampleWarehouse(directory)
})
afterAll(async () => {
  await example.close()
  rmSync(directory, { recursive: true, force: true })
})

const usual = new Map<string, ReturnType<typeof answer>>()
/** With what a question takes where nothing is given; worked out once. */
const usualAnswer = (name: string): ReturnType<typeof answer> => {
  const found = usual.get(name) ?? answer(example.connection, name)
  usual.set(name, found)
  return found
}

describe("each question", () => {
  it("is listed with its columns, and there are enough of them", () => {
    expect(Object.keys(promised).toSorted()).toEqual(names.toSorted())
    expect(names.length).toBeGreaterThanOrEqual(24)
  })

  it.each(names)(
    "%s says what it answers, for which reader, and what its parameters are",
    (name) => {
      const sql = textOf(name)
      const header = sql.slice(0, sql.search(/^(with|select)$/m))
      expect(header).toMatch(/^-- [A-Z].*\?/s)
      expect(header).toMatch(/^-- For /m)
      const described = [...header.matchAll(/^-- {5}(\w+): .+ unless it is set$/gm)].map(
        ([, parameter = ""]) => parameter,
      )
      expect(described.toSorted()).toEqual([...namesIn(sql).variables].toSorted())
      expect(codeOf(sql)).not.toContain("$")
      expect(sql.split("\n").filter((line) => line.length > 120)).toEqual([])
      expect(codeOf(sql)).not.toMatch(/\t|;|current_date|at time zone|select \*/i)
      // Lower case, but for what stands in quotes.
      expect(codeOf(sql).replaceAll(/'[^']*'/g, "")).not.toMatch(/[A-Z]/)
    },
  )

  it.each(names)("%s finds something, in the columns promised", async (name) => {
    const { columns, rows } = await usualAnswer(name)
    expect(columns).toEqual(promised[name])
    if (name in legitimatelyEmpty) expect(rows).toEqual([])
    else expect(rows.length).toBeGreaterThan(0)
  })

  // Sums over threads differ in their last digits from one query to the next.
  const rough = (row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === "number"
          ? Number(Math.abs(value) < 1 ? value.toFixed(9) : value.toPrecision(9))
          : value,
      ]),
    )

  it.each(
    names.filter((name) => textOf(name).includes("--     vault: address or name of a vault")),
  )(
    "%s selects one vault by its name or its address, and no row for another name",
    async (name) => {
      const all = await usualAnswer(name)
      const named = all.rows.find(({ vault_name }) => vault_name !== undefined)
      const address = named?.["vault_address"] ?? null
      const vault = String(named?.["vault_name"])
      const byName = await answer(example.connection, name, { vault })
      expect(byName.rows.length).toBeGreaterThan(0)
      expect(new Set(byName.rows.map((row) => row["vault_name"]))).toEqual(new Set([vault]))
      if (address !== null) {
        const byAddress = await answer(example.connection, name, { vault: String(address) })
        expect(byAddress.rows.map(rough)).toEqual(byName.rows.map(rough))
      }
      expect((await answer(example.connection, name, { vault: "unknown" })).rows).toEqual([])
    },
  )
})

describe("over the Parquet files alone", () => {
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  beforeAll(async () => {
    const files = (await readManifest(example.dataDir))?.files ?? []
    instance = await DuckDBInstance.create(":memory:")
    connection = await instance.connect()
    const views = tables.map((table) => {
      const paths = files
        .filter((file) => file.schema === table.schema && file.table === table.name)
        .map(({ path }) => literal(join(example.dataDir, "parquet", path)))
      // A table without rows has no file: it is there as an empty one.
      if (paths.length === 0) return createTable(table)
      // In Parquet an instant is marked as UTC; the examples expect the types of the published copy.
      const columns = allColumns(table)
        .map(({ name, type }) => `${identifier(name)}::${storedType[type]} AS ${identifier(name)}`)
        .join(", ")
      return `CREATE VIEW ${CATALOG}.${tableName(table)} AS
        SELECT ${columns} FROM read_parquet([${paths.join(", ")}], hive_partitioning = false)`
    })
    await connection.run(`SET TimeZone = 'UTC'; ATTACH ':memory:' AS ${CATALOG}`)
    await connection.run([...createSchemas, ...views].join(";\n"))
    await connection.run(`USE ${CATALOG}`)
    await connection.run(
      [...marts.flatMap(martStatements), ...asOfMacros(tables).flatMap(asOfMacroStatements)].join(
        ";\n",
      ),
    )
    await stopClock(connection, "mart", queriedAt)
  })
  afterAll(() => {
    connection.closeSync()
    instance.closeSync()
  })

  /** Sums of doubles differ in their last digits, in whatever order they are made. */
  const alike = (one: Json | undefined, other: Json | undefined): boolean =>
    one === other ||
    (typeof one === "number" &&
      typeof other === "number" &&
      Math.abs(one - other) <= 1e-9 * Math.max(1e-3, Math.abs(one), Math.abs(other)))

  it.each(names)("%s has the same answer", async (name) => {
    const [stored, exported] = [await usualAnswer(name), await answer(connection, name)]
    expect(exported.columns).toEqual(stored.columns)
    expect(exported.rows.length).toBe(stored.rows.length)
    for (const [at, row] of stored.rows.entries()) {
      for (const column of stored.columns) {
        const [one, other] = [row[column], exported.rows[at]?.[column]]
        if (!alike(one, other)) expect(other, `${column} of row ${at}`).toEqual(one)
      }
    }
  })
})

describe("a reader in New York", () => {
  it("cuts other days in Parquet than in the database, unless its session is in UTC as the guide says", async () => {
    const inGuide = /^duckdb\.sql\("(set TimeZone = [^"]+)"\)$/m.exec(
      readFileSync(guideFile, "utf8"),
    )
    const instance = await DuckDBInstance.create(":memory:")
    const reader = await instance.connect()
    const daysOf = async (from: string) =>
      (
        await reader.runAndReadAll(
          `SELECT observed_at::DATE::VARCHAR AS day, count(*)::INTEGER AS points FROM ${from}
           GROUP BY ALL ORDER BY ALL`,
        )
      ).getRowsJson()
    const files = literal(join(example.dataDir, "parquet/current/core/ratio_history/*.parquet"))
    const file = literal(join(example.dataDir, "published/vaulthouse.duckdb"))
    try {
      await reader.run(`ATTACH ${file} AS published (READ_ONLY)`)
      await reader.run("SET TimeZone = 'America/New_York'")
      const days = await daysOf("published.core.ratio_history")
      expect(days.length).toBeGreaterThan(100)
      expect(await daysOf(`read_parquet(${files})`)).not.toEqual(days)
      await reader.run(String(inGuide?.[1]))
      expect(await daysOf(`read_parquet(${files})`)).toEqual(days)
      expect(await daysOf("published.core.ratio_history")).toEqual(days)
    } finally {
      reader.closeSync()
      instance.closeSync()
    }
  })
})

describe("docs/analysts-guide.md", () => {
  it("has the answers of today; `make guide` writes them", async () => {
    const guide = readFileSync(guideFile, "utf8")
    expect(await withAnswers(guide, example.connection)).toBe(guide)
  })

  it("links to files and headings that are there", () => {
    const guide = readFileSync(guideFile, "utf8")
    const targets = [...guide.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target)
    expect(targets.length).toBeGreaterThan(names.length)
    const anchorsOf = (text: string): ReadonlySet<string> =>
      new Set(
        [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
          title
            .toLowerCase()
            .replaceAll(/[^\w -]/g, "")
            .replaceAll(" ", "-"),
        ),
      )
    const docs = join(import.meta.dirname, "../../../docs")
    const missing = targets.filter((target) => {
      const [file = "", anchor] = target.split("#")
      if (file !== "" && !existsSync(join(docs, file))) return true
      if (anchor === undefined) return false
      const text = file === "" ? guide : readFileSync(join(docs, file), "utf8")
      return !anchorsOf(text).has(anchor)
    })
    expect(missing).toEqual([])
  })
})

describe("README.md", () => {
  it("shows what a run prints today; `make guide` writes it", async () => {
    const readme = readFileSync(readmeFile, "utf8")
    expect(readme).toMatch(/<!-- shown -->\n```text\n\$ npx vaulthouse sync/)
    expect(await withShown(readme, example)).toBe(readme)
  })

  it("links to files that are there", () => {
    const readme = readFileSync(readmeFile, "utf8")
    const targets = [...readme.matchAll(/\]\(([^):]+)\)/g)].map(([, target = ""]) => target)
    expect(targets.length).toBeGreaterThan(5)
    expect(
      targets.filter((target) => !existsSync(join(import.meta.dirname, "../../..", target))),
    ).toEqual([])
  })
})

describe("figures worked out again without SQL", () => {
  it.each(Object.entries(checkFigures))("%s", async (name, check) => {
    const rowsOf = async (given?: Readonly<Record<string, QueryParameter>>) =>
      (await (given === undefined ? usualAnswer(name) : answer(example.connection, name, given)))
        .rows
    expect(await check(rowsOf, example.simulator)).toBeGreaterThan(0)
  })
})

describe("figures of pages and reports worked out again from the archive", () => {
  it("as of the hour after the first run, before the second revised some", async () => {
    const compared = await checkPages(example.dataDir, "2026-06-01T13:00:00Z", true)
    expect(compared).toBeGreaterThan(5000)
  })

  it("as they are now", async () => {
    const compared = await checkPages(example.dataDir, "2026-06-02T13:00:00Z", false)
    expect(compared).toBeGreaterThan(20_000)
  })
})
