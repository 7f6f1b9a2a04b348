// vaulthouse runs: what the runs did.
import { type Command, toggle, value } from "../../parse/Command.ts"

export const runs: Command = {
  name: "runs",
  summary: "List the runs, or show one of them",
  neededBy: "Administrators: what a run did, and why it failed",
  details:
    "`runs` lists the newest runs. `runs show ID` shows one: its tasks by pipeline and outcome, its errors in full, the checks that failed, and the gaps, quarantined responses and unknown fields it recorded. ID is `last` or the unique beginning of an id. Reads the published copy.",
  positional: {
    name: "what",
    describe: "`show` and the id of a run",
    many: true,
    absent: "the list",
  },
  flags: {
    "max-rows": value("Maximum number of runs to list", "20"),
    json: toggle("Print as JSON"),
  },
  examples: [
    ["runs", "the newest runs"],
    ["runs show last", "what the last published run did"],
    ["runs show 20260501T03 --json", "one run for a program"],
  ],
  run: async (argv) => (await import("./run.ts")).runRuns(argv),
}
