// Nothing is wider than the terminal: tables wrap, answers that nobody chose a format for turn on their side.
import { describe, expect, it } from "vitest"
import { sideways } from "../../src/cli/sideways.ts"
import { sqlLines } from "../../src/cli/sqlLines.ts"
import { columnsThatFit, textTable } from "../../src/cli/table.ts"
import { paragraph } from "../../src/cli/terminal.ts"

const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length))
const words = (count: number) => Array.from({ length: count }, () => "vault").join(" ")
const address = `0x${"a".repeat(40)}`

describe("a table", () => {
  it("wraps its last column", () => {
    const said = textTable(["name", "meaning"], [["ratio", words(30)]], [], 60)
    expect(widest(said)).toBeLessThanOrEqual(60)
    expect(said.replaceAll(/\s+/g, " ")).toContain(`ratio ${words(30)}`)
  })

  it("wraps its widest where the last is not enough, and loses nothing", () => {
    const rows = [[address, `/v1/${"path/".repeat(12)}`, "1,234,567", words(20)]]
    const said = textTable(["at", "path", "rows", "meaning"], rows, ["left", "left", "right"], 80)
    expect(widest(said)).toBeLessThanOrEqual(80)
    expect(said).toContain("1,234,567")
    expect(said.match(/a/g)?.length ?? 0).toBeGreaterThan(40)
    expect(said.match(/vault/g)).toHaveLength(20)
  })

  it("wraps a heading over figures, never the figures", () => {
    const head = ["stale active vaults", "median hours"]
    const said = textTable(head, [["1,234,567.5", "12.5"]], ["right", "right"], 20)
    expect(widest(said)).toBeLessThanOrEqual(20)
    expect(said).toContain("1,234,567.5")
  })

  it("is whole in a pipe", () => {
    expect(textTable(["a", "b"], [[address, words(50)]])).toContain(`${address}  ${words(50)}`)
  })
})

describe("an answer on its side", () => {
  it("is a block per row", () => {
    const rows = [
      ["Harbor", "1.02"],
      ["Granite", "–"],
    ]
    expect(sideways(["vault_name", "ratio"], rows, 40)).toBe(
      "vault_name: Harbor\nratio:      1.02\n\nvault_name: Granite\nratio:      –",
    )
  })

  it("wraps long values below their beginning", () => {
    const said = sideways(["extra"], [[words(20)]], 50)
    expect(widest(said)).toBeLessThanOrEqual(50)
    expect(said).toMatch(/^extra: vault[^]*\n {7}vault/)
  })
})

it("a paragraph is indented after its first line", () => {
  expect(paragraph("one two three four five six seven", 4, 24)).toBe(
    "one two three four\n    five six seven",
  )
})

it("long SQL has a clause a line, and none within parentheses or quotes", () => {
  const sql =
    "select a, 'from  here' as b, extract(year from t) from core.x left join core.y using (a) where a > 1"
  expect(sqlLines(sql, 60)).toEqual([
    "select a, 'from  here' as b, extract(year from t)",
    "from core.x",
    "left join core.y using (a)",
    "where a > 1",
  ])
  expect(sqlLines(sql, 120)).toEqual([sql])
  expect(sqlLines("select aaaaaaaaaa, bbbbbbbbbb, cccccccccc", 30)).toEqual([
    "select aaaaaaaaaa, bbbbbbbbbb,",
    "    cccccccccc",
  ])
})

describe("columns that one can do without", () => {
  const head = ["run", "started", "tasks", "new rows"]
  const rows = [["20261121T105857Z-3781df", "2026-11-21 10:58", "1,263", "123,522"]]
  const shown = (width: number) =>
    columnsThatFit(head, rows, ["started", "tasks", "nosuch"], width).map((at) => head[at])

  it("stay where there is room, headings broken", () => {
    expect(shown(80)).toEqual(head)
    expect(shown(23 + 16 + 5 + 7 + 6)).toEqual(head)
  })

  it("go one after the other, and no further than that", () => {
    expect(shown(23 + 16 + 5 + 7 + 5)).toEqual(["run", "tasks", "new rows"])
    expect(shown(35)).toEqual(["run", "new rows"])
    expect(shown(10)).toEqual(["run", "new rows"])
  })
})
