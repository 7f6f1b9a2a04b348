// vaulthouse swap: the one command that changes something at the service.
import { askingSettings, type Command } from "../Command.ts"

const value = (describe: string) => ({ type: "string", requiresArg: true, describe }) as const

export const swap: Command = {
  name: "swap",
  summary: "Show a token swap for a subaccount; send it once with --execute",
  details:
    "Checks the request and prints it. With --execute asks for confirmation, writes the journal (core.swaps), sends the request exactly once, and writes what became of it. Nothing is ever sent twice: where no answer comes, the outcome is unknown until the subaccount's transactions tell.",
  flags: {
    address: value("Subaccount that swaps"),
    "source-token": value("Token to give"),
    "source-chain": value("Its chain id"),
    "destination-token": value("Token to get"),
    "destination-chain": value("Its chain id"),
    "source-amount": value("Amount to give"),
    "destination-amount": value("Amount to get"),
    markets: value("Markets to ask for quotes, with commas (default: all)"),
    "max-slippage": value("Most slippage, in basis points (default of the service: 10)"),
    execute: { type: "boolean", describe: "Send it, after a confirmation" },
    yes: { type: "boolean", describe: "Send it without asking, for scripts" },
    list: { type: "boolean", describe: "List the swaps sent, and what became of them" },
    json: { type: "boolean", describe: "Print as JSON" },
  },
  settings: askingSettings,
  examples: [
    [
      "swap --address 0x… --source-token 0x… --source-chain 1 --destination-token 0x… --destination-chain 1 --source-amount 100",
      "print the request, send nothing",
    ],
    ["swap … --execute", "send it, once, after a confirmation"],
    ["swap --list", "the journal"],
  ],
  run: async (argv) => (await import("../swap/run.ts")).runSwap(argv),
}
