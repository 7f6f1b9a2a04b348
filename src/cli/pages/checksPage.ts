// The page of all checks: the rules, what catches which defect, and what nothing covers.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import type { CheckedRule } from "../../domain/run/checkResult.ts"
import { checkList } from "../../pipelines/readers/checkList.ts"
import { code, markdownTable } from "./page.ts"

interface Defect {
  readonly defect: string
  readonly checks: Readonly<Record<string, string>>
}

/** The test's own list: what is on the page was planted and found. */
const defects = (): ReadonlyArray<Defect> =>
  parse(
    readFileSync(join(import.meta.dirname, "../../../test/pipelines/defects.yml"), "utf8"),
  ) as ReadonlyArray<Defect>

const ruleOf = ({ name }: CheckedRule): string => name.slice(name.lastIndexOf(".") + 1)

/** A description without what differs from table to table. */
const general = ({ description }: CheckedRule): string =>
  description.replace(/ \([^()]*: .*\)$/, "")

/** Rules whose description names the columns of one table. */
const inGeneral: Readonly<Record<string, string>> = {
  unique_key: "One row for each key",
  one_current: "At most one current row for each key",
  not_in_future:
    "The event time is not later than the response it came in, by more than clocks may differ",
  vault_addresses_known: "vault_address is found in mart.vault_addresses",
  vault_names_known: "chain_id and vault_address are found in mart.vault_names",
}

/** One line for each rule that many tables have. */
const ruleRows = (checks: ReadonlyArray<CheckedRule>): ReadonlyArray<ReadonlyArray<string>> =>
  [...Map.groupBy(checks, ruleOf)].map(([rule, ofRule]) => {
    const [first] = ofRule
    const descriptions = new Set(ofRule.map(general))
    const text = inGeneral[rule] ?? [...descriptions][0] ?? ""
    return [code(rule), String(ofRule.length), first?.severity ?? "", text]
  })

const declaredRows = (checks: ReadonlyArray<CheckedRule>): ReadonlyArray<ReadonlyArray<string>> =>
  checks
    .filter(({ description }) => / \([^()]*: .*\)$/.test(description))
    .map(({ name, severity, description }) => [
      code(name),
      severity,
      description.replace(/^.*? \(/, "").replace(/\)$/, ""),
    ])

/** Markdown of docs/checks.md. */
export const checksPage = (): string => {
  const { ofTables, ofMarts, ofFiles, coverage } = checkList()
  const { figures, uncheckedFigures } = coverage
  const byTable = Map.groupBy(uncheckedFigures, (name) => name.slice(0, name.lastIndexOf(".")))
  return [
    "# Checks",
    "Written by `make docs` from the declarations. `vaulthouse check` runs all of them over all rows; a run checks what it\nwrote. An `error` is a value that can't be, or a warehouse that contradicts itself, and ends with exit code 4; a `warn`\nis something implausible that the service may well have reported. The same rules are tests of the dbt project\n[deploy/dbt](bi/dbt.md), whose meta names the check.",
    "## Which check catches which defect",
    "Each of these was planted in a sound warehouse, alone, and found: `test/pipelines/defects.test.ts`.",
    markdownTable(
      ["defect", "caught by", "severity"],
      defects().map(({ defect, checks }) => [
        defect,
        Object.keys(checks).map(code).join(", "),
        Object.values(checks).join(", "),
      ]),
    ),
    "## What no check covers",
    `Of ${figures} figures of core, ${uncheckedFigures.length} have no range and are compared with nothing: any number passes. A figure that is\npossible and fits its neighbours may still not be the one that the service sent: \`vaulthouse check --against-archive\`\ncompares every row with its response. No check can notice what the service reports wrongly in the same way everywhere.`,
    [...byTable]
      .map(
        ([table, names]) =>
          `- ${code(table)}: ${names.map((name) => code(name.slice(table.length + 1))).join(", ")}`,
      )
      .join("\n"),
    "## Rules of the tables",
    "Each follows from the table's declaration (`src/domain/table/table.ts`, `src/domain/table/column.ts`); the check is called\n`<schema>.<table>.<rule>`.",
    markdownTable(["rule", "tables", "severity", "what it says"], ruleRows(ofTables)),
    markdownTable(["check", "severity", "values"], declaredRows(ofTables)),
    "## Rules of the marts",
    "They follow from the YAML file of the mart (`range`, `accepted`, `references`); the check is called\n`mart.<mart>.<rule>`.",
    markdownTable(["rule", "marts", "severity", "what it says"], ruleRows(ofMarts)),
    markdownTable(["check", "severity", "values"], declaredRows(ofMarts)),
    "## Rules of their own",
    "Each is an SQL file and a YAML file in `warehouse/checks`.",
    markdownTable(
      ["check", "severity", "tolerance", "rule"],
      ofFiles.map(({ name, severity, tolerance, description }) => [
        code(name),
        severity,
        tolerance === null ? "" : String(tolerance),
        description.replaceAll("\n", " ").trim(),
      ]),
    ),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n")
}
