// What a completion script asks for at each Tab: commands, flags and choices from the commands' values, and
// names of pipelines, tables and endpoints.
import type { Options } from "yargs"
import type { Command } from "../Command.ts"
import { globalFlags } from "../globalFlags.ts"

export interface Offer {
  readonly word: string
  /** Shown by shells that show one. */
  readonly about: string
}

/** Tables go by their bare names too. */
const withBare = (names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...names.map((name) => name.slice(name.indexOf(".") + 1)),
  ...names,
]

// Loaded when asked for: not every key press must load the whole program.
const tableNames = async () =>
  withBare(
    (await import("../../pipelines/readers/dictionary.ts")).dictionary().map(({ name }) => name),
  )

const positionals: Readonly<Record<string, () => Promise<ReadonlyArray<string>>>> = {
  sync: async () => (await import("../../pipelines/catalog.ts")).pipelineNames,
  tables: tableNames,
  call: async () =>
    (await import("../../pipelines/service/endpointList.ts"))
      .endpointList()
      .map(({ name }) => name),
  trace: async () =>
    withBare((await import("../../pipelines/readers/traceTarget.ts")).traceableNames()),
  runs: () => Promise.resolve(["show", "last"]),
  diff: () => Promise.resolve(["last"]),
  completion: () => Promise.resolve(["bash", "zsh"]),
}

const flagValues: Readonly<Record<string, () => Promise<ReadonlyArray<string>>>> = {
  table: async () => withBare((await import("../../pipelines/readers/diff.ts")).comparableNames()),
}

/** For the words typed so far: the program's name first, the one being typed last. */
export const offers = async (
  commands: ReadonlyArray<Command>,
  words: ReadonlyArray<string>,
): Promise<ReadonlyArray<Offer>> => {
  const current = words.at(-1) ?? ""
  const typed = words.slice(1, -1)
  const command = commands.find(({ name }) => name === typed.find((word) => !word.startsWith("-")))
  const flags = { ...command?.flags, ...globalFlags }
  const all = await offered(commands, command, flags, typed.at(-1) ?? "", current)
  return all.filter(({ word }) => word.startsWith(current))
}

const plain = (words: ReadonlyArray<string>): ReadonlyArray<Offer> =>
  words.map((word) => ({ word, about: "" }))

const offered = async (
  commands: ReadonlyArray<Command>,
  command: Command | undefined,
  flags: Readonly<Record<string, Options>>,
  previous: string,
  current: string,
): Promise<ReadonlyArray<Offer>> => {
  const name = previous.replace(/^--/, "")
  const flag = previous.startsWith("--") ? flags[name] : undefined
  if (flag !== undefined && flag.type !== "boolean") {
    // What it does not know, the shell completes as a file's name.
    return plain([...(flag.choices ?? []).map(String), ...((await flagValues[name]?.()) ?? [])])
  }
  if (current.startsWith("-")) return Object.entries(flags).map(flagOffer)
  if (command === undefined)
    return commands.map((each) => ({ word: each.name, about: each.summary }))
  return plain((await positionals[command.name]?.()) ?? [])
}

/** What is on already is offered to be turned off. */
const flagOffer = ([name, { type, default: value, defaultDescription, describe }]: [
  string,
  Options,
]): Offer => {
  const isOn = type === "boolean" && (value === true || defaultDescription === "true")
  return { word: isOn ? `--no-${name}` : `--${name}`, about: describe ?? "" }
}
