// vaulthouse replay: rebuild the tables from the response archive.
import { type Command, publishFlag, toggle, warehouseSettings } from "../../parse/Command.ts"

export const replay: Command = {
  name: "replay",
  summary: "Rebuild the tables from the archived responses, without requests",
  neededBy:
    "Administrators: rebuild the tables after a loss, or with a new version or new settings, without requests",
  details:
    "Decodes every archived response again with this version, outside the warehouse, and replaces the tables that differ in one transaction. If the warehouse file is gone, it is rebuilt from the archive alone. A response that can't be read is left out and listed, and a table that would lose rows stays as it is; the exit code is then 3. With --quarantine, only the quarantined responses that this version can read are loaded, in the order in which they were received, and only their tables are rebuilt.",
  flags: {
    quarantine: toggle("Only quarantined responses, and the tables they belong to"),
    publish: publishFlag,
    json: toggle("Print the summary as JSON"),
  },
  settings: [...warehouseSettings, "progress"],
  examples: [
    ["replay", "rebuild the tables"],
    ["replay --quarantine", "after an update that can read what was quarantined"],
  ],
  run: async (argv) => (await import("./run.ts")).runReplay(argv),
}
