// vaulthouse verify: checks that the published files match their manifest.
import { type Command, toggle, warehouseSettings } from "../../parse/Command.ts"

export const verify: Command = {
  name: "verify",
  summary: "Check the published files against their manifest",
  neededBy: "Administrators: know that published files and archive are as they were written",
  details:
    "Compares every Parquet file with the manifest (existence, size, checksum, rows), the published copy with both, and every archived body with its hash. Finds too whether somebody has written to the copy since it was published. Exit code 4 if anything differs.",
  flags: { json: toggle("Print the findings as JSON") },
  settings: warehouseSettings,
  examples: [["verify", "check everything in the data directory"]],
  run: async (argv) => (await import("./run.ts")).runVerify(argv),
}
