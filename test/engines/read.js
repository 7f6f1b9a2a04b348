// Reads a published copy with one version of DuckDB and prints what each view of it holds, first as the copy has the
// views, then with the views made again, from the copy's own catalog, over copied tables in an empty database.
// node read.js FROM PACKAGE FILE [calls]: with `calls`, also what macros and worked questions return. PACKAGE is an installed
// @duckdb/node-api; plain JavaScript, for any Node.
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const [from, engine, file, more] = process.argv.slice(2)
const require = createRequire(pathToFileURL(from))
const { DuckDBInstance } = require(engine)

const instance = await DuckDBInstance.create(":memory:")
const connection = await instance.connect()
const rows = async (sql) => (await connection.runAndReadAll(sql)).getRows()
const quoted = (part) => `"${part}"`

const views = async (catalog) =>
  rows(`select schema_name, view_name, sql from duckdb_views()
    where database_name = '${catalog}' and not internal and schema_name in ('mart', 'meta') order by all`)

/** What each of the relations holds, by name; the error where it can't be read. */
const readAll = async (relations) => {
  const found = {}
  for (const [name, relation] of relations) {
    try {
      const lines = await rows(`select to_json(v)::varchar from ${relation} as v`)
      found[name] = lines.map(([line]) => JSON.parse(line))
    } catch (error) {
      found[name] = String(error.message).slice(0, 300)
    }
  }
  return found
}

const contents = async (catalog) => {
  await connection.run(`use ${catalog}`)
  const names = (await views(catalog)).map(([schema, view]) => `${schema}.${view}`)
  return readAll(names.map((name) => [name, name]))
}

/** The macros of `mart`, all days and the newest instant for their parameters, and the worked questions. */
const calls = async () => {
  const macros =
    await rows(`select function_name, array_to_string(parameters, ',') from duckdb_functions()
    where database_name = 'copy' and schema_name = 'mart' and function_type = 'table_macro' order by all`)
  const questions = await rows("select question, sql from meta.questions order by all")
  return [
    ...macros.map(([macro, parameters]) => {
      const values = parameters
        .split(",")
        .map((each) => (each.endsWith("day") ? "null" : "timestamp '2100-01-01'"))
      return [`mart.${macro}`, `mart.${macro}(${values.join(", ")})`]
    }),
    ...questions.map(([question, sql]) => [question, `(${sql})`]),
  ]
}

await connection.run("set timezone = 'UTC'")
await connection.run(`attach '${file}' as copy (read_only)`)
await connection.run("attach ':memory:' as fresh")
const asPublished = await contents("copy")
const called = await readAll(more === "calls" ? await calls() : [])

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
process.stdout.write(JSON.stringify({ version, asPublished, called, madeAgain }))
