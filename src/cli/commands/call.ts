// vaulthouse call: one question to one endpoint.
import { askingSettings, type Command } from "../Command.ts"

export const call: Command = {
  name: "call",
  summary: "Ask one endpoint of the service and print its answer",
  details:
    "Sends one typed request to any endpoint, validated before anything is sent, and prints the decoded answer as JSON. Nothing is kept: the warehouse is neither opened nor locked.",
  positional: { name: "endpoint", describe: "An endpoint; --list shows them all" },
  flags: {
    param: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "An input, as name=value; lists as JSON or with commas",
    },
    raw: { type: "boolean", describe: "Print the body as it was served" },
    list: { type: "boolean", describe: "List endpoints, who may ask, and their inputs" },
    json: { type: "boolean", describe: "Print the list as JSON" },
  },
  settings: askingSettings,
  examples: [
    ["call tokenized_vaults --param status=active", "the vaults that accept deposits"],
    ["call fees --param vault_address=0x… --param chainId=1", "one vault's fees"],
    ["call --list", "every endpoint"],
  ],
  run: async (argv) => (await import("../call/run.ts")).runCall(argv),
}
