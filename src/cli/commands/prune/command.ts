// vaulthouse prune: retention of the response archive.
import { type Command, publishFlag, toggle, value, warehouseSettings } from "../../parse/Command.ts"

export const prune: Command = {
  name: "prune",
  summary: "Delete old archived responses and records that nothing needs",
  neededBy: "Administrators: free the disk of old responses",
  details:
    "Keeps the responses that stored rows were read from, whatever their age, those in quarantine, and for a year each dated snapshot that could not be read: every value can still be traced to its response, and a replay still rebuilds every table that is filled from responses. Of the records (tasks, results of checks, runs) it keeps the newest of each subject, what a row, a gap, quarantine or a mart needs, and failures for a year. Runs do the same by whole months (for a lake, `maintain` does); this command also deletes parts of a month.",
  flags: {
    "older-than": value("Delete what is older than this, in days; default: the setting keepDays"),
    "dry-run": toggle("Show what would be deleted"),
    publish: publishFlag,
    json: toggle("Print the summary as JSON"),
  },
  settings: [...warehouseSettings, "keepDays"],
  examples: [
    ["prune --dry-run", "what would be deleted"],
    ["prune --older-than 30d", "keep unused responses for a month"],
  ],
  run: async (argv) => (await import("./run.ts")).runPrune(argv),
}
