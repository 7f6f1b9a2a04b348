// vaulthouse verify: are the published files what their manifest says?
import { type Command, readingSettings } from "../Command.ts"

export const verify: Command = {
  name: "verify",
  summary: "Check the published copy and the Parquet files against their manifest",
  details:
    "Compares every Parquet file with the manifest (there, size, checksum, rows) and the published copy with both. Exit code 4 when something does not agree.",
  flags: { json: { type: "boolean", describe: "Print the findings as JSON" } },
  settings: readingSettings,
  examples: [["verify", "check everything below the data directory"]],
  run: async (argv) => (await import("../verify/run.ts")).runVerify(argv),
}
