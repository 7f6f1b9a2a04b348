// vaulthouse trace: from a value back to the response it was read from.
import { type Command, toggle, value, values, warehouseSettings } from "../../parse/Command.ts"

export const trace: Command = {
  name: "trace",
  summary: "Trace a value back to the response it was read from",
  neededBy: "Auditors: the response behind a number",
  details:
    "For a row of a mart or core table, shows the rows it derives from with their earlier versions, the run that wrote them and the archived response each was read from. Without --date or --at, the newest row. Reads the published copy and the archive.",
  positional: { name: "table", describe: "A mart or core table" },
  flags: {
    vault: value("Vault of the row: its address or its name"),
    date: value("UTC day of the row (YYYY-MM-DD)"),
    at: value("Time of the row in UTC, as precise as needed (2026-05-01T03:00)"),
    key: values("Another column of the row's key, as name=value"),
    column: value("Only this column of the row"),
    body: toggle("Show the part of each response that contains the row"),
    "max-rows": value("Maximum number of rows to trace behind one value", "3"),
    json: toggle("Print as JSON"),
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
  run: async (argv) => (await import("./run.ts")).runTrace(argv),
}
