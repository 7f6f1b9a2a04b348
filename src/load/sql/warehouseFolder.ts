// Finds the SQL files of this package, in a checkout and in an installed package.
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

/** `folder` above a directory: the same from a checkout's src/ and from a built dist/. */
export const findFolder = (folder: string, from: string): string => {
  for (let directory = from; ; directory = dirname(directory)) {
    const found = join(directory, folder)
    if (existsSync(found)) return found
    if (directory === dirname(directory)) {
      throw new Error(`The folder ${folder} is nowhere above ${from}: the package is incomplete.`)
    }
  }
}

/** `warehouse/<folder>` above a directory. */
export const findWarehouseFolder = (folder: string, from: string): string =>
  findFolder(join("warehouse", folder), from)
