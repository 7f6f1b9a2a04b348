// vaulthouse fields: fields of responses that have no column.
import { type Command, toggle } from "../../parse/Command.ts"

export const fields: Command = {
  name: "fields",
  summary: "List fields the service sends that have no column",
  neededBy: "Administrators: turn fields that the API document does not name into columns",
  details:
    "Fields that the API document does not name are kept in `extra`. This lists them from the published copy, each with an example, and suggests a column where name and type are similar. --write adds the suggestions to the setting `fields`; `vaulthouse replay` then fills the columns for all history from the archive.",
  flags: {
    write: toggle("Add the suggestions to the configuration file; comments in it stay"),
    json: toggle("Print the fields as JSON"),
  },
  examples: [
    ["fields", "fields that are only in `extra`"],
    ["fields --write", "give each suggested column its field"],
  ],
  run: async (argv) => (await import("./run.ts")).runFields(argv),
}
