// vaulthouse sync: extract, transform, load, check, publish.
import { type Command, publishFlag, toggle, value, values } from "../../parse/Command.ts"

export const sync: Command = {
  name: "sync",
  summary: "Load what is new from the service into the warehouse",
  neededBy: "Administrators: load what is new",
  details:
    "Reads everything new since the last run (all history the first time), loads it in small transactions, checks what it wrote, and publishes the read-only copy and the Parquet files. You can stop it at any moment without losing data.",
  positional: {
    name: "pipeline",
    describe: "Pipelines to run, with those they depend on; --plan lists them",
    many: true,
    absent: "all",
  },
  flags: {
    vault: values("Only these vaults: addresses, or names of vaults loaded before"),
    since: value(
      "First day (YYYY-MM-DD) of ratio_history, allocation_history, apy_history, transactions and audit_log; other pipelines ignore it",
    ),
    until: value(
      "Last day (YYYY-MM-DD) of ratio_history, allocation_history and transactions; other pipelines ignore it",
    ),
    full: toggle("Read everything again"),
    "fill-gaps": toggle(
      "Read missing hours and days again; those the service still lacks are recorded as permanent gaps",
    ),
    publish: publishFlag,
    plan: toggle("Print the tasks, requests and estimated time without sending anything"),
    workers: toggle(
      "Send no requests: plan the tasks for the workers of the lake, and wait for them",
    ),
    wait: toggle("Wait up to a day while another run holds the warehouse"),
    json: toggle("Print the summary as JSON"),
  },
  settings: "all",
  examples: [
    ["sync --base-url https://api.example.com", "load everything new"],
    ["sync ratio_history --vault 0x… --since 2026-01-01", "one history of one vault"],
    ["sync --plan", "what a run would read"],
  ],
  run: async (argv) => (await import("./run.ts")).runSync(argv),
}
