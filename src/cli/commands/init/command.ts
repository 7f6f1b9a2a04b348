// vaulthouse init: a configuration file to begin with.
import { type Command, requestingSettings, toggle } from "../../parse/Command.ts"

export const init: Command = {
  name: "init",
  summary: "Write a commented configuration file and try the connection",
  neededBy: "Administrators: a first configuration that works",
  details:
    "On a terminal, asks for what flags and the environment leave out: the base address, the word for the platform in paths, and the data directory. Writes vaulthouse.config.yaml, or the file that --config names, with the most useful settings explained; the API key never goes in it. Then connects to the service and shows what the key has access to, as `doctor` does. Exit code 4 if that fails; the file is kept.",
  flags: {
    force: toggle("Replace a file that exists"),
    json: toggle("Print the findings as JSON"),
  },
  settings: requestingSettings,
  examples: [
    ["init", "asks on a terminal"],
    [
      "init --base-url https://api.example.com --platform-segment acme",
      "asks only for the data directory",
    ],
  ],
  run: async (argv) => (await import("./run.ts")).runInit(argv),
}
