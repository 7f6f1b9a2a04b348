// vaulthouse docs: the data dictionary, and the API as OpenAPI.
import { type Command, toggle } from "../../parse/Command.ts"

export const docs: Command = {
  name: "docs",
  summary: "Print the data dictionary, or the API as OpenAPI",
  details:
    "Without a flag, prints the data dictionary like `tables`. With --openapi, prints the endpoints that vaulthouse reads as an OpenAPI 3.1 document: inputs with their rules, access, responses and statuses.",
  positional: { name: "name", describe: "Only this table, with its columns" },
  flags: {
    openapi: toggle("Print the OpenAPI document"),
    json: toggle("Print the dictionary as JSON"),
  },
  examples: [
    ["docs", "every table"],
    ["docs --openapi > openapi.json", "for other tools"],
  ],
  run: async (argv) =>
    argv["openapi"] === true
      ? (await import("../tables/run.ts")).printOpenapi()
      : (await import("../tables/run.ts")).runTables(argv),
}
