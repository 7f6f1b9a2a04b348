// Answers a completion script with commands, their flags and choices, and the names of pipelines, tables and endpoints.
import type { Options } from "yargs"
import type { Command } from "../../parse/Command.ts"
import { type ExitCode, exitCodes } from "../../parse/exit.ts"
import { globalFlags } from "../../parse/globalFlags.ts"
import { print } from "../../terminal/output.ts"

/** Prints one completion per line, in the format of the shell. `request`: the shell, then the words typed. */
export const printCompletions = async (
  commands: ReadonlyArray<Command>,
  [shell = "bash", ...words]: ReadonlyArray<string>,
): Promise<ExitCode> => {
  const found = await completions(commands, words)
  print(found.map((completion) => `${lineOf(shell, completion)}\n`).join(""))
  return exitCodes.ok
}

interface Completion {
  readonly word: string
  /** Shown by shells that show descriptions. */
  readonly description: string
}

/** zsh shows what follows a colon as the description. */
const lineOf = (shell: string, { word, description }: Completion): string =>
  shell === "zsh" && description !== ""
    ? `${word.replaceAll(":", "\\:")}:${description.replaceAll(/\s+/g, " ")}`
    : word

/** Tables can be named without their schema. */
const withBareNames = (names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...names.map((name) => name.slice(name.indexOf(".") + 1)),
  ...names,
]

// Loaded when needed: not every key press should load the whole program.
const tableNames = async () =>
  withBareNames(
    (await import("../../../pipelines/readers/dictionary.ts")).dictionary().map(({ name }) => name),
  )

const positionals: Readonly<Record<string, () => Promise<ReadonlyArray<string>>>> = {
  sync: async () => (await import("../../../pipelines/pipelines.ts")).pipelineNames,
  tables: tableNames,
  call: async () =>
    (await import("../../../pipelines/service/endpointList.ts"))
      .endpointList()
      .map(({ name }) => name),
  trace: async () =>
    withBareNames(
      (await import("../../../pipelines/readers/trace/traceTarget.ts")).traceableNames(),
    ),
  runs: () => Promise.resolve(["show", "last"]),
  diff: () => Promise.resolve(["last"]),
  config: () => Promise.resolve(["check"]),
  completion: () => Promise.resolve(["bash", "zsh"]),
}

const flagValues: Readonly<Record<string, () => Promise<ReadonlyArray<string>>>> = {
  table: async () =>
    withBareNames((await import("../../../pipelines/readers/diff.ts")).comparableNames()),
}

/** The completions of the words typed so far: the program's name first, the incomplete word last. */
const completions = async (
  commands: ReadonlyArray<Command>,
  words: ReadonlyArray<string>,
): Promise<ReadonlyArray<Completion>> => {
  const current = words.at(-1) ?? ""
  const typed = words.slice(1, -1)
  const command = commands.find(({ name }) => name === typed.find((word) => !word.startsWith("-")))
  const all = await candidates(commands, command, typed.at(-1) ?? "", current)
  return all.filter(({ word }) => word.startsWith(current))
}

const withoutDescription = (words: ReadonlyArray<string>): ReadonlyArray<Completion> =>
  words.map((word) => ({ word, description: "" }))

const candidates = async (
  commands: ReadonlyArray<Command>,
  command: Command | undefined,
  previous: string,
  current: string,
): Promise<ReadonlyArray<Completion>> => {
  const flags: Readonly<Record<string, Options>> = { ...command?.flags, ...globalFlags }
  const name = previous.replace(/^--/, "")
  const flag = previous.startsWith("--") ? flags[name] : undefined
  if (flag !== undefined && flag.type !== "boolean") {
    // If this is empty, the shell completes file names.
    return withoutDescription([
      ...(flag.choices ?? []).map(String),
      ...((await flagValues[name]?.()) ?? []),
    ])
  }
  if (current.startsWith("-")) return Object.entries(flags).map(flagCompletion)
  if (command === undefined) {
    return commands.map((each) => ({ word: each.name, description: each.summary }))
  }
  return withoutDescription((await positionals[command.name]?.()) ?? [])
}

/** A flag that is on by default is offered as its opposite. */
const flagCompletion = ([name, { type, default: value, defaultDescription, describe }]: [
  string,
  Options,
]): Completion => {
  const isOn = type === "boolean" && (value === true || defaultDescription === "true")
  return { word: isOn ? `--no-${name}` : `--${name}`, description: describe ?? "" }
}
