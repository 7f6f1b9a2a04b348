// vaulthouse notify: tests whether notifications arrive.
import { type Command, toggle } from "../../parse/Command.ts"

export const notify: Command = {
  name: "notify",
  summary: "Test the receivers of notifications",
  neededBy: "Administrators: know that notifications arrive before a problem does",
  details:
    "`notify test` sends a test message to every entry of the setting `notify`, once, and prints the result: an HTTP status, an exit code, or why it failed. Pings are sent too. Exit code 4 if one fails. `sync` and `schedule` send notifications on their own.",
  positional: { name: "what", describe: "`test`" },
  flags: { json: toggle("Print the results as JSON") },
  examples: [["notify test", "after each change of the setting"]],
  run: async (argv) => (await import("./run.ts")).runNotify(argv),
}
