import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { martsDirectory, martStatements, readMart } from "../../../src/load/marts/marts.ts"

it("a mart is made again for its SQL and description, not for its tests and comments", () => {
  const folder = mkdtempSync(join(tmpdir(), "marts-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ["freshness.sql", "freshness.yml"]) {
    cpSync(join(martsDirectory, name), join(folder, name))
  }
  const statements = () => martStatements(readMart(folder, "freshness")).join("\n")
  const edit = (file: string, pattern: RegExp, text: string) => {
    const before = readFileSync(join(folder, file), "utf8")
    expect(before).toMatch(pattern)
    writeFileSync(join(folder, file), before.replace(pattern, text))
  }
  const made = statements()
  edit("freshness.yml", /^ {2}- name: stale by.*$/m, "  - name: another name")
  edit(
    "freshness.sql",
    /^-- By the time of the fact.*$/m,
    "-- Another comment.\n    -- In two lines.",
  )
  expect(statements()).toBe(made)

  edit("freshness.yml", /^ {4}comment: Display name$/m, "    comment: Name")
  const described = statements()
  expect(described).not.toBe(made)
  edit("freshness.sql", /status is distinct|status,/, "upper(status) as status,")
  expect(statements()).not.toBe(described)
})
