// vaulthouse runs: what the runs did.
import { type Command, readingSettings } from "../Command.ts"

export const runs: Command = {
  name: "runs",
  summary: "List the runs, or show what one of them did",
  details:
    "`runs` lists the newest runs. `runs show ID` shows one: its tasks by pipeline and outcome, its errors in full, and the gaps, quarantine and unknown fields it recorded. ID may be `last`, or as much of an id as no other begins with. Reads the published copy.",
  positional: {
    name: "what",
    describe: "`show` and the id of a run",
    many: true,
    absent: "the list",
  },
  flags: {
    "max-rows": {
      type: "string",
      requiresArg: true,
      default: "20",
      describe: "List at most so many runs",
    },
    json: { type: "boolean", describe: "Print as JSON" },
  },
  settings: readingSettings,
  examples: [
    ["runs", "the newest runs"],
    ["runs show last", "what the last published run did"],
    ["runs show 20260501T03 --json", "one run for a program"],
  ],
  run: async (argv) => (await import("../runs/run.ts")).runRuns(argv),
}
