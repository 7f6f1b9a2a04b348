// Opens a file read-only and reads it, again and again until standard input ends, with an older DuckDB.
// node readAgain.js INSTALLED FILE SQL held|again
import { createRequire } from "node:module"
import { join } from "node:path"

const [installed, file, sql, how] = process.argv.slice(2)
const require = createRequire(join(installed, "package.json"))
const { DuckDBInstance } = require("@duckdb/node-api")

process.stdin.resume()
const open = () => DuckDBInstance.create(file, { access_mode: "READ_ONLY" })
let instance = await open()
while (!process.stdin.readableEnded) {
  const connection = await instance.connect()
  const [[line]] = (await connection.runAndReadAll(sql)).getRows()
  process.stdout.write(`${String(line)}\n`)
  connection.closeSync()
  if (how === "again") {
    instance.closeSync()
    instance = await open()
  }
  await new Promise((resume) => {
    setTimeout(resume, 400)
  })
}
