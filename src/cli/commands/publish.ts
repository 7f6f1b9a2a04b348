// vaulthouse publish: the readers' copies again.
import { type Command, readingSettings } from "../Command.ts"

export const publish: Command = {
  name: "publish",
  summary: "Make the published copy and the Parquet files again",
  details:
    "`sync` does this by itself whenever there is news. This makes them without any: after `sync --no-publish`, or with --all where `verify` found a damaged file.",
  flags: {
    all: { type: "boolean", describe: "Write every Parquet file again, not only what changed" },
    json: { type: "boolean", describe: "Print what was published as JSON" },
  },
  settings: readingSettings,
  examples: [
    ["publish", "after `sync --no-publish`"],
    ["publish --all", "after `verify` found something"],
  ],
  run: async (argv) => (await import("../publish/run.ts")).runPublish(argv),
}
