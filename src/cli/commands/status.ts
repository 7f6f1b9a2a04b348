// vaulthouse status: how fresh and how complete everything is.
import { type Command, readingSettings } from "../Command.ts"

export const status: Command = {
  name: "status",
  summary: "Show how fresh and complete the warehouse is",
  details:
    "On one screen: health in a line, the last run or the one in progress, freshness by event time, and what needs attention, with what to do. Reads what the last run left and the published copy.",
  flags: {
    all: {
      type: "boolean",
      describe: "Print all of it: every pipeline, row counts, gaps, quarantine and unknown fields",
    },
    json: { type: "boolean", describe: "Print all of it as JSON" },
  },
  settings: readingSettings,
  examples: [
    ["status", "one screen"],
    ["status --json", "for a program, such as a monitor"],
  ],
  run: async (argv) => (await import("../status/run.ts")).runStatus(argv),
}
