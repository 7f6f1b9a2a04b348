// docs/api-coverage.md: every row of §4 has its endpoint, and every rule a row. test/pipelines/everyEndpoint.test.ts reads them.
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import type { AnyEndpoint } from "../src/extract/Endpoint.ts"
import { endpoints } from "../src/extract/endpoints/index.ts"

const page = readFileSync(join(import.meta.dirname, "../docs/api-coverage.md"), "utf8")

/** Rows of tables, cell by cell; heads and their rules left out. */
const tableRows = (section: string): ReadonlyArray<ReadonlyArray<string>> =>
  (page.split(`\n## ${section}`)[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
    .map((line) => line.slice(2, -2).split(" | "))

const endpointRows = tableRows("Endpoints")
const ruleRows = tableRows("Rules")

const rowOf = ({ method, path, fixedQuery }: AnyEndpoint): string => {
  const query = new URLSearchParams(fixedQuery).toString()
  const place = typeof path === "string" ? path : `paths.${path.setting}`
  return `\`${method} ${place}${query === "" ? "" : `?${query}`}\``
}

describe("docs/api-coverage.md", () => {
  it("has each of the 39 rows of §4 once, and each is an endpoint in the list", () => {
    const rows = endpointRows.map(([, row]) => row ?? "")
    expect(rows).toHaveLength(39)
    expect(rows.toSorted()).toEqual(endpoints.map(rowOf).toSorted())
  })

  it("has as many rows of each part of §4 as the document", () => {
    const parts = Map.groupBy(endpointRows, ([part]) => part)
    expect([...parts].map(([part, rows]) => [part, rows.length])).toEqual([
      ["4.1", 12],
      ["4.2", 5],
      ["4.3", 12],
      ["4.4", 10],
    ])
  })

  it("names for each row the file of that endpoint, which cites the row's part", () => {
    for (const [part, row, file] of endpointRows) {
      const endpoint = endpoints.find((each) => rowOf(each) === row)
      expect(basename(file ?? "", ".ts`"), row).toBe(endpoint?.name)
      expect(endpoint?.section, row).toContain(`§${part}`)
    }
  })

  it("has every rule once", () => {
    const rules = ruleRows.map(([rule]) => rule ?? "")
    expect(rules).toEqual([...new Set(rules)])
    const wanted = [
      ...Array.from({ length: 9 }, (_, at) => `§5.${at + 1}`),
      ...Array.from({ length: 9 }, (_, at) => `§7 rule ${at + 1}`),
      ...["400", "404", "422", "424", "429", "500, 5xx"].map((status) => `§7 status ${status}`),
      ...Array.from({ length: 4 }, (_, at) => `§9.${at + 1}`),
    ]
    const covered = new Set(
      rules.flatMap((rule) => (rule.startsWith("§5") ? rule.split(", ") : [rule])),
    )
    expect(wanted.filter((rule) => !covered.has(rule))).toEqual([])
    expect(rules.filter((rule) => rule.startsWith("§8")).length).toBeGreaterThanOrEqual(8)
  })
})
