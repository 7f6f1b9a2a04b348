// Divides a relation of the published copy into periods, each with a fingerprint of its content, so that only periods
// that changed are copied. A small relation is one period; a large one has months for its newest two years and years
// before that, because a query of the whole relation takes a few of PostgreSQL's locks for each period.
import type { DuckDBConnection } from "@duckdb/node-api"
import { fingerprint } from "../../../domain/values/fingerprint.ts"
import { decodeRow, number, optional, text } from "../../duckdb/decodeRow.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { identifier, identifiers, literal } from "../../sql/sql.ts"
import { monthAfter, monthOf } from "../../tables/months.ts"
import type { Relation } from "./relations.ts"

export interface Period {
  /** `2026-05`, `2024`, or `all`. */
  readonly name: string
  readonly rows: number
  /** Fingerprint of the rows and of how they are stored. */
  readonly fingerprint: string
}

// Copying this many rows takes about a second.
const LARGE_ROWS = 100_000

const decodeMonth = decodeRow({
  month: optional(text)("month"),
  rows: number("rows"),
  hash: text("hash"),
})

/** Stores the result of a mart, whose view would otherwise be evaluated for each period. */
export const materialize = async (
  connection: DuckDBConnection,
  { name, isView }: Relation,
): Promise<string> => {
  if (!isView) return name
  await connection.run(`CREATE OR REPLACE TEMP TABLE result AS FROM ${name}`)
  return "temp.result"
}

/** The periods of the relation, read from `source`; none if it has no rows. */
export const periodsOf = async (
  connection: DuckDBConnection,
  relation: Relation,
  source: string,
): Promise<ReadonlyArray<Period>> => {
  const found = await readRows(
    connection,
    `SELECT strftime(month, '%Y-%m') AS month, rows, hash::VARCHAR AS hash FROM (
       SELECT ${monthOf(relation, "row_")} AS month, count(*) AS rows, sum(hash(row_)::HUGEINT) AS hash
       FROM ${source} row_ GROUP BY ALL HAVING count(*) > 0
     ) ORDER BY ALL`,
  )
  const months = found.map(decodeMonth)
  const rows = months.reduce((sum, each) => sum + each.rows, 0)
  const newestYear = Number(months.at(-1)?.month?.slice(0, 4))
  const nameOf = (each: string | undefined): string => {
    if (rows <= LARGE_ROWS || each === undefined) return "all"
    return Number(each.slice(0, 4)) < newestYear - 1 ? each.slice(0, 4) : each
  }
  const sums = new Map<string, { readonly rows: number; readonly hash: bigint }>()
  for (const each of months) {
    const name = nameOf(each.month)
    const { rows: before, hash } = sums.get(name) ?? { rows: 0, hash: 0n }
    sums.set(name, { rows: before + each.rows, hash: hash + BigInt(each.hash) })
  }
  const stored = storageOf(relation)
  return [...sums].map(([name, sum]) => ({
    name,
    rows: sum.rows,
    fingerprint: `${stored}-${sum.rows}-${sum.hash.toString(36)}`,
  }))
}

const storageOf = ({ columns, indexes }: Relation): string =>
  fingerprint(
    columns.map(({ name, type, value }) => [name, type, value]),
    indexes,
  ).slice(0, 16)

const isYear = (period: string): boolean => period.length === 4

/** First day of the period and of the one after it. */
const boundsOf = (period: string): readonly [string, string] => {
  const [from, to] = isYear(period) ? [`${period}-01`, `${period}-12`] : [period, period]
  return [`${from}-01`, `${monthAfter(to)}-01`]
}

/** The condition of its rows, in the SQL of both databases if the session's time zone is UTC; `true` for all rows. */
export const conditionOf = ({ time }: Relation, { name }: Period): string => {
  if (time === undefined || name === "all") return "true"
  const [from, to] = boundsOf(name)
  return `${identifier(time)} >= ${literal(from)} AND ${identifier(time)} < ${literal(to)}`
}

/** Writes the rows of a period to a CSV file, in the order of the first index. */
export const writeCsv = async (
  connection: DuckDBConnection,
  relation: Relation,
  source: string,
  period: Period,
  file: string,
): Promise<void> => {
  const [index = []] = relation.indexes
  const order = index.length === 0 ? "" : `ORDER BY ${identifiers(index)}`
  await connection.run(
    `COPY (SELECT ${relation.columns.map(({ value }) => value).join(", ")}
           FROM ${source} WHERE ${conditionOf(relation, period)} ${order})
     TO ${literal(file)} (FORMAT csv, HEADER false, NULLSTR '\\N')`,
  )
}
