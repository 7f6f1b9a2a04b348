// vaulthouse fields: what the service sends that no column takes.
import type { Command } from "../Command.ts"

export const fields: Command = {
  name: "fields",
  summary: "List fields the service sends that no column takes",
  details:
    "The API document names few fields; those it does not name are kept in `extra`. This lists them from the published copy, with an example each, and suggests a column where name and type are similar. With --write the suggestions are added to the setting `fields`; `vaulthouse replay` then fills the columns for all history from the archive.",
  flags: {
    write: {
      type: "boolean",
      describe: "Add the suggestions to the configuration file; comments in it stay",
    },
    json: { type: "boolean", describe: "Print the fields as JSON" },
  },
  examples: [
    ["fields", "fields that are only in `extra`"],
    ["fields --write", "give each suggested column its field"],
  ],
  run: async (argv) => (await import("../fields/run.ts")).runFields(argv),
}
