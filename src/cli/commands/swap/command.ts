// vaulthouse swap: the one command that changes something at the service.
import { type Command, requestingSettings, toggle, value } from "../../parse/Command.ts"

export const swap: Command = {
  name: "swap",
  summary: "Show a token swap for a subaccount; send it with --execute",
  neededBy: "Vault operators: send a token swap with a record of it",
  details:
    "Validates the request and prints it. With --execute, asks for confirmation, records the swap in core.swaps, sends at most one request and records the outcome. It is never retried; calling the command again sends another swap. Without a response, the outcome is unknown until the subaccount's transactions show it.",
  flags: {
    address: value("Subaccount to swap from"),
    "source-token": value("Token to sell"),
    "source-chain": value("Chain id of the token to sell"),
    "destination-token": value("Token to buy"),
    "destination-chain": value("Chain id of the token to buy"),
    "source-amount": value("Amount to sell"),
    "destination-amount": value("Amount to buy"),
    markets: value("Markets to get quotes from, separated by commas (default: all)"),
    "max-slippage": value("Maximum slippage in basis points (the service's default is 10)"),
    execute: toggle("Send it, after confirmation"),
    yes: toggle("Send it without confirmation, for scripts"),
    list: toggle("List the swaps that were sent and their outcomes"),
    json: toggle("Print as JSON"),
  },
  settings: [...requestingSettings, "warehouse"],
  examples: [
    [
      "swap --address 0x… --source-token 0x… --source-chain 1 --destination-token 0x… --destination-chain 1 --source-amount 100",
      "print the request without sending it",
    ],
    ["swap … --execute", "send it once, after confirmation"],
    ["swap --list", "all swaps that were sent"],
  ],
  run: async (argv) => (await import("./run.ts")).runSwap(argv),
}
