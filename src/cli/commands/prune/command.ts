// vaulthouse prune: retention of the response archive.
import { type Command, toggle, value, warehouseSettings } from "../../parse/Command.ts"

export const prune: Command = {
  name: "prune",
  summary: "Delete old archived responses that no row was read from",
  neededBy: "Administrators: free the disk of old responses",
  details:
    "Keeps the responses that stored rows were read from, whatever their age, and those in quarantine: every value can still be traced to its response, and a replay still rebuilds every table.",
  flags: {
    "older-than": value("Delete responses older than this, in days", "90d"),
    "dry-run": toggle("Show what would be deleted"),
    json: toggle("Print the summary as JSON"),
  },
  settings: warehouseSettings,
  examples: [
    ["prune --dry-run", "what would be deleted"],
    ["prune --older-than 30d", "keep unused responses for a month"],
  ],
  run: async (argv) => (await import("./run.ts")).runPrune(argv),
}
