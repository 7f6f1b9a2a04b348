// vaulthouse sync: extract, transform, load, check, publish.
import type { Command } from "../Command.ts"

export const sync: Command = {
  name: "sync",
  summary: "Read what is new from the service into the warehouse",
  details:
    "Reads what is new since the last run (everything, the first time), loads it in small transactions, checks what it wrote, and publishes the read-only copy and Parquet. Stopping it at any moment loses nothing.",
  positional: {
    name: "pipeline",
    describe: "Names as `sync --plan` lists them; what they need runs too",
    many: true,
    absent: "all",
  },
  flags: {
    vault: { type: "string", array: true, requiresArg: true, describe: "Only these vaults" },
    since: { type: "string", requiresArg: true, describe: "First day to read (YYYY-MM-DD)" },
    until: { type: "string", requiresArg: true, describe: "Last day to read (YYYY-MM-DD)" },
    full: { type: "boolean", describe: "Read everything again, whatever was read before" },
    "fill-gaps": {
      type: "boolean",
      describe:
        "Ask again for hours and days missing from the histories; those still not served are not asked for a third time",
    },
    publish: {
      type: "boolean",
      default: true,
      describe: "Make the readers' copies afterwards; --no-publish leaves them",
    },
    plan: { type: "boolean", describe: "Print tasks, requests and time; send nothing" },
    wait: { type: "boolean", describe: "Wait when another run holds the warehouse" },
    json: { type: "boolean", describe: "Print the summary as JSON" },
  },
  examples: [
    ["sync --base-url https://api.example.com", "everything that is new"],
    ["sync ratio_history --vault 0x… --since 2026-01-01", "one history of one vault"],
    ["sync --plan", "what a run would ask for"],
  ],
  run: async (argv) => (await import("../sync/run.ts")).runSync(argv),
}
