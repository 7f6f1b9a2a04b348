// A restore that was interrupted: `restoring.json` in the data directory names its backup until the warehouse is whole,
// so that nothing starts a new warehouse beside half of the old one.
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readRegularText } from "../../domain/regularFile.ts"
import { LoadError } from "../../load/errors.ts"
import { writeDurably } from "../../load/files/durableFiles.ts"
import { databaseFile } from "../../load/storage/file/duckdbFile.ts"

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ backup: Schema.NonEmptyString })),
)

const fileOf = (dataDir: string): string => join(dataDir, "restoring.json")

/** To be called before anything is copied. */
export const beginRestore = (dataDir: string, folder: string): Promise<void> =>
  writeDurably(fileOf(dataDir), `${JSON.stringify({ backup: resolve(folder) })}\n`)

/** To be called once the warehouse is in place; from then on the file means nothing. */
export const endRestore = (dataDir: string): Promise<void> => rm(fileOf(dataDir), { force: true })

/** Fails while a restore into the data directory is unfinished. */
export const noUnfinishedRestore = Effect.fnUntraced(function* (dataDir: string) {
  const file = fileOf(dataDir)
  if (existsSync(databaseFile(dataDir)) || !existsSync(file)) return
  const { backup } = yield* Effect.tryPromise(async () => decode(await readRegularText(file))).pipe(
    // Its words are of use even if its content is lost.
    Effect.orElseSucceed(() => ({ backup: "<backup>" })),
  )
  return yield* new LoadError({
    reason: "Files",
    what: `Opening the warehouse in ${dataDir}`,
    why: `the restore of ${backup} was interrupted, and half of it is there`,
    advice: `Repeat it: \`vaulthouse restore ${backup} --data-dir ${dataDir}\`. Or remove the folder to begin anew.`,
  })
})
