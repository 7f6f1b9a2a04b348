// vaulthouse maintain: maintenance of a lake.
import { type Command, toggle, warehouseSettings } from "../../parse/Command.ts"

export const maintain: Command = {
  name: "maintain",
  summary: "Join the small files of a lake and remove what no reader needs",
  neededBy: "Administrators: keep a lake fast and small",
  details:
    "Many small commits leave many small files, and rows in PostgreSQL. This writes the rows to Parquet, joins small files, rewrites files with many deleted rows, and removes snapshots and superseded files older than the setting `lake.keepDays`. Before that it deletes records that nothing needs, by whole months older than `keepDays`, as every run does for a warehouse in a file. It also deletes the archived responses of those months that nothing needs, if the setting `archive` names an archive that all machines share and no other process has the lake open; no process can then open the lake until this ends. Otherwise writers wait for at most one of these steps. `vaulthouse schedule` does all of it once a day. A warehouse in a file needs no maintenance.",
  flags: { json: toggle("Print the summary as JSON") },
  settings: [...warehouseSettings, "keepDays"],
  examples: [["maintain", "what a cron job runs once a day, on one machine"]],
  run: async (argv) => (await import("./run.ts")).runMaintain(argv),
}
