// vaulthouse check: are the rows what they must be?
import { type Command, readingSettings } from "../Command.ts"

export const check: Command = {
  name: "check",
  summary: "Check every row of the warehouse against the rules of its data",
  details:
    "Runs the checks that follow from the tables (keys, required columns, intervals, references, times) and those of warehouse/checks (accepted values, ranges, completeness, freshness, reconciliation) over every row, and keeps the results in ops.check_results. A sync does the same at its end for the rows it wrote, where that is cheap. Exit code 4 when a check of severity `error` fails. A value that was changed and breaks no rule is found by --against-archive, which makes the tables again from the archived responses, beside the warehouse, and compares; it changes nothing.",
  flags: {
    name: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Only this check, or the checks of this table",
    },
    "against-archive": {
      type: "boolean",
      describe: "Compare every row with what the archived responses say",
    },
    all: { type: "boolean", describe: "List the checks that passed too" },
    json: { type: "boolean", describe: "Print the results as JSON" },
  },
  settings: readingSettings,
  examples: [
    ["check", "every check"],
    [
      "check --name core.ratio_history --name buffer_identity",
      "the checks of a table, and one more",
    ],
    ["check --against-archive", "was any row changed since it was loaded?"],
  ],
  run: async (argv) => (await import("../check/run.ts")).runCheck(argv),
}
