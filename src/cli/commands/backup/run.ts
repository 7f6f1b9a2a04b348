// Writes a backup and prints what it holds.
import { isInObjectStore } from "../../../domain/stores/objectStore.ts"
import { type Place, placeOf } from "../../../pipelines/publication/warehouse.ts"
import { backup } from "../../../pipelines/backup/backup.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { backupText } from "../../words/backupText.ts"
import { printReport } from "../../execute/report.ts"

const archiveNote = ({ archive = "" }: Place): string =>
  isInObjectStore(archive) ? ` The archive stays in ${archive}.` : ""

export const runBackup = (argv: Arguments) =>
  execute(
    argv,
    function* ({ settings }) {
      const folder = textOf(argv, "folder") ?? ""
      if (folder.trim() === "") return yield* wrongUse("Name the folder to write the backup into.")
      const written = yield* backup(placeOf(settings), folder)
      printReport(
        argv,
        written,
        () =>
          `Backed up ${settings.dataDir} into ${folder}: ${backupText(written)}.${archiveNote(settings)}\n`,
      )
    },
    stopped,
  )
