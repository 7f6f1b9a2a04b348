// vaulthouse replay: rebuild the tables from the response archive.
import { type Command, readingSettings } from "../Command.ts"

export const replay: Command = {
  name: "replay",
  summary: "Rebuild the tables from the archived responses, without a request",
  details:
    "Reads every archived response again with this version's schemas, beside the warehouse, and takes the tables over in one transaction where they differ. Where the warehouse file is gone, it is made again from the archive alone. With --quarantine, what was set aside and can be read now takes its place in time among the other answers, and only the tables it fills are rebuilt.",
  flags: {
    quarantine: { type: "boolean", describe: "Only what was quarantined, and the tables it fills" },
    publish: {
      type: "boolean",
      default: true,
      describe: "Make the readers' copies afterwards; --no-publish leaves them",
    },
    json: { type: "boolean", describe: "Print the summary as JSON" },
  },
  settings: [...readingSettings, "progress"],
  examples: [
    ["replay", "rebuild every table"],
    ["replay --quarantine", "after an update that can read what was set aside"],
  ],
  run: async (argv) => (await import("../replay/run.ts")).runReplay(argv),
}
