// Reads files that somebody else may have put in place: only regular files, never through a symbolic link, a pipe or a
// device, and only up to a size; and names that lead nowhere else.
import type { Stats } from "node:fs"
import { lstat, readFile } from "node:fs/promises"
import { join } from "node:path"

/** The file is missing, or is not a regular file; the message says which file, and what it is. */
export class NotRegular extends Error {
  override readonly name = "NotRegular"
}

const kindOf = (found: Stats): string => {
  if (found.isSymbolicLink()) return "a symbolic link"
  if (found.isDirectory()) return "a folder"
  if (found.isFIFO()) return "a pipe"
  return found.isSocket() ? "a socket" : "a device"
}

/** Whether a relative path consists of plain names: letters, digits, `_ . + = -`, and no name begins with a dot. */
export const isPlainPath = (path: string): boolean =>
  path.split("/").every((name) => /^[\w+=-][\w.+=-]*$/.test(name))

/** The size of a regular file. */
export const regularFileSize = async (file: string): Promise<number> => {
  const found = await lstat(file)
  if (!found.isFile()) throw new NotRegular(`${file} is ${kindOf(found)}, not a regular file`)
  return found.size
}

/** The same, for a plain path below a folder: none of the folders between may be a symbolic link either. */
export const regularSizeBelow = async (folder: string, path: string): Promise<number> => {
  if (!isPlainPath(path))
    throw new NotRegular(`${JSON.stringify(path)} is not a plain relative path`)
  const names = path.split("/")
  for (let length = 1; length < names.length; length++) {
    const between = join(folder, ...names.slice(0, length))
    const found = await lstat(between)
    if (!found.isDirectory()) throw new NotRegular(`${between} is ${kindOf(found)}, not a folder`)
  }
  return regularFileSize(join(folder, path))
}

// Lists of files have a few hundred bytes a file.
const MAX_TEXT_BYTES = 256 * 1024 * 1024

/** The text of a regular file that is not too large to be what it should be. */
export const readRegularText = async (file: string): Promise<string> => {
  const bytes = await regularFileSize(file)
  if (bytes > MAX_TEXT_BYTES) {
    throw new NotRegular(`${file} has ${bytes} bytes; at most ${MAX_TEXT_BYTES} are read`)
  }
  return readFile(file, "utf8")
}
