// Nothing is wider than the terminal: tables wrap, and a wide query result becomes a block for each row.
import { describe, expect, it } from "vitest"
import { useStreams } from "../../../src/cli/terminal/output.ts"
import { reportText } from "../../../src/cli/commands/runs/texts.ts"
import { sqlLines } from "../../../src/cli/words/sqlLines.ts"
import { columnsThatFit, recordBlocks, textTable } from "../../../src/cli/terminal/table.ts"
import { firstLines, paragraph, wrapped } from "../../../src/cli/terminal/terminal.ts"
import { sink } from "../command.ts"

const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length))
const words = (count: number) => Array.from({ length: count }, () => "vault").join(" ")
const address = `0x${"a".repeat(40)}`

it("a text with more lines than are shown ends in an ellipsis after a whole word", () => {
  const lines = ["The disk is full.", "Free space there, then run", "again."]
  expect(firstLines(lines, 3, 26)).toEqual(lines)
  expect(firstLines(lines, 2, 26)).toEqual([lines[0], "Free space there, then …"])
  expect(firstLines(lines, 2, 40)).toEqual([lines[0], "Free space there, then run …"])
})

it("a terminal without room for a letter gets one a line", () => {
  for (const width of [1, 0, -3]) expect(wrapped("ab cd", width)).toEqual(["a", "b", "c", "d"])
})

describe("a table", () => {
  it("wraps its last column", () => {
    const text = textTable(["name", "meaning"], [["ratio", words(30)]], { width: 60 })
    expect(widest(text)).toBeLessThanOrEqual(60)
    expect(text.replaceAll(/\s+/g, " ")).toContain(`ratio ${words(30)}`)
  })

  it("wraps its widest where the last is not enough, and loses nothing", () => {
    const rows = [[address, `/v1/${"path/".repeat(12)}`, "1,234,567", words(20)]]
    const text = textTable(["at", "path", "rows", "meaning"], rows, {
      align: ["left", "left", "right"],
      width: 80,
    })
    expect(widest(text)).toBeLessThanOrEqual(80)
    expect(text).toContain("1,234,567")
    expect(text.match(/a/g)?.length ?? 0).toBeGreaterThan(40)
    expect(text.match(/vault/g)).toHaveLength(20)
  })

  it("shows the first 100 lines of a cell, however many it has", () => {
    const lines = textTable(
      ["id", "text"],
      [
        ["a", "line\n".repeat(200_000)],
        ["b", "c"],
      ],
    ).split("\n")
    expect(lines).toHaveLength(102)
    expect(lines.slice(-2)).toEqual(["    li …", "b   c"])
  })

  it("shows them in a column of one letter too", () => {
    const lines = textTable(["x"], [["a\n".repeat(200)]]).split("\n")
    expect(lines).toHaveLength(101)
    expect(lines.slice(-2)).toEqual(["a", "…"])
  })

  it("wraps a heading over figures, never the figures", () => {
    const head = ["stale active vaults", "median hours"]
    const text = textTable(head, [["1,234,567.5", "12.5"]], {
      align: ["right", "right"],
      width: 20,
    })
    expect(widest(text)).toBeLessThanOrEqual(20)
    expect(text).toContain("1,234,567.5")
  })

  it("is whole in a pipe", () => {
    expect(textTable(["a", "b"], [[address, words(50)]])).toContain(`${address}  ${words(50)}`)
  })
})

describe("a block for each row", () => {
  it("is a block per row", () => {
    const rows = [
      ["Harbor", "1.02"],
      ["Granite", "–"],
    ]
    expect(recordBlocks(["vault_name", "ratio"], rows, 40)).toBe(
      "vault_name: Harbor\nratio:      1.02\n\nvault_name: Granite\nratio:      –",
    )
  })

  it("wraps long values below their beginning", () => {
    const text = recordBlocks(["extra"], [[words(20)]], 50)
    expect(widest(text)).toBeLessThanOrEqual(50)
    expect(text).toMatch(/^extra: vault[^]*\n {7}vault/)
  })
})

it("a paragraph is indented after its first line", () => {
  expect(paragraph("one two three four five six seven", 4, 24)).toBe(
    "one two three four\n    five six seven",
  )
})

it("a run's failed tasks are broken between words", () => {
  const { stream } = sink(80)
  useStreams({ stdin: process.stdin, stdout: stream, stderr: stream })
  const task = { pipeline: "performance_fees", entity: address, window: "MonthToDate" }
  const errors = [{ ...task, outcome: "failed", error_tag: "NotFound", error_text: words(30) }]
  const run = { run_id: "r", started_at: "2026-06-01T12:00:00.000Z", outcome: "failed" }
  const none = { tasks: [], checks: [], gaps: [], quarantine: [], drift: [] }
  const text = reportText({ run, errors, ...none }, undefined)
  useStreams(process)
  expect(widest(text)).toBeLessThanOrEqual(80)
  expect(text).toContain("\n    NotFound\n")
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
