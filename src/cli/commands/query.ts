// vaulthouse query: SQL over the published copy.
import { type Command, readingSettings } from "../Command.ts"

export const query: Command = {
  name: "query",
  summary: "Ask the published copy in SQL",
  details:
    "Runs SQL (DuckDB's dialect) over the read-only published copy. SQL comes as an argument, from --file, or from standard input; on a terminal without any, an interactive shell starts. A comment `-- $days = 30` declares a parameter with the value it has without --param.",
  positional: { name: "sql", describe: "The question; quote it" },
  flags: {
    file: { type: "string", requiresArg: true, describe: "Read the SQL from this file" },
    format: {
      type: "string",
      requiresArg: true,
      choices: ["table", "csv", "json", "ndjson", "markdown"],
      describe: "How to print the answer (default: table on a terminal, csv in a pipe)",
    },
    param: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "A value for $name in the SQL, as name=value",
    },
    "max-rows": {
      type: "string",
      requiresArg: true,
      describe: "Print at most so many rows (default: 1000 in a table, all otherwise)",
    },
  },
  settings: readingSettings,
  examples: [
    ['query "select * from mart.vault_latest"', "one row per vault"],
    ["query --file question.sql --format csv > answer.csv", "into a file"],
    ['query "select * from mart.vault_daily where day = \\$day" --param day=2026-01-31', ""],
  ],
  run: async (argv) => (await import("../query/run.ts")).runQuery(argv),
}
