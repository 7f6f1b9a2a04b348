// vaulthouse query: SQL over the published copy.
import { type Command, toggle, value, values } from "../../parse/Command.ts"

export const query: Command = {
  name: "query",
  summary: "Query the published copy with SQL",
  neededBy: "Analysts: SQL on the published copy without another tool",
  details:
    "Runs SQL (DuckDB's dialect) on the published copy, which is read-only. Pass the SQL as an argument, with --file, or on standard input; without SQL, a terminal opens an interactive shell. --param sets `$name` and `getvariable('name')`; a variable without a value is null. With --as-of, every core table and mart that the SQL names is as it was at that instant. Tables without history are as they are now; `ops.gaps` is one of them, so the gaps in mart.completeness are those of now.",
  positional: { name: "sql", describe: "One statement, in quotes" },
  flags: {
    file: value("Read the SQL from this file"),
    format: {
      type: "string",
      requiresArg: true,
      choices: ["table", "csv", "json", "ndjson", "markdown"],
      describe: "Output format (default: table on a terminal, csv in a pipe)",
    },
    param: values("Value of $name or getvariable('name'), as name=value"),
    "as-of": value(
      "Query what was known at this instant: 2026-01-31T18:00Z, or a day for its beginning (UTC)",
    ),
    timeout: value("Stop the query after this time, for example 30s or 5min (default: none)"),
    "csv-safe": toggle("In CSV, put ' before text that a spreadsheet would run as a formula"),
    "max-rows": value("Maximum number of rows to print (default: 1000 in a table, else all)"),
  },
  examples: [
    ['query "select * from mart.vault_latest"', "one row per vault"],
    ["query --file question.sql --format csv > answer.csv", "into a file"],
    [
      'query --as-of 2026-01-31T18:00Z "select * from mart.vault_performance"',
      "as it was known then",
    ],
    ['query "select * from mart.vault_daily where day = \\$day" --param day=2026-01-31', ""],
  ],
  run: async (argv) => (await import("./run.ts")).runQuery(argv),
}
