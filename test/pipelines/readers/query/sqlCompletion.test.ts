// Completion of what anyone can send.
import { expect, it } from "@effect/vitest"
import { completeSql } from "../../../../src/pipelines/readers/query/sqlCompletion.ts"

const column = { name: "apy", type: "DOUBLE", comment: "" }
const vocabulary = {
  tables: [{ schema: "mart", name: "vault_apy", comment: "", columns: [column] }],
  macros: [],
  keywords: ["as"],
}

it("looks at the end of a long query alone", () => {
  expect(completeSql(vocabulary, `select ${"apy, ".repeat(10_000)}a`)).toEqual([["apy", "as"], "a"])
  const [words, begun] = completeSql(vocabulary, "a".repeat(50_000))
  expect([words, begun.length]).toEqual([[], 200])
})
