// vaulthouse move: a warehouse from its file into a lake, or back.
import { type Command, toggle, value, warehouseSettings } from "../../parse/Command.ts"

export const move: Command = {
  name: "move",
  summary: "Copy the warehouse from its file into a lake, or back",
  neededBy: "Administrators: change from a file to a lake when one machine is not enough, or back",
  details:
    "Copies every table of the warehouse that the settings name, row by row, and compares all rows before the new warehouse is complete; neither can be written meanwhile. The target must be empty. A move that was stopped or killed has moved nothing or everything: run it again. The old warehouse is kept as it is, and stays in use until you change the settings.",
  flags: {
    to: {
      type: "string",
      requiresArg: true,
      describe:
        "`ducklake:postgres://user@host:port/database`, `${NAME}` for a variable that holds it, or `file`: vaulthouse.duckdb in --data-dir",
    },
    "lake-data": value("Where the new lake keeps its Parquet files, like the setting lake.data"),
    json: toggle("Print what was moved as JSON"),
  },
  settings: warehouseSettings,
  examples: [
    [
      "move --to ducklake:postgres://etl@db.example.com/lake --lake-data s3://bucket/lake",
      "from the file into a lake",
    ],
    [
      "move --warehouse ducklake:postgres://etl@db.example.com/lake --to file",
      "back, into an empty --data-dir",
    ],
  ],
  run: async (argv) => (await import("./run.ts")).runMove(argv),
}
