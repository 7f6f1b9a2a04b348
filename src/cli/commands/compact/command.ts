// vaulthouse compact: joins archive files.
import { type Command, publishFlag, toggle, warehouseSettings } from "../../parse/Command.ts"

export const compact: Command = {
  name: "compact",
  summary: "Join the archive files of each month",
  neededBy:
    "Administrators: few large archive files instead of one for each run, for backups and cheap storage",
  details:
    "Every run writes one archive file, and runs join small ones now and then. This joins the files of each month into files of at most about 64 MB, and stores repeated bodies once; the published copy then names the new files. Parquet files need no compaction: there is one per table and month.",
  flags: { publish: publishFlag, json: toggle("Print the summary as JSON") },
  settings: warehouseSettings,
  examples: [["compact", "join every month, the current one included"]],
  run: async (argv) => (await import("./run.ts")).runCompact(argv),
}
