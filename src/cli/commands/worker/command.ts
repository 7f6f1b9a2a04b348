// vaulthouse worker: reads tasks of the runs that `sync --workers` plans.
import { type Command, requestingSettings } from "../../parse/Command.ts"

export const worker: Command = {
  name: "worker",
  summary: "Read tasks that `sync --workers` plans, until stopped",
  neededBy: "Administrators: read with several machines what takes one too long",
  details:
    "Any number of workers, on any number of machines, read the tasks of one run into one lake. Each needs the same version, configuration and API key as `sync --workers` or `schedule --workers`, which plans the run on one of the machines. Ctrl-C and SIGTERM give its tasks back at once; those of a worker that dies go to others after the setting `workerLease`.",
  flags: {},
  settings: [...requestingSettings, "warehouse", "concurrency", "task-timeout", "progress"],
  examples: [
    ["worker", "on every machine, as a service"],
    ["sync --workers", "on one of them: plans a run and waits for its end"],
  ],
  run: async (argv) => (await import("./run.ts")).runWorker(argv),
}
