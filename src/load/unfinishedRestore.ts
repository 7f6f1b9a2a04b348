// A restore that was interrupted: `restoring.json` in the data directory names its backup until the warehouse is whole,
// so that nothing starts a new warehouse beside half of the old one.
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { resolve } from "node:path"
import * as Schema from "effect/Schema"
import { flush } from "../domain/flush.ts"
import { readRegularText } from "../domain/regularFile.ts"
import { writeDurably } from "../domain/durableFiles.ts"
import { LoadError } from "./errors.ts"
import { restoreMark } from "./leftovers.ts"
import { databaseFile } from "./storage/file/duckdbFile.ts"

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ backup: Schema.NonEmptyString })),
)

/** To be called before anything is copied. */
export const beginRestore = (dataDir: string, folder: string): Promise<void> =>
  writeDurably(restoreMark(dataDir), `${JSON.stringify({ backup: resolve(folder) })}\n`)

/** To be called once the warehouse is in place. */
export const endRestore = async (dataDir: string): Promise<void> => {
  await rm(restoreMark(dataDir), { force: true })
  await flush(dataDir)
}

const backupOf = async (dataDir: string): Promise<string> => {
  try {
    return decode(await readRegularText(restoreMark(dataDir))).backup
  } catch {
    // What is said of it is of use even if its content is lost.
    return "<backup>"
  }
}

/**
 * The backup of which half is there: its restore was interrupted, or is going on. `undefined` also where everything is in place and
 * only the mark is left.
 */
export const restoreUnderWay = async (dataDir: string): Promise<string | undefined> =>
  existsSync(restoreMark(dataDir)) && !existsSync(databaseFile(dataDir))
    ? backupOf(dataDir)
    : undefined

export const repeatRestore = (backup: string, dataDir: string): string =>
  `\`vaulthouse restore ${backup} --data-dir ${dataDir}\``

/**
 * Rejects where half of a backup is in the data directory; ends a restore that has put everything in place. Call it with the lock:
 * a restore that is going on holds it.
 */
export const noUnfinishedRestore = async (dataDir: string): Promise<void> => {
  if (!existsSync(restoreMark(dataDir))) return
  const backup = await restoreUnderWay(dataDir)
  if (backup === undefined) return endRestore(dataDir)
  throw new LoadError({
    reason: "Files",
    what: `Opening the warehouse in ${dataDir}`,
    why: `the restore of ${backup} was interrupted, and only part of it is there`,
    advice: `Repeat it: ${repeatRestore(backup, dataDir)}. Or remove the folder to begin anew.`,
  })
}
