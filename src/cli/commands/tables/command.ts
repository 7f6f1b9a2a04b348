// vaulthouse tables: the data dictionary.
import { type Command, toggle } from "../../parse/Command.ts"

export const tables: Command = {
  name: "tables",
  summary: "Describe every table and mart: columns, units, sources, examples",
  neededBy: "Analysts: look up what a table, a column or a unit means",
  details: "Lists all tables and marts, or those of a schema, or describes the columns of one.",
  positional: {
    name: "name",
    describe: "A table, for example core.ratio_history or vault_latest, or a schema",
  },
  flags: { json: toggle("Print the dictionary as JSON") },
  examples: [
    ["tables", "all tables and marts"],
    ["tables meta", "the views of the schema meta"],
    ["tables mart.vault_daily", "one mart, column by column"],
  ],
  run: async (argv) => (await import("./run.ts")).runTables(argv),
}
