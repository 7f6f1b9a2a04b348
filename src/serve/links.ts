// The paths of pages and API endpoints, so that each is written once.
import { withParameters } from "./html/address.ts"
import type { Row } from "./html/columns.ts"

export { withParameters }

const query = (parameters: Readonly<Record<string, string | undefined>>): string =>
  withParameters("", Object.entries(parameters))

const text = (value: unknown): string => encodeURIComponent(String(value))

export const vaultPage = (row: Row): string =>
  `/vault/${text(row["chain_id"])}/${text(row["vault_address"])}`

/** How an address names a vault: `1/0x…`, as the path of its page does. */
export const vaultParameter = (row: Row): string =>
  `${String(row["chain_id"])}/${String(row["vault_address"])}`

/** The comparison of vaults over days. */
export const comparePage = (
  vaults: ReadonlyArray<Row>,
  { from, to }: { readonly from: string; readonly to: string },
): string =>
  withParameters("/compare", [
    ...vaults.map((row) => ["vault", vaultParameter(row)] as const),
    ["from", from],
    ["to", to],
  ])

/** The path of the API for the vault's series, without the name of a series. */
export const vaultSeries = (row: Row): string => `/api${vaultPage(row)}/series`

export const sqlPage = (sql: string): string => `/sql${query({ q: sql })}`

/** What a table and its columns mean. */
export const tablePage = (table: string): string => `/sql/${text(table)}`

/** The trace of a figure of a table or mart; `key` identifies its row. */
export const tracePage = (
  table: string,
  column: string | undefined,
  key: Readonly<Record<string, unknown>>,
): string =>
  `/trace/${text(table)}${query({
    column,
    ...Object.fromEntries(Object.entries(key).map(([name, value]) => [name, String(value)])),
  })}`

/** The trace of a figure in a vault's row of `mart.vault_latest`. */
export const latestTrace = (row: Row, column: string): string =>
  tracePage("mart.vault_latest", column, {
    chain_id: row["chain_id"],
    vault_address: row["vault_address"],
  })

/** The result of a query whose parameters have the `values`, each once, however often it stands in the query. */
export const resultFile = (
  sql: string,
  values: ReadonlyArray<readonly [name: string, value: string]>,
  format: "csv" | "json" | "parquet",
  isSafe = false,
): string =>
  withParameters("/api/query", [
    ["format", format],
    ["csv_safe", isSafe ? "true" : undefined],
    ["q", sql],
    ...values,
  ])

export const runPage = (runId: unknown): string => `/data/run/${text(runId)}`

export const dataPage = (chosen: Readonly<Record<string, string | undefined>>): string =>
  `/data${query(chosen)}`
