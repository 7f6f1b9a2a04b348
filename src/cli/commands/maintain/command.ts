// vaulthouse maintain: maintenance of a lake.
import { type Command, toggle, warehouseSettings } from "../../parse/Command.ts"

export const maintain: Command = {
  name: "maintain",
  summary: "Join the small files of a lake and remove what no reader needs",
  neededBy: "Administrators: keep a lake fast and small",
  details:
    "Many small commits leave many small files, and rows in PostgreSQL. This writes the rows to Parquet, joins small files, rewrites files with many deleted rows, and removes snapshots and superseded files older than the setting `lake.keepDays`. Before that it deletes the months older than `keepDays` of records that nothing needs, as a run does where the warehouse is a file, and of responses if the setting `archive` names one that all machines share and no other process has the lake open: none can then open it until this ends. Otherwise writers wait for one of these steps at most. `vaulthouse schedule` does it once a day. A warehouse in a file needs no maintenance.",
  flags: { json: toggle("Print the summary as JSON") },
  settings: [...warehouseSettings, "keepDays"],
  examples: [["maintain", "what a cron job runs once a day, on one machine"]],
  run: async (argv) => (await import("./run.ts")).runMaintain(argv),
}
