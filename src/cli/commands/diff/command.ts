// vaulthouse diff: what changed between two runs.
import { type Command, toggle, value } from "../../parse/Command.ts"

export const diff: Command = {
  name: "diff",
  summary: "Show what changed between two runs",
  neededBy: "Auditors: what a run changed, and whether yesterday's report still stands",
  details:
    "Counts the rows of each table that are new, revised or ended since the older run, up to and including the newer one. --table lists them with their values before and after. With one run: what that run changed. Runs are named as in `vaulthouse runs show`. An instant instead of a run names the newest run that had begun by then. --table takes a mart too: its rows are computed from what was known after each of the two runs, with the clock of the newer one. `query --as-of` shows a table or mart as it was. Of runs that overlap, as those of several machines in a lake may, a change can be listed for the other one.",
  positional: {
    name: "run",
    describe: "Two runs or instants, or one; `last` is the newest run",
    many: true,
  },
  flags: {
    table: value("List the rows of this table or mart"),
    vault: value("Only this vault: its address or its name"),
    "max-rows": value("Maximum number of rows to list", "50"),
    json: toggle("Print as JSON"),
  },
  examples: [
    ["diff last", "what the last published run changed"],
    ["diff 20260501T03 last", "everything since that run"],
    [
      "diff 2026-05-01T06:00Z last --table mart.vault_performance",
      "how the mart's figures changed",
    ],
    ["diff last --table ratio_history --vault 0x…", "the old and new values"],
  ],
  run: async (argv) => (await import("./run.ts")).runDiff(argv),
}
