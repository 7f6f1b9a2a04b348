// vaulthouse docs: the data dictionary, and the API as OpenAPI.
import { type Command, readingSettings } from "../Command.ts"

export const docs: Command = {
  name: "docs",
  summary: "Print the data dictionary, or the API as OpenAPI",
  details:
    "Without a flag the data dictionary, as `tables` prints it. With --openapi the endpoints vaulthouse reads as an OpenAPI 3.1 document: inputs with their rules, who may ask, answers, statuses.",
  positional: { name: "name", describe: "A table, for its columns alone" },
  flags: {
    openapi: { type: "boolean", describe: "Print the OpenAPI document" },
    json: { type: "boolean", describe: "Print the dictionary as JSON" },
  },
  settings: readingSettings,
  examples: [
    ["docs", "every table"],
    ["docs --openapi > openapi.json", "for other tools"],
  ],
  run: async (argv) =>
    argv["openapi"] === true
      ? (await import("../docs/openapi.ts")).printOpenapi()
      : (await import("../tables/run.ts")).runTables(argv),
}
