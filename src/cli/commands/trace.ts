// vaulthouse trace: from a value back to the response it was read from.
import { type Command, warehouseSettings } from "../Command.ts"

export const trace: Command = {
  name: "trace",
  summary: "Trace a value back to the response it was read from",
  details:
    "For a row of a mart or core table, shows the rows it derives from with their earlier versions, the run that wrote them and the archived response each was read from. Without --date or --at, the newest row. Reads the published copy and the archive.",
  positional: { name: "table", describe: "A mart or core table" },
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
      describe: "Time of the row in UTC, as precise as needed (2026-05-01T03:00)",
    },
    key: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Another column of the row's key, as name=value",
    },
    column: { type: "string", requiresArg: true, describe: "Only this column of the row" },
    body: { type: "boolean", describe: "Show the part of each response that contains the row" },
    "max-rows": {
      type: "string",
      requiresArg: true,
      default: "3",
      describe: "Maximum number of rows to trace behind one value",
    },
    json: { type: "boolean", describe: "Print as JSON" },
  },
  settings: warehouseSettings,
  examples: [
    [
      "trace vault_daily --vault 0x… --date 2026-05-01 --column apy_smoothed",
      "one value of one day",
    ],
    ["trace vault_latest --vault 0x…", "the newest row of a vault"],
    ["trace ratio_history --vault 0x… --at 2026-05-01T03:00 --body", "a point, and its response"],
  ],
  run: async (argv) => (await import("../trace/run.ts")).runTrace(argv),
}
