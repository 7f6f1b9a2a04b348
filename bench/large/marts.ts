// Measures how long reading every mart from the published copy takes, whole and filtered to one vault and 90 days:
// `make bench ARGS=marts`.
import { join } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import { type Mart, marts } from "../../src/load/marts/marts.ts"
import { storedMarts } from "../../src/load/marts/storedMarts.ts"
import { readOnly } from "../../test/support/readOnly.ts"
import { makeLongWarehouse } from "./longWarehouse.ts"
import { writeSection } from "../section.ts"

const TIMES = 5
const WHOLE_MILLIS = 1000
const FILTERED_MILLIS = 100

interface Timed {
  readonly rows: number
  readonly millis: number
}

/** Computes every column of every row; the fastest of several runs, because the others waited for something else. */
const timed = async (connection: DuckDBConnection, from: string): Promise<Timed> => {
  let best = Infinity
  let rows = 0
  for (let time = 0; time < TIMES; time += 1) {
    const startedAt = performance.now()
    const found = await connection.runAndReadAll(
      `SELECT count(*)::DOUBLE, bit_xor(hash(mart)) FROM ${from}`,
    )
    best = Math.min(best, performance.now() - startedAt)
    rows = Number(found.getRows()[0]?.[0])
  }
  return { rows, millis: best }
}

const withReader = <A>(file: string, work: (connection: DuckDBConnection) => Promise<A>) =>
  readOnly(
    file,
    async (connection) => {
      await connection.run("SET TimeZone = 'UTC'")
      return work(connection)
    },
    { threads: "2" },
  )

/** The condition for one vault and the last 90 days, by the columns the mart has; `undefined` if it has neither. */
const filterOf = ({ columns, key }: Mart, vault: string, since: string): string | undefined => {
  const time = columns.find(
    ({ name, type }) => key.includes(name) && (type === "date" || type === "timestamp"),
  )
  const conditions = [
    ...(columns.some(({ name }) => name === "vault_address") ? [`vault_address = '${vault}'`] : []),
    ...(time === undefined ? [] : [`${time.name} >= DATE '${since}'`]),
  ]
  return conditions.length === 0 ? undefined : conditions.join(" AND ")
}

interface Line {
  readonly mart: Mart
  readonly whole: Timed
  readonly filtered: Timed | undefined
  /** The whole mart, read from the warehouse itself, where every mart is a view. */
  readonly asView: Timed
}

const measure = async (dataDir: string): Promise<ReadonlyArray<Line>> => {
  const asViews = await withReader(join(dataDir, "vaulthouse.duckdb"), async (connection) => {
    const found = new Map<string, Timed>()
    for (const { name } of marts) found.set(name, await timed(connection, `mart.${name} AS mart`))
    return found
  })
  return withReader(join(dataDir, "published/vaulthouse.duckdb"), async (connection) => {
    const [[vault, since] = []] = (
      await connection.runAndReadAll(
        `SELECT vault_address, (max(observed_at)::DATE - 89)::VARCHAR FROM core.ratio_history
         GROUP BY vault_address ORDER BY count(*) DESC, vault_address LIMIT 1`,
      )
    ).getRows()
    const lines: Array<Line> = []
    for (const mart of marts) {
      const filter = filterOf(mart, String(vault), String(since))
      const from = `mart.${mart.name} AS mart`
      lines.push({
        mart,
        whole: await timed(connection, from),
        filtered:
          filter === undefined ? undefined : await timed(connection, `${from} WHERE ${filter}`),
        asView: asViews.get(mart.name) ?? { rows: Number.NaN, millis: Number.NaN },
      })
    }
    return lines
  })
}

const number = (value: number): string => Math.round(value).toLocaleString("en")

const millis = ({ millis: value }: Timed, limit: number): string =>
  value > limit ? `**${number(value)}**` : number(value)

const lineOf = ({ mart: { name }, whole, filtered, asView }: Line): string => {
  const stored = storedMarts.some((each) => each.name === name)
  const cells = [
    `\`${name}\`${stored ? ", stored" : ""}`,
    number(whole.rows),
    millis(whole, WHOLE_MILLIS),
    ...(filtered === undefined
      ? ["", ""]
      : [number(filtered.rows), millis(filtered, FILTERED_MILLIS)]),
    number(asView.millis),
  ]
  return `| ${cells.join(" | ")} |`
}

const sectionOf = (lines: ReadonlyArray<Line>): string => {
  const missed = lines.filter(
    ({ whole, filtered }) =>
      whole.millis > WHOLE_MILLIS || (filtered?.millis ?? 0) > FILTERED_MILLIS,
  )
  return `## Marts
Written by \`make bench ARGS=marts\`: 50 vaults × 5 years, with points, PnL and position snapshots every hour and the tasks
of a year of hourly runs; two threads, every column computed, the fastest of ${TIMES}, in milliseconds. The aims: at
most a second for the whole mart, and at most 100 ms for one vault and its last 90 days (filtered by the columns it has). The
last column is read from the warehouse itself, where all marts are views. Marts that are not listed are newer than the
measurement. ${missed.length === 0 ? "This run met both aims." : `This run missed an aim in ${missed.length} marts, in bold.`}

| mart | rows | whole | rows of one vault, 90 days | filtered | whole, in the warehouse |
|---|---:|---:|---:|---:|---:|
${lines.map(lineOf).join("\n")}
`
}

export const benchMarts = async (folder: string): Promise<void> => {
  const dataDir = join(folder, "marts")
  await makeLongWarehouse(dataDir)
  await reportMarts(dataDir)
}

/** Measures the marts of a published warehouse and writes their section. */
export const reportMarts = async (dataDir: string): Promise<void> => {
  const section = sectionOf(await measure(dataDir))
  console.log(section)
  writeSection("marts", section)
}
