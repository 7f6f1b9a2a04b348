// vaulthouse status: how fresh and how complete everything is.
import { type Command, readingSettings } from "../Command.ts"

export const status: Command = {
  name: "status",
  summary: "Show how fresh and complete the warehouse is",
  details:
    "The last run or the one in progress, freshness by event time, row counts, gaps, quarantine, failed checks and unknown fields, on one screen. Reads the published copy and the state of the last run.",
  flags: { json: { type: "boolean", describe: "Print the status as JSON" } },
  settings: readingSettings,
  examples: [["status", "one screen"]],
  run: async (argv) => (await import("../status/run.ts")).runStatus(argv),
}
