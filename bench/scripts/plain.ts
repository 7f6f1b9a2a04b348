// The script a competent engineer would write for these histories: a few requests at once, retries, JSON.parse, one
// table per history with a primary key, insert or replace. No archive, no versions, no state, no checks.
// node bench/scripts/plain.ts DATA_DIR_OF_A_SYNC DATABASE [REQUESTS_AT_ONCE]
import { setTimeout as sleep } from "node:timers/promises"
import { type DuckDBAppender, DuckDBInstance } from "@duckdb/node-api"
import { printMeasured } from "../measured.ts"
import { type ReadUrl, urlsOf } from "./urls.ts"

const ATTEMPTS = 5

type Fields = Readonly<Record<string, unknown>>
type Row = ReadonlyArray<unknown>

interface History {
  readonly name: string
  readonly columns: string
  readonly key: string
  readonly rows: (body: unknown, request: ReadUrl) => ReadonlyArray<Row>
}

const histories: Readonly<Record<string, History>> = {
  unrealized_pnl_ratio: {
    name: "ratio_history",
    columns:
      "vault varchar, observed_at timestamptz, actual_tvl double, tvl_on_vault double, ratio double",
    key: "vault, observed_at",
    rows: (body, { vault }) =>
      (body as ReadonlyArray<Fields>).map((point) => [
        vault,
        point["timestamp"],
        point["actual_tvl"],
        point["tvl_on_vault"],
        point["adjusted_redeem_ratio"],
      ]),
  },
  unrealized_pnl: {
    name: "pnl_history",
    columns: "vault varchar, observed_at timestamptz, pnl double, pnl_in_asset double",
    key: "vault, observed_at",
    rows: (body, { vault }) =>
      (body as ReadonlyArray<Fields>).map((point) => [
        vault,
        point["timestamp"],
        point["unrealizedPnl"],
        point["unrealizedPnlInAsset"],
      ]),
  },
  historical_apy_chart: {
    name: "apy_history",
    columns: "vault varchar, series varchar, day varchar, apy double",
    key: "vault, series, day",
    rows: (body, { vault, url }) => {
      const series = new URL(url).searchParams.get("applySmoothing")
      const { labels, values } = body as {
        labels: ReadonlyArray<string>
        values: ReadonlyArray<number>
      }
      return labels.map((label, at) => [vault, series, label, values[at]])
    },
  },
  historical_allocations: {
    name: "allocation_history",
    columns: "vault varchar, day varchar, protocol varchar, value_usd double, allocation double",
    key: "vault, day, protocol",
    rows: (body, { vault }) =>
      (body as { points: ReadonlyArray<Fields> }).points.map((point) => [
        vault,
        point["date"],
        point["protocol"],
        point["value_usd"],
        point["allocation_pct"],
      ]),
  },
}

/** Retries after the time the service asks for, or after a longer wait each time. */
const fetchJson = async (url: string): Promise<unknown> => {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url)
    if (response.ok) return response.json()
    if (attempt === ATTEMPTS || (response.status !== 429 && response.status < 500)) {
      throw new Error(`${url} responded with ${response.status}`)
    }
    await sleep(Number(response.headers.get("retry-after") ?? 2 ** attempt) * 1000)
  }
}

const append = (appender: DuckDBAppender, row: Row): void => {
  for (const value of row) {
    if (typeof value === "number") appender.appendDouble(value)
    else if (typeof value === "string") appender.appendVarchar(value)
    else appender.appendNull()
  }
  appender.endRow()
}

const [syncDir = "", file = "", atOnce = "8"] = process.argv.slice(2)
const urls = await urlsOf(syncDir)
const startedAt = performance.now()
const connection = await (await DuckDBInstance.create(file)).connect()
for (const { name, columns, key } of Object.values(histories)) {
  await connection.run(`create table ${name} (${columns}, primary key (${key}))`)
  const staged = columns.replaceAll("timestamptz", "varchar")
  await connection.run(`create temp table staged_${name} (${staged})`)
}
let rows = 0
let writing = Promise.resolve()

const insert = async ({ name, key }: History, page: ReadonlyArray<Row>): Promise<void> => {
  const appender = await connection.createAppender(`staged_${name}`, "main", "temp")
  for (const row of page) append(appender, row)
  appender.closeSync()
  // A page may contain a key twice: the last row counts.
  await connection.run(`insert or replace into ${name}
    select * from temp.main.staged_${name}
    qualify row_number() over (partition by ${key} order by rowid desc) = 1`)
  await connection.run(`truncate temp.main.staged_${name}`)
  rows += page.length
}

const queue: Array<ReadUrl> = [...urls]
await Promise.all(
  Array.from({ length: Number(atOnce) }, async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const body = await fetchJson(next.url)
      const history = histories[next.endpoint]
      if (history === undefined) continue
      const page = history.rows(body, next)
      writing = writing.then(() => insert(history, page))
      await writing
    }
  }),
)
await connection.run("checkpoint")
printMeasured(startedAt, { rows, requests: urls.length })
