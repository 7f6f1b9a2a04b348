// Addresses of the pages, so that each is written once.
import type { Row } from "./html/columns.ts"

const query = (parameters: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as [string, string]],
  )
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`
}

const text = (value: unknown): string => encodeURIComponent(String(value))

export const vaultPage = (row: Row): string =>
  `/vault/${text(row["chain_id"])}/${text(row["vault_address"])}`

/** What a series of the vault is found under, with its name. */
export const vaultSeries = (row: Row): string => `/api${vaultPage(row)}/series`

export const sqlPage = (sql: string): string => `/sql${query({ q: sql })}`

/** What the figure of a table or mart was read from; `key` finds its row. */
export const tracePage = (
  table: string,
  column: string | undefined,
  key: Readonly<Record<string, unknown>>,
): string =>
  `/trace/${text(table)}${query({
    column,
    ...Object.fromEntries(Object.entries(key).map(([name, value]) => [name, String(value)])),
  })}`

/** The same for the newest row of a vault in `mart.vault_latest`. */
export const latestTrace = (row: Row, column: string): string =>
  tracePage("mart.vault_latest", column, {
    chain_id: row["chain_id"],
    vault_address: row["vault_address"],
  })

export const resultFile = (
  sql: string,
  format: "csv" | "json" | "parquet",
  isSafe = false,
): string => `/api/query${query({ format, csv_safe: isSafe ? "true" : undefined, q: sql })}`

export const runPage = (runId: unknown): string => `/data/run/${text(runId)}`

export const dataPage = (chosen: Readonly<Record<string, string | undefined>>): string =>
  `/data${query(chosen)}`
