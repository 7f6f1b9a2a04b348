// vaulthouse status: how fresh and how complete everything is.
import { type Command, toggle } from "../../parse/Command.ts"

export const status: Command = {
  name: "status",
  summary: "Show how fresh and complete the warehouse is",
  neededBy:
    "Administrators: see at a glance whether the data is fresh and complete, and what to do if not",
  details:
    "Shows on one screen: health in one line, the last run or the one in progress, freshness by event time of vaults that are not closed, and what needs attention and what to do about it. Reads the files that the last run wrote, and the published copy.",
  flags: {
    all: toggle(
      "Print everything: every pipeline, row counts, gaps, quarantine and unknown fields",
    ),
    json: toggle("Print everything as JSON"),
  },
  examples: [
    ["status", "one screen"],
    ["status --json", "for a program, such as a monitor"],
  ],
  run: async (argv) => (await import("./run.ts")).runStatus(argv),
}
