// The page of what each mart is made from: drawings and a list, from the tables that DuckDB's parser finds in its SQL.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { tableName } from "../src/domain/table/table.ts"
import { marts } from "../src/load/marts/marts.ts"
import { literal } from "../src/load/sql/sql.ts"
import { coreTables } from "../src/pipelines/pipelines.ts"
import { withoutMart } from "./withoutMart.ts"

const root = join(import.meta.dirname, "..")
const examples = join(root, "warehouse/examples")
export const lineageFile = join(root, "docs/lineage.md")

/** What is drawn together; the marts that no drawing names are drawn at the end. */
const drawings: Readonly<Record<string, string>> = {
  "Vaults by hour and day":
    "ratio_points ratio_days pnl_days position_days apy_daily pnl_daily vault_daily vault_hourly vault_lifecycle vault_performance vault_returns vault_flows",
  "Vaults now": "vault_latest",
  "Allocations and protocols":
    "protocols protocol_names allocation_days allocation_daily protocol_exposure",
  Withdrawals:
    "withdrawal_totals withdrawal_queue withdrawal_queue_daily withdrawal_history withdrawable",
  "Fees and governance":
    "fee_schedule performance_fees_monthly timelock_schedule governance_timeline",
  Subaccounts:
    "vault_subaccount_links subaccount_holdings subaccount_debt health_bands subaccount_health subaccount_health_daily collateral_excess",
  Loans: "loan_book upcoming_payments loan_maturities loan_utilisation",
  "Whether figures can be trusted":
    "series freshness completeness pipeline_freshness comparisons reconciliation",
}

/** They date or name the rows of nearly every other mart, so a line to each would hide the others. */
const everywhere = ["clock", "last_read", "vault_names", "vault_addresses", "subaccount_names"]

/** The tables and marts that a query names, with their schemas, as DuckDB parses it: no name in a comment or text. */
const namesIn = (parsed: unknown): ReadonlyArray<string> => {
  if (Array.isArray(parsed)) return parsed.flatMap(namesIn)
  if (typeof parsed !== "object" || parsed === null) return []
  const node = parsed as Readonly<Record<string, unknown>>
  // A step of the query itself has no schema.
  const own =
    node["type"] === "BASE_TABLE" && node["schema_name"] !== ""
      ? [`${String(node["schema_name"])}.${String(node["table_name"])}`]
      : []
  return [...own, ...Object.values(node).flatMap(namesIn)]
}

export type Lineage = ReadonlyMap<string, ReadonlyArray<string>>

/** What each query reads, in alphabetical order. */
export const lineageOf = async (
  queries: ReadonlyArray<{ readonly name: string; readonly sql: string }>,
): Promise<Lineage> => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    const found = new Map<string, ReadonlyArray<string>>()
    for (const { name, sql } of queries) {
      const reader = await connection.runAndReadAll(
        `SELECT json_serialize_sql(${literal(sql)}::VARCHAR)`,
      )
      const parsed: unknown = JSON.parse(String(reader.getRows()[0]?.[0]))
      if ((parsed as { readonly error: boolean }).error) {
        throw new Error(`DuckDB can't parse ${name}: ${JSON.stringify(parsed)}`)
      }
      found.set(name, [...new Set(namesIn(parsed))].toSorted())
    }
    return found
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const nodeId = (name: string): string => name.replace(".", "_")
const short = (name: string): string => name.replace(/^(core|mart)\./, "")

const drawing = (title: string, drawn: ReadonlyArray<string>, lineage: Lineage): string => {
  const own = new Set(drawn.map((name) => `mart.${name}`))
  const edges = drawn.flatMap((name) =>
    (lineage.get(name) ?? [])
      .filter((from) => !everywhere.includes(short(from)))
      .map((from) => [from, `mart.${name}`] as const),
  )
  const targetsOf = (name: string): string =>
    edges
      .filter(([from]) => from === name)
      .map(([, to]) => nodeId(to))
      .join(" & ")
  // Tables, and marts of other drawings, that the same marts read are one node: fewer lines say the same.
  const inputs = [...new Set(edges.map(([from]) => from))].filter((name) => !own.has(name))
  const nodes = Map.groupBy(
    inputs.toSorted(),
    (name) => `${name.startsWith("mart.") ? "mart" : "table"} ${targetsOf(name)}`,
  )
  return [
    `### ${title}`,
    [
      "```mermaid",
      "flowchart LR",
      ...[...own].map((name) => `  ${nodeId(name)}[${short(name)}]:::mart`),
      ...[...nodes.values()].flatMap((names) => {
        const [first = ""] = names
        const label = `"${names.map(short).join("<br>")}"`
        const shape = first.startsWith("mart.") ? `[${label}]:::other` : `[(${label})]:::table`
        return [`  ${nodeId(first)}${shape}`, `  ${nodeId(first)} --> ${targetsOf(first)}`]
      }),
      ...[...own]
        .filter((name) => targetsOf(name) !== "")
        .map((name) => `  ${nodeId(name)} --> ${targetsOf(name)}`),
      "  classDef table fill:#eef2f7,stroke:#64748b,color:#0f172a",
      "  classDef mart fill:#dcfce7,stroke:#15803d,color:#052e16",
      "  classDef other fill:#ffffff,stroke:#15803d,color:#052e16,stroke-dasharray:4 3",
      "```",
    ].join("\n"),
  ].join("\n\n")
}

const link = (mart: string): string => `[${mart}](tables.md#mart${mart})`

const readersOf = (table: string, of: Lineage): ReadonlyArray<string> =>
  [...of].filter(([, from]) => from.includes(table)).map(([name]) => name)

/** Markdown of docs/lineage.md. */
export const lineagePage = async (): Promise<string> => {
  const lineage = await lineageOf(marts)
  const questions = await lineageOf(
    readdirSync(examples).map((file) => ({
      name: file.replace(/\.sql$/, ""),
      sql: readFileSync(join(examples, file), "utf8"),
    })),
  )
  const listed = new Set([
    ...everywhere,
    ...Object.values(drawings).flatMap((names) => names.split(" ")),
  ])
  const others = marts.map(({ name }) => name).filter((name) => !listed.has(name))
  const known = new Set(marts.map(({ name }) => name))
  return [
    "# What the marts are made from",
    "Written by `make docs` from the SQL of the marts, as DuckDB parses it.",
    "## Drawings",
    `Cylinders are tables, of \`core\` unless they name a schema; green boxes are marts, dashed boxes marts of another drawing. What leads to the\nsame marts shares a box. ${everywhere.map(link).join(", ")} date or name the\nrows of nearly every mart, and are left out.`,
    ...Object.entries(drawings).map(([title, names]) =>
      drawing(
        title,
        names.split(" ").filter((name) => known.has(name)),
        lineage,
      ),
    ),
    ...(others.length === 0 ? [] : [drawing("Others", others, lineage)]),
    "## Every table of core",
    "Which marts and worked questions read it; where none does, why a query of the table itself is enough.",
    [
      "| table | marts that read it | worked questions that read it, or why there is no mart |",
      "| --- | --- | --- |",
      ...coreTables.map((table) => {
        const name = tableName(table)
        const read = readersOf(name, lineage)
        const asked = readersOf(name, questions).map(
          (question) => `[${question}](../warehouse/examples/${question}.sql)`,
        )
        const reason = withoutMart[table.name]
        const last = [...(reason === undefined ? [] : [reason]), ...asked].join(" ")
        return `| \`${name}\` | ${read.map(link).join(", ")} | ${reason === undefined ? asked.join(", ") : last} |`
      }),
    ].join("\n"),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n")
}
