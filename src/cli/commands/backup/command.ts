// vaulthouse backup: the warehouse and its archive, to keep elsewhere.
import { type Command, toggle, warehouseSettings } from "../../parse/Command.ts"

export const backup: Command = {
  name: "backup",
  summary: "Write a backup of the warehouse and its archive into a new folder",
  neededBy: "Administrators: what it takes to survive the loss of the machine",
  details:
    "Copies the warehouse as of the last publication and every archived response, with checksums. A sync may run meanwhile. Parquet files are left out: `publish` writes them again.",
  positional: { name: "folder", describe: "A new or empty folder" },
  flags: { json: toggle("Print the files as JSON") },
  settings: warehouseSettings,
  examples: [["backup /backups/2026-03-01", "restore it with `vaulthouse restore`"]],
  run: async (argv) => (await import("./run.ts")).runBackup(argv),
}
