// Replaces a configuration file as a whole: where the disk is full or the power fails, the old one stays.
import { realpath, stat } from "node:fs/promises"
import { writeDurably } from "../../domain/durableFiles.ts"

/** Creates the file if there is none; only its owner can read it then. An existing one keeps its mode, and a link leads to it still. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  const file = await realpath(path).catch(() => path)
  const found = await stat(file).catch(() => undefined)
  await writeDurably(file, text, found === undefined ? 0o600 : found.mode & 0o777)
}
