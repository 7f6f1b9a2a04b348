// vaulthouse simulate: a simulated service to try vaulthouse with.
import type { Options } from "yargs"
import { simulatorFlags } from "../../../../simulator/flags.ts"
import type { Command } from "../../parse/Command.ts"
import { globalFlags } from "../../parse/globalFlags.ts"

const flags: Readonly<Record<string, Options>> = Object.fromEntries(
  simulatorFlags
    // `--platform-segment` is a setting of every command, with the same meaning.
    .filter(({ name }) => !(name in globalFlags))
    .map(({ name, type, describe, default: value }) => [
      name,
      type === "boolean"
        ? { type, describe }
        : {
            type,
            describe,
            requiresArg: true,
            ...(value === undefined ? {} : { default: value }),
          },
    ]),
)

export const simulate: Command = {
  name: "simulate",
  summary: "Start a simulated service with plausible vault history",
  neededBy: "Developers: try everything without a service or a key",
  details:
    "Simulates the whole API on this machine, with data generated from a seed: to try vaulthouse, for tests, and to develop against faults. Stop it with Ctrl-C.",
  flags,
  settings: ["config", "platform-segment", "log-level"],
  examples: [
    ["simulate --port 8080", "then: vaulthouse sync --base-url http://127.0.0.1:8080"],
    ["simulate --vaults 50 --days 1000 --rate-limit 20", "more data, and a rate limit"],
  ],
  run: async (argv) => (await import("./run.ts")).runSimulate(argv),
}
