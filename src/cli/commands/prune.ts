// vaulthouse prune: retention of the response archive.
import { type Command, readingSettings } from "../Command.ts"

export const prune: Command = {
  name: "prune",
  summary: "Drop archived responses that are old and that no row needs",
  details:
    "Responses that rows of the tables were read from stay, whatever their age, as do those in quarantine: every figure can still be traced to its bytes, and a replay still rebuilds every table.",
  flags: {
    "older-than": {
      type: "string",
      default: "90d",
      requiresArg: true,
      describe: "Age from which a response may go: days, as in `90d`",
    },
    "dry-run": { type: "boolean", describe: "Only say what would go" },
    json: { type: "boolean", describe: "Print the summary as JSON" },
  },
  settings: readingSettings,
  examples: [
    ["prune --dry-run", "what would go"],
    ["prune --older-than 30d", "keep a month of what no row needs"],
  ],
  run: async (argv) => (await import("../prune/run.ts")).runPrune(argv),
}
