// The files under warehouse/marts: all listed, all well formed, and a clear word where one is not.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { coreTables } from "../../src/pipelines/pipelines.ts"
import { marts, martsDirectory, readMart } from "../../src/load/marts/marts.ts"
import { martMacros, martMacrosDirectory } from "../../src/load/marts/martMacros.ts"
import { storedMarts } from "../../src/load/marts/storedMarts.ts"
import { readTests, WarehouseFileError } from "../../src/load/sql/warehouseFile.ts"
import { findWarehouseFolder } from "../../src/load/sql/warehouseFolder.ts"

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "vaulthouse-mart-files-"))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const good = {
  description: "Nothing much",
  needed_by: "Developers: to test with",
  grain: "thing",
  key: ["a"],
  columns: [{ name: "a", type: "integer", comment: "A number" }],
  example: "select a from mart.thing",
  tests: [{ name: "one", given: {}, expect: [{ a: 1 }] }],
}

const reading = (document: unknown): (() => unknown) => {
  const text = typeof document === "string" ? document : stringify(document)
  writeFileSync(join(directory, "thing.yml"), text)
  writeFileSync(join(directory, "thing.sql"), "select\n    1 as a\n")
  return () => ({
    ...readMart(directory, "thing"),
    tests: readTests(directory, "thing"),
  })
}

describe("warehouse/marts", () => {
  it("holds an SQL and a YAML file for every listed mart, and nothing else", () => {
    const files = marts.flatMap(({ name }) => [`${name}.sql`, `${name}.yml`])
    const expected = [...files, "order.txt"]
    expect(readdirSync(martsDirectory).toSorted()).toEqual(expected.toSorted())
  })

  it("holds an SQL and a YAML file for every listed macro, which are no marts", () => {
    const expected = martMacros.flatMap(({ name }) => [`${name}.sql`, `${name}.yml`])
    expect(readdirSync(martMacrosDirectory).toSorted()).toEqual(expected.toSorted())
    const names = new Set(marts.map(({ name }) => name))
    for (const { name, parameters, sql } of martMacros) {
      expect(names).not.toContain(name)
      for (const parameter of parameters ?? []) expect(sql).toContain(`$${parameter.name}`)
    }
  })

  it("excludes one column at a time: DuckDB keeps several in no order, and a view would differ from itself", () => {
    const several = [...marts, ...martMacros].filter(({ sql }) => /exclude \([^)]*,/i.test(sql))
    expect(several.map(({ name }) => name)).toEqual([])
  })

  it("names the stored marts in the README", () => {
    const [, views = ""] = readFileSync("warehouse/README.md", "utf8").split("## Views")
    const named = [...(views.split("(")[0] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(named).toEqual(storedMarts.map(({ name }) => name))
  })

  it.each(marts)(
    "$name reads the time from mart.clock only, and no mart listed after it",
    (mart) => {
      const sql = mart.sql.replaceAll("make_timestamp(epoch_us(now()))", "")
      expect(mart.name === "clock" ? sql : mart.sql).not.toMatch(
        /\bnow\(|current_date|current_time|localtime|\btoday\(|at time zone|timestamptz/i,
      )
      const earlier = marts.slice(0, marts.indexOf(mart)).map(({ name }) => name)
      const read = [...mart.sql.matchAll(/\bmart\.(\w+)/g)].map(([, name]) => name)
      expect(earlier).toEqual(expect.arrayContaining(read))
    },
  )
})

describe("readMart", () => {
  it("gives a well-formed file back with its name and its SQL", () => {
    expect(reading(good)()).toEqual({ ...good, name: "thing", sql: "select\n    1 as a" })
  })

  it.each([
    ["an unknown key", { ...good, grian: "thing" }, /grian/],
    ["a missing description", { ...good, description: undefined }, /description/],
    ["nobody who needs it", { ...good, needed_by: undefined }, /needed_by/],
    ["a reader who is none", { ...good, needed_by: "Everybody: for fun" }, /readers are Admin/],
    ["no tests", { ...good, tests: [] }, /tests/],
    [
      "a column type DuckDB does not have",
      { ...good, columns: [{ name: "a", type: "number", comment: "A number" }] },
      /"columns"\]\[0\]\["type"\]/,
    ],
    [
      "a key that is no column",
      { ...good, key: ["b"] },
      /key names columns that it does not have: b/,
    ],
    ["text that is not YAML", "description: [", /thing\.yml/],
  ])("says what is wrong with %s", (_, document, message) => {
    expect(reading(document)).toThrow(WarehouseFileError)
    expect(reading(document)).toThrow(message)
    expect(reading(document)).toThrow("adding-a-mart.md")
  })

  it("says that the last select must begin a line", () => {
    const read = reading(good)
    writeFileSync(join(directory, "thing.sql"), "with x as (select 1 as a) select a from x\n")
    expect(read).toThrow(/thing\.sql.*last `select`/)
  })

  it("names the file that is not there", () => {
    expect(() => readMart(directory, "absent")).toThrow(join(directory, "absent.yml"))
  })
})

describe("findWarehouseFolder", () => {
  it("finds the same folder from a checkout's sources and from a build", () => {
    const folder = join(directory, "warehouse", "marts")
    mkdirSync(folder, { recursive: true })
    for (const from of ["src/load", "dist/load", "dist/src/load"]) {
      mkdirSync(join(directory, from), { recursive: true })
      expect(findWarehouseFolder("marts", join(directory, from))).toBe(folder)
    }
  })

  it("says what it looked for in vain", () => {
    expect(() => findWarehouseFolder("no-such-folder", directory)).toThrow(
      /no-such-folder.*nowhere above/,
    )
  })
})

// No unit is claimed that the API document does not give (§2.9), and one name for two figures is explained.
describe("what the columns are said to be", () => {
  const column = (mart: string, name: string) =>
    marts.find((each) => each.name === mart)?.columns.find((each) => each.name === name)

  it.each(["vault_latest", "vault_daily", "vault_hourly"])(
    "%s: backing and supply have the unit of core.ratio_history, which is none",
    (mart) => {
      const ratio = coreTables.find(({ name }) => name === "ratio_history")
      const units = ["actual_tvl", "tvl_on_vault"].map(
        (name) => ratio?.columns.find((each) => each.name === name)?.unit,
      )
      expect(units).toEqual(Array(2).fill("as sent; the document names no unit"))
      expect([column(mart, "backing")?.unit, column(mart, "supply")?.unit]).toEqual(units)
    },
  )

  it("vault_latest and vault_daily each say what the other calls reported_tvl", () => {
    expect(column("vault_latest", "reported_tvl")?.comment).toContain("mart.vault_daily")
    expect(column("vault_latest", "contract_tvl")?.comment).toContain("mart.vault_daily")
    expect(column("vault_daily", "reported_tvl")?.comment).toContain("mart.vault_latest")
  })
})
