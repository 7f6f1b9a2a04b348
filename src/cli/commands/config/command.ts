// vaulthouse config: which settings apply, and where they come from.
import { type Command, toggle } from "../../parse/Command.ts"

export const config: Command = {
  name: "config",
  summary: "Show every setting, its value and where it comes from; or check them",
  neededBy: "Administrators: find out which of flag, environment, file and default decides a value",
  details:
    "`config` shows what applies here; secrets are shown as `<redacted>`. `config check` says whether the file and the environment are valid and sends nothing: exit code 0 if they are, otherwise 2 with a list of everything that is wrong.",
  positional: { name: "what", describe: "`check` to check the settings" },
  flags: { json: toggle("Print as JSON") },
  settings: "all",
  examples: [
    ["config", "what applies here"],
    ["config check --config deploy/vaulthouse.config.yaml", "in CI, before a deployment"],
  ],
  run: async (argv) => (await import("./run.ts")).runConfig(argv),
}
