// vaulthouse restore: a data directory from a backup.
import { type Command, toggle, warehouseSettings } from "../../parse/Command.ts"

export const restore: Command = {
  name: "restore",
  summary: "Restore a backup into a new data directory",
  neededBy: "Administrators: continue from a backup",
  details:
    "Checks every file of the backup against its checksum, then copies them into --data-dir, which must hold no warehouse. The next sync continues from there.",
  positional: { name: "folder", describe: "A folder that `vaulthouse backup` wrote" },
  flags: { json: toggle("Print the files as JSON") },
  settings: warehouseSettings,
  examples: [["restore /backups/2026-03-01 --data-dir ./data", "then `vaulthouse publish`"]],
  run: async (argv) => (await import("./run.ts")).runRestore(argv),
}
