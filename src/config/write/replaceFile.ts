// Replaces a configuration file as a whole: where the disk is full or the power fails, the old one stays.
import { realpath, rm, stat, writeFile } from "node:fs/promises"
import { writeDurably } from "../../domain/durableFiles.ts"

// Of a folder that may not be written, a file that a container has from outside, and an owner that this user may not give it.
const onlyInPlace: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "EBUSY"])

/**
 * Creates the file if there is none; only its owner can read it then. An existing one keeps its mode and its owner, and a link
 * leads to it still. Where only the file itself may be written, it is written in place.
 */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  const file = await realpath(path).catch(() => path)
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return writeDurably(file, text)
  await writeDurably(file, text, found.mode & 0o777, found).catch(async (cause: unknown) => {
    if (!onlyInPlace.has((cause as NodeJS.ErrnoException).code)) throw cause
    await rm(`${file}.tmp`, { force: true }).catch(() => undefined)
    await writeFile(file, text, { flush: true })
  })
}
