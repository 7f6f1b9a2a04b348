// How messages are spelled.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { failuresText } from "../../src/cli/commands/check/failuresText.ts"
import { complaintText } from "../../src/cli/terminal/complaints.ts"

const root = join(import.meta.dirname, "../..")

describe("after the program's name", () => {
  it.each([
    ["There is no table `x`.", "vaulthouse: there is no table `x`."],
    ["A swap needs an API key.", "vaulthouse: a swap needs an API key."],
    ["DuckDB refused the query: no", "vaulthouse: DuckDB refused the query: no"],
    ["HTTP 500", "vaulthouse: HTTP 500"],
    ["--since 2026 is not a day", "vaulthouse: --since 2026 is not a day"],
  ])("%j is %j", (sentence, text) => {
    expect(complaintText(sentence)).toBe(text)
  })

  it("no message has a capital", () => {
    const wrong = globSync("src/**/*.ts", { cwd: root }).filter((file) =>
      /["`]vaulthouse: [A-Z][a-z' ]/.test(readFileSync(join(root, file), "utf8")),
    )
    expect(wrong).toEqual([])
  })
})

it("computed figures have no noise in their last digits", () => {
  const text = failuresText([
    {
      name: "buffer_identity",
      description: "The buffer is the rest",
      severity: "warn",
      tolerance: null,
      outcome: "failed",
      failures: 1,
      emptyTables: [],
      examples: [{ vault: "a", difference: 0.1 + 0.2, at: 3 }],
    },
  ])
  expect(text).toContain("- vault=a difference=0.3 at=3\n".trim())
})
