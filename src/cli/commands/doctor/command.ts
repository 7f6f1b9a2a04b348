// vaulthouse doctor: checks that everything is set up.
import { type Command, requestingSettings, toggle } from "../../parse/Command.ts"

export const doctor: Command = {
  name: "doctor",
  summary: "Check this machine, the configuration, the service, the key and the warehouse",
  neededBy: "Administrators: find out why a run can't work on this machine, or with this key",
  details:
    "Checks everything a run needs and explains how to fix what is missing. With a key, sends one cheap request to each endpoint that needs a key and shows which ones the key can access. Changes nothing, and works without a key or a service. Exit code 4 if a check fails.",
  flags: {
    all: toggle("Include endpoints known to be slow"),
    json: toggle("Print the findings as JSON"),
  },
  settings: [...requestingSettings, "warehouse"],
  examples: [["doctor --base-url https://api.example.com", "before the first sync"]],
  run: async (argv) => (await import("./run.ts")).runDoctor(argv),
}
