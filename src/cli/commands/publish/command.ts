// vaulthouse publish: the published copy, the Parquet files and PostgreSQL.
import { type Command, toggle, warehouseSettings } from "../../parse/Command.ts"

export const publish: Command = {
  name: "publish",
  summary: "Publish again: the read-only copy, the Parquet files, PostgreSQL",
  neededBy: "Administrators: publish after a run without publication, or after a file was damaged",
  details:
    "`sync` publishes whenever it finds something new. Run this after `sync --no-publish`, after publishing to PostgreSQL failed, or with --all after `verify` found a damaged file or the warehouse was changed by hand.",
  flags: {
    all: toggle("Make every Parquet file and stored mart again, not only what changed"),
    json: toggle("Print what was published as JSON"),
  },
  settings: warehouseSettings,
  examples: [
    ["publish", "after `sync --no-publish`"],
    ["publish --all", "after `verify` found a damaged file"],
  ],
  run: async (argv) => (await import("./run.ts")).runPublish(argv),
}
