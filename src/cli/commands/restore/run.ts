// Restores a backup and prints what it held.
import { BackupError } from "../../../pipelines/backup/backupFolder.ts"
import { restore } from "../../../pipelines/backup/restore.ts"
import { placeOf } from "../../../pipelines/publication/warehouse.ts"
import { execute, stopped } from "../../execute/execute.ts"
import { printReport } from "../../execute/report.ts"
import { textOf } from "../../parse/arguments.ts"
import type { Arguments } from "../../parse/Command.ts"
import { wrongUse } from "../../parse/errors.ts"
import { backupText } from "../../words/backupText.ts"

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
      const folder = textOf(argv, "folder") ?? ""
      if (folder.trim() === "") return yield* wrongUse("Name the folder of the backup.")
      const restored = yield* restore(folder, placeOf(settings))
      printReport(
        argv,
        restored,
        () =>
          `Restored ${folder} into ${settings.dataDir}: ${backupText(restored)}. \`vaulthouse publish\` writes the Parquet files, \`vaulthouse sync\` continues.\n`,
      )
    },
    stopped,
  )
