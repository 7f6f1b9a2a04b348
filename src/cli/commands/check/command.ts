// vaulthouse check: the data-quality checks.
import { type Command, toggle, values, warehouseSettings } from "../../parse/Command.ts"

export const check: Command = {
  name: "check",
  summary: "Run the data-quality checks over the whole warehouse",
  neededBy: "Administrators: know after a crash, a repair or a doubt that the stored data is sound",
  details:
    "Runs the checks that the tables and marts declare (keys, required columns, ranges, accepted values, intervals, references, times), those of frozen contracts, and those of warehouse/checks (completeness, freshness, reconciliation and others) over every row, and stores the results in ops.check_results. A sync runs the cheap ones on the rows it wrote. Exit code 4 if a check of severity `error` fails. --against-archive also finds a changed value that breaks no rule: it rebuilds the tables from the archived responses, outside the warehouse, and compares them; no row is changed.",
  flags: {
    name: values("Only this check, or the checks of this table"),
    "against-archive": toggle("Compare every row with the archived responses"),
    all: toggle("List passed checks too"),
    json: toggle("Print the results as JSON"),
  },
  settings: warehouseSettings,
  examples: [
    ["check", "every check"],
    [
      "check --name core.ratio_history --name buffer_identity",
      "all checks of a table, and one more",
    ],
    ["check --against-archive", "was any row changed since it was loaded?"],
  ],
  run: async (argv) => (await import("./run.ts")).runCheck(argv),
}
