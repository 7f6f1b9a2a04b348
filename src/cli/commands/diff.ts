// vaulthouse diff: what changed between two runs.
import { type Command, readingSettings } from "../Command.ts"

export const diff: Command = {
  name: "diff",
  summary: "Show what changed between two runs",
  details:
    "Counts, table by table, the rows that are new, revised or ended since the older run, up to and including the newer one; --table lists them with their values before and after. One run alone: what it changed itself. A run is named as in `vaulthouse runs show`. What was known at an instant is asked with the macros mart.<table>_as_of(instant).",
  positional: { name: "run", describe: "Two runs, or one; `last` is the newest", many: true },
  flags: {
    table: { type: "string", requiresArg: true, describe: "List the rows of this table" },
    vault: { type: "string", requiresArg: true, describe: "Only this vault" },
    "max-rows": {
      type: "string",
      requiresArg: true,
      default: "50",
      describe: "List at most so many rows",
    },
    json: { type: "boolean", describe: "Print as JSON" },
  },
  settings: readingSettings,
  examples: [
    ["diff last", "what the last published run changed"],
    ["diff 20260501T03 last", "everything since a run"],
    ["diff last --table ratio_history --vault 0x…", "old and new values"],
  ],
  run: async (argv) => (await import("../diff/run.ts")).runDiff(argv),
}
