// vaulthouse doctor: is everything as it must be?
import { askingSettings, type Command } from "../Command.ts"

export const doctor: Command = {
  name: "doctor",
  summary: "Check this machine, the configuration, the service, the key and the warehouse",
  details:
    "Checks what a run needs and says what to do about what is missing. With a key, asks each endpoint that needs one a single cheap question and shows what the key opens. Changes nothing; works without a key and without a service. Exit code 4 when a check failed.",
  flags: {
    all: { type: "boolean", describe: "Also ask endpoints known to be slow" },
    json: { type: "boolean", describe: "Print the findings as JSON" },
  },
  settings: askingSettings,
  examples: [["doctor --base-url https://api.example.com", "before the first sync"]],
  run: async (argv) => (await import("../doctor/run.ts")).runDoctor(argv),
}
