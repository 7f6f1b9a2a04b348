// A fingerprint of what schema mart and schema meta are made from: files, tables, and the code of this stage, which joins
// them.
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Table } from "../../domain/table/table.ts"
import { fingerprint } from "../../domain/values/fingerprint.ts"
import { fingerprintOf } from "../tables/warehouseLayout.ts"
import { findFolder, findWarehouseFolder } from "../sql/warehouseFolder.ts"

const folderOf = (name: string): string => findWarehouseFolder(name, import.meta.dirname)

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name))
      return `${name} ${size} ${mtimeMs}`
    })

/**
 * Changes when any of them changes. It takes a few milliseconds, because it reads the files' times and not the hundred
 * files. The version is part of it, because npm gives the files of every version the same time.
 */
export const martSources = (tables: ReadonlyArray<Table>): string =>
  fingerprint(
    readFileSync(join(folderOf(""), "../package.json"), "utf8"),
    fingerprintOf(tables),
    ...filesIn(folderOf("marts")),
    ...filesIn(folderOf("macros")),
    ...filesIn(folderOf("examples")),
    ...filesIn(findFolder(join("src", "load"), import.meta.dirname)),
  )
