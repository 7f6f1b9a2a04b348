#!/usr/bin/env node
// Runs the simulator from the command line: node simulator/main.ts --vaults 8 --days 365
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import type { Simulator } from "./index.ts"
import { startSimulator } from "./index.ts"
import { listenFromFlags, optionsFromFlags, simulatorFlags } from "./flags.ts"
import { makeWorld } from "./generate/world.ts"

const usage = (): string =>
  [
    "Usage: node simulator/main.ts [flags]",
    "",
    ...simulatorFlags.map(({ name, type, default: value, describe }) => {
      const left = `  --${name}${type === "boolean" ? "" : " <value>"}`
      return `${left.padEnd(30)}${describe}${value === undefined ? "" : ` [${value}]`}`
    }),
  ].join("\n")

/** The text printed at the start: URLs to read with curl, and the API keys. */
export const greeting = ({ url, options }: Simulator): string => {
  const { vaults } = makeWorld(options)
  const address = vaults[0]?.address ?? "0x"
  const keys = Object.entries(options.keys)
  const chart = `${url}/${options.platformSegment}/historical_apy/chart?vault=${address}`
  const ratio = `${url}/${options.platformSegment}/unrealized_pnl?vault=${address}&fields=ratio&limit=3`
  return [
    `Simulating ${vaults.length} vaults from ${options.start} to ${options.now}`,
    `Base URL: ${url}`,
    "",
    `  curl '${url}/tokenized_vault'`,
    `  curl '${ratio}'`,
    `  curl '${chart}'`,
    "",
    ...keys.map(([key, role]) => `API key (${role}): ${key}`),
    `Request log: ${url}/_simulator/requests`,
  ].join("\n")
}

const run = async (): Promise<void> => {
  const options = Object.fromEntries([
    ...simulatorFlags.map(({ name, type }) => [name, { type }] as const),
    ["help", { type: "boolean" as const }] as const,
  ])
  const { values } = parseArgs({ options })
  if (values["help"] === true) return console.log(usage())
  // Every page is garbage once sent; without this V8 grows the heap instead of collecting it.
  setFlagsFromString("--optimize-for-size")
  const simulator = await startSimulator(optionsFromFlags(values), listenFromFlags(values))
  console.log(greeting(simulator))
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void simulator.close())
  }
}

if (import.meta.main) {
  run().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 2
  })
}
