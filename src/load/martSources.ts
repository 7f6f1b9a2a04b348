// What the views and macros of schema mart, and schema meta, are made from: their files and tables, and the code between.
import { hash } from "node:crypto"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Table } from "../domain/table.ts"
import { fingerprintOf } from "./layout.ts"
import { findWarehouseFolder } from "./warehouseFolder.ts"

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name))
      return `${name} ${size} ${mtimeMs}`
    })

/**
 * Changes with any of it, and takes a few milliseconds, where reading a hundred files takes a tenth of a second. The
 * version is part of it, because npm gives the files of every version the same time.
 */
export const martSources = (tables: ReadonlyArray<Table>): string => {
  const [marts, examples, all] = ["marts", "examples", ""].map((folder) =>
    findWarehouseFolder(folder, import.meta.dirname),
  ) as [string, string, string]
  const parts = [
    readFileSync(join(all, "../package.json"), "utf8"),
    fingerprintOf(tables),
    ...[marts, examples, import.meta.dirname].flatMap(filesIn),
  ]
  return hash("sha256", parts.join("\n"))
}
