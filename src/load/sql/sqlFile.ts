// The SQL of queries that is not generated from a table: one file each in warehouse/.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { findWarehouseFolder } from "./warehouseFolder.ts"

const read = new Map<string, string>()

/** The text of `warehouse/<folder>/<name>.sql`. */
export const sqlFile = (folder: string, name: string): string => {
  const key = join(folder, `${name}.sql`)
  const known = read.get(key)
  if (known !== undefined) return known
  const directory = findWarehouseFolder(folder, import.meta.dirname)
  const text = readFileSync(join(directory, `${name}.sql`), "utf8")
  read.set(key, text)
  return text
}
