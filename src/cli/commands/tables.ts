// vaulthouse tables: the data dictionary.
import { type Command, readingSettings } from "../Command.ts"

export const tables: Command = {
  name: "tables",
  summary: "Describe every table and mart: columns, units, sources, examples",
  details: "Without a name lists all tables and marts; with one, describes its columns.",
  positional: { name: "name", describe: "A table, for example core.ratio_history or vault_latest" },
  flags: { json: { type: "boolean", describe: "Print the dictionary as JSON" } },
  settings: readingSettings,
  examples: [
    ["tables", "everything there is"],
    ["tables mart.vault_daily", "one mart, column by column"],
  ],
  run: async (argv) => (await import("../tables/run.ts")).runTables(argv),
}
