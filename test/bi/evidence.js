// Runs every query of deploy/bi/evidence, the sources with Evidence's own connector over a published copy, the pages with
// its version of DuckDB over what the sources gave; compares some of them with plain SQL on the marts.
// node evidence.js INSTALLED PUBLISHED SCRATCH
import assert from "node:assert/strict"
import { cpSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, relative } from "node:path"

const [installed, published, scratch] = process.argv.slice(2)
const require = createRequire(join(installed, "package.json"))
const { DuckDBInstance } = require("@duckdb/node-api")
const { getRunner } = require("@evidence-dev/duckdb")

const project = join(scratch, "evidence")
cpSync("deploy/bi/evidence", project, { recursive: true })
const sources = join(project, "sources/vaulthouse")

const instance = await DuckDBInstance.create(":memory:")
const connection = await instance.connect()
const rows = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
await connection.run(`attach '${published}' as copy (read_only)`)
await connection.run("create schema vaulthouse")

const version = String((await rows("select version() as version"))[0].version)
const runner = await getRunner({ filename: relative(sources, published) }, sources)
for (const file of readdirSync(sources).filter((name) => name.endsWith(".sql"))) {
  const sql = readFileSync(join(sources, file), "utf8")
  const { rows: batches, columnTypes } = await runner(sql, file, 100_000)
  let count = 0
  for await (const batch of batches()) count += batch.length
  assert.ok(count > 0, file)
  const table = `vaulthouse.${file.replace(".sql", "")}`
  await connection.run("use copy")
  await connection.run(`create table memory.${table} as ${sql}`)
  await connection.run("use memory")
  const [{ n }] = await rows(`select count(*) as n from ${table}`)
  assert.equal(count, Number(n), file)
  process.stdout.write(`${version} ${file}: ${count} rows, ${columnTypes.length} columns\n`)
}

const vaults = (
  await rows(
    `select chain_id || '-' || vault_address as page, vault_address from vaulthouse.vaults
     semi join vaulthouse.vault_daily using (vault_address) order by page`,
  )
).map((row) => ({ page: String(row.page), address: String(row.vault_address) }))

/** Queries by name, in which names of earlier ones stand for them, as Evidence puts them in. */
const queriesOf = (page, vault) => {
  const queries = new Map()
  for (const [, name, sql] of page.matchAll(/^```sql (\w+)\n([^]*?)^```/gm)) {
    const complete = sql
      .replaceAll("${params.vault}", vault)
      .replaceAll(/\$\{(\w+)\}/g, (_, other) => `(${queries.get(other)})`)
    queries.set(name, complete)
  }
  return queries
}

const results = new Map()
for (const file of ["index.md", "vaults/[vault].md"]) {
  const page = readFileSync(join(project, "pages", file), "utf8")
  for (const vault of file === "index.md" ? [""] : vaults.map(({ page: each }) => each)) {
    const columns = new Map()
    for (const [name, sql] of queriesOf(page, vault)) {
      const reader = await connection.runAndReadAll(sql)
      columns.set(name, reader.columnNames())
      results.set(`${name} ${vault}`.trim(), reader.getRowObjectsJson())
    }
    // What a component shows is a column of its query.
    const [, ...components] = page.split(/^(?=<\w+ data=)/m)
    for (const component of components) {
      const [, query] = /data=\{(\w+)\}/.exec(component)
      const shown = [
        ...component.matchAll(/\b(?:value|x|y|id|column|series|link)=(?:(\w+)|\{(\[.*?\])\})/g),
      ]
      for (const name of shown.flatMap(([, one, many]) => (one ? [one] : JSON.parse(many)))) {
        assert.ok(columns.get(query)?.includes(name), `${file}: ${query} has no ${name}`)
      }
    }
  }
}
for (const name of ["totals", "ranking", "risk", "bands", "staleness", "coverage"]) {
  assert.ok(results.get(name).length > 0, name)
}

const near = (one, other) =>
  one === other ||
  (one !== null && other !== null && Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other)))
const compare = async (name, sql) => {
  await connection.run("use copy")
  const plain = await rows(sql)
  await connection.run("use memory")
  const found = results.get(name)
  assert.equal(found.length, plain.length, name)
  for (const [at, row] of plain.entries()) {
    for (const [column, value] of Object.entries(row)) {
      const shown = found[at][column]
      const same = typeof value === "number" ? near(shown, value) : String(shown) === String(value)
      assert.ok(same, `${name}: ${column} is ${String(shown)}, not ${String(value)}`)
    }
  }
  process.stdout.write(`${name}: ${plain.length} rows equal\n`)
}

await compare(
  "totals",
  `select count(*) as vaults, sum(nav_usd) as nav_usd, sum(pnl_usd) as pnl_usd,
    min(collateral_ratio) as lowest_collateral_ratio from mart.vault_latest where not is_ended`,
)
await compare(
  "staleness",
  `select series, count(*) as vaults, count(*) filter (is_stale) as stale, max(age_hours) as oldest_hours
    from mart.freshness group by series order by series`,
)
await compare(
  "coverage",
  `select day, sum(hours_present) / sum(hours_expected) as coverage
    from mart.vault_daily group by day order by day`,
)
const flows = readFileSync("warehouse/examples/flows-by-month.sql", "utf8")
for (const { page, address } of vaults) {
  assert.equal(results.get(`vault ${page}`).length, 1, page)
  await compare(
    `flows ${page}`,
    `select month, flow from (${flows.replace(/^--.*$/gm, "")}) where vault_address = '${address}'
      and flow is not null order by month`,
  )
  const days = results.get(`days ${page}`)
  const [{ low }] = await rows(
    `select min(collateral_ratio_close) as low from copy.mart.vault_daily where vault_address = '${address}'`,
  )
  assert.ok(near(Math.min(...days.map((day) => day.collateral_ratio_close ?? Infinity)), low))
  assert.ok(days.every(({ drawdown }) => drawdown === null || drawdown >= 0))
}
