// vaulthouse trace: from a figure back to the bytes it came from.
import { type Command, readingSettings } from "../Command.ts"

export const trace: Command = {
  name: "trace",
  summary: "Follow a figure back to the response it was read from",
  details:
    "From a row of a mart or a table of core: the rows it is made from with what they said before, the run that wrote them, and the archived response each was read from. Without --date or --at, the newest row. Reads the published copy and the archive.",
  positional: { name: "table", describe: "A mart or a table of core" },
  flags: {
    vault: {
      type: "string",
      requiresArg: true,
      describe: "Vault of the row: its address or its name",
    },
    date: { type: "string", requiresArg: true, describe: "UTC day of the row (YYYY-MM-DD)" },
    at: {
      type: "string",
      requiresArg: true,
      describe: "Instant of the row in UTC, as exact as need be (2026-05-01T03:00)",
    },
    key: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Another column of the row's key, as name=value",
    },
    column: { type: "string", requiresArg: true, describe: "Only this figure of the row" },
    body: { type: "boolean", describe: "Show the part of each response that holds the row" },
    "max-rows": {
      type: "string",
      requiresArg: true,
      default: "3",
      describe: "Follow at most so many rows of a figure made of several",
    },
    json: { type: "boolean", describe: "Print as JSON" },
  },
  settings: readingSettings,
  examples: [
    [
      "trace vault_daily --vault 0x… --date 2026-05-01 --column apy_smoothed",
      "one figure of a day",
    ],
    ["trace vault_latest --vault 0x…", "everything that is newest of a vault"],
    ["trace ratio_history --vault 0x… --at 2026-05-01T03:00 --body", "a point, as it was served"],
  ],
  run: async (argv) => (await import("../trace/run.ts")).runTrace(argv),
}
