// vaulthouse compact: few files of many.
import { type Command, readingSettings } from "../Command.ts"

export const compact: Command = {
  name: "compact",
  summary: "Join the archive's files of past months, one a month",
  details:
    "Every run leaves one file of responses; those of a month that is over become one, in which a body that came again and again stands once. Parquet needs none of this: it has one file a month and table.",
  flags: { json: { type: "boolean", describe: "Print the summary as JSON" } },
  settings: readingSettings,
  examples: [["compact", "join what can be joined"]],
  run: async (argv) => (await import("../compact/run.ts")).runCompact(argv),
}
