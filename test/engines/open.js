// Opens files with one version of DuckDB and counts the vaults in each: node open.js FROM PACKAGE FILE…
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const [from, name, ...files] = process.argv.slice(2)
const { DuckDBInstance } = createRequire(pathToFileURL(from))(name)

for (const file of files) {
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" })
  const connection = await instance.connect()
  await connection.runAndReadAll("select count(*) from mart.vault_latest")
}
