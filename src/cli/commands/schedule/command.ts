// vaulthouse schedule: sync on cron expressions.
import { type Command, toggle, value } from "../../parse/Command.ts"

export const schedule: Command = {
  name: "schedule",
  summary: "Run sync on a schedule until stopped",
  neededBy: "Administrators: run unattended where no other scheduler does it",
  details:
    "Runs the hourly pipelines every hour and the daily ones once a day, one run at a time; the setting `schedule` changes when. One run catches up on everything missed while the machine slept or was off. --listen is the address of /healthz, /readyz and /metrics. SIGTERM stops it after the commit in progress. A second scheduler of the same data directory waits until the first is gone; with --once it ends with exit code 75.",
  flags: {
    once: toggle("Run what is due now, then end"),
    workers: toggle("Plan the tasks of each run for the workers of the lake (`sync --workers`)"),
    "dry-run": toggle("Print the next ten runs of each group; run nothing"),
    listen: value(
      "Address and port of /healthz, /readyz and /metrics; `off` for none",
      "127.0.0.1:9464",
    ),
    json: toggle("Print the dry run as JSON"),
  },
  settings: "all",
  examples: [
    ["schedule", "runs until it is stopped"],
    ["schedule --dry-run", "when each group runs next"],
    ["schedule --once", "for a scheduler of your own that starts it often"],
  ],
  run: async (argv) => (await import("./run.ts")).runSchedule(argv),
}
