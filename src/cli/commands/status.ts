// vaulthouse status: how fresh and how complete everything is.
import { type Command, readingSettings } from "../Command.ts"

export const status: Command = {
  name: "status",
  summary: "Show how fresh and complete the warehouse is",
  details:
    "Freshness by the time of the newest fact, the last run, coverage, gaps, quarantine and fields that changed, on one screen. Reads the published copy.",
  flags: { json: { type: "boolean", describe: "Print the status as JSON" } },
  settings: readingSettings,
  examples: [["status", "one screen"]],
  run: async (argv) => (await import("../status/run.ts")).runStatus(argv),
}
