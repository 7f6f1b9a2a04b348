// vaulthouse call: one request to one endpoint.
import { type Command, requestingSettings, toggle, values } from "../../parse/Command.ts"

export const call: Command = {
  name: "call",
  summary: "Send one request to an endpoint and print the response",
  neededBy: "Developers: see what an endpoint responds, before or instead of loading it",
  details:
    "Sends one request, with retries, to any endpoint except `swap` and prints the decoded response as JSON. The inputs are validated first. Nothing is stored: the warehouse is neither opened nor locked.",
  positional: { name: "endpoint", describe: "An endpoint; --list lists them" },
  flags: {
    param: values("An input, as name=value; lists as JSON or with commas"),
    raw: toggle("Print the body as received"),
    list: toggle("List the endpoints, the access they need and their inputs"),
    openapi: toggle("Print the endpoints, their inputs and responses as an OpenAPI 3.1 document"),
    json: toggle("Print the list as JSON"),
  },
  settings: requestingSettings,
  examples: [
    ["call tokenized_vaults --param status=active", "the vaults that accept deposits"],
    ["call fees --param vault_address=0x… --param chainId=1", "one vault's fees"],
    ["call --list", "every endpoint"],
    ["call --openapi > openapi.json", "for other tools"],
  ],
  run: async (argv) => (await import("./run.ts")).runCall(argv),
}
