// Reads a published copy with one version of DuckDB and prints what each view of it holds, first as the copy has the
// views, then with the views made again, from the copy's own catalog, over copied tables in an empty database.
// node read.js PACKAGE FILE, where PACKAGE is an installed @duckdb/node-api; plain JavaScript, for any Node.
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const [from, name, file] = process.argv.slice(2)
const require = createRequire(pathToFileURL(from))
const { DuckDBInstance } = require(name)

const instance = await DuckDBInstance.create(":memory:")
const connection = await instance.connect()
const rows = async (sql) => (await connection.runAndReadAll(sql)).getRows()
const quoted = (part) => `"${part}"`

const views = async (catalog) =>
  rows(`select schema_name, view_name, sql from duckdb_views()
    where database_name = '${catalog}' and not internal and schema_name in ('mart', 'meta') order by all`)

const contents = async (catalog) => {
  await connection.run(`use ${catalog}`)
  const found = {}
  for (const [schema, view] of await views(catalog)) {
    const id = `${schema}.${view}`
    try {
      const lines = await rows(`select to_json(v)::varchar from ${id} as v`)
      found[id] = lines.map(([line]) => JSON.parse(line))
    } catch (error) {
      found[id] = String(error.message).slice(0, 300)
    }
  }
  return found
}

await connection.run("set timezone = 'UTC'")
await connection.run(`attach '${file}' as copy (read_only)`)
await connection.run("attach ':memory:' as fresh")
const asPublished = await contents("copy")

await connection.run("use fresh")
for (const [schema, table] of await rows(
  "select schema_name, table_name from duckdb_tables() where database_name = 'copy' order by all",
)) {
  await connection.run(`create schema if not exists ${quoted(schema)}`)
  const id = `${quoted(schema)}.${quoted(table)}`
  await connection.run(`create table ${id} as from copy.${id}`)
}
await connection.run("create schema if not exists mart")
// In the order of their dependencies: a view that reads a later one succeeds in a later round.
let left = await views("copy")
for (let round = 0; left.length > 0 && round < 20; round += 1) {
  const failed = []
  for (const view of left) {
    await connection.run(view[2]).catch(() => failed.push(view))
  }
  left = failed
}
const madeAgain = await contents("fresh")
const [[version]] = await rows("select library_version from pragma_version()")
process.stdout.write(JSON.stringify({ version, asPublished, madeAgain }))
