// vaulthouse backup and restore.
import { isInObjectStore } from "../../../domain/stores/objectStore.ts"
import { type Place, placeOf } from "../../../pipelines/publication/warehouse.ts"
import * as Effect from "effect/Effect"
import { backup, type Backup, BackupError, restore } from "../../../pipelines/backup/backup.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { megabytes } from "../../words/numbers.ts"
import { printReport } from "../../execute/report.ts"
import { counted } from "../../../domain/values/numbers.ts"

const folderOf = (argv: Arguments, purpose: string) => {
  const folder = textOf(argv, "folder")
  return folder === undefined ? wrongUse(`Name the folder ${purpose}.`) : Effect.succeed(folder)
}

const sizeOf = ({ files }: Backup): string => {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return `${counted(files.length, "file")}, ${megabytes(bytes)}`
}

const archiveNote = ({ archive = "" }: Place): string =>
  isInObjectStore(archive) ? ` The archive stays in ${archive}.` : ""

export const runBackup = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings }) {
      const folder = yield* folderOf(argv, "to write the backup into")
      const written = yield* backup(placeOf(settings), folder)
      printReport(
        argv,
        written,
        () =>
          `Backed up ${settings.dataDir} into ${folder}: ${sizeOf(written)}.${archiveNote(settings)}\n`,
      )
    },
    stopped,
  )

export const runRestore = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings }) {
      if (settings.warehouse !== "file") {
        return yield* new BackupError({
          why: "A backup is restored into a file, but the setting warehouse names a lake.",
          advice:
            "Restore it with `--warehouse file` and a new --data-dir, then bring it into an empty lake with `vaulthouse move`.",
        })
      }
      const folder = yield* folderOf(argv, "of the backup")
      const restored = yield* restore(folder, placeOf(settings))
      printReport(
        argv,
        restored,
        () =>
          `Restored ${folder} into ${settings.dataDir}: ${sizeOf(restored)}. \`vaulthouse publish\` writes the Parquet files, \`vaulthouse sync\` continues.\n`,
      )
    },
    stopped,
  )
