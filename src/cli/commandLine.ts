// Builds the parser from the commands, runs the command that was typed, and explains wrong use.
import yargs, { type Argv } from "yargs"
import { didYouMean } from "../config/read/nearest.ts"
import { API_KEY, API_KEY_FILE } from "../config/settings/Setting.ts"
import { decideColors } from "./terminal/color.ts"
import { complain, complaintText } from "./terminal/complaints.ts"
import {
  type Arguments,
  type Command,
  COMPLETION_REQUEST,
  readingSettings,
} from "./parse/Command.ts"
import { commands } from "./commands/index.ts"
import { type ExitCode, exitCodes } from "./parse/exit.ts"
import { flagValues, globalFlags } from "./parse/globalFlags.ts"
import { outputFailure, print, printError } from "./terminal/output.ts"
import { terminalWidth } from "./terminal/terminal.ts"
import { version } from "./execute/version.ts"

const usage = ({ name, positional }: Command): string => {
  if (positional === undefined) return name
  return `${name} [${positional.name}${positional.many === true ? ".." : ""}]`
}

/** The parser; `onChosen` gets the command and its arguments. */
export const parser = (
  onChosen: (command: Command, argv: Arguments) => Promise<void> | void,
): Argv => {
  let built = yargs()
    .scriptName("vaulthouse")
    .usage("$0 <command>\n\nTurns a vault platform's REST API into a DuckDB and Parquet warehouse.")
    .parserConfiguration({
      "camel-case-expansion": false,
      "greedy-arrays": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "strip-dashed": false,
    })
    .options(globalFlags)
    .version(version)
    .help()
    .alias("help", "h")
    .exitProcess(false)
    .strict()
    // Always English: `explain` parses complaints, and the docs are generated from the help.
    .locale("en")
    // As wide as the terminal, up to a width that is easy to read.
    .wrap(Math.min(100, terminalWidth()))
  for (const command of commands) {
    built = built.command(
      usage(command),
      command.summary,
      (sub) => describe(sub, command),
      (argv) => onChosen(command, withLastSettings(argv)),
    )
  }
  return built
}

const describe = (
  sub: Argv,
  {
    details,
    positional,
    flags,
    examples,
    summary,
    settings = readingSettings,
    ...command
  }: Command,
): Argv => {
  let built = sub
    .usage(
      `$0 ${usage({ ...command, summary, flags, examples, ...(positional === undefined ? {} : { positional }) })}\n\n${details ?? summary}`,
    )
    .options(withPlainDefaults(flags))
  for (const name of Object.keys(globalFlags)) {
    if (settings !== "all" && !settings.includes(name)) built = built.hide(name)
  }
  if (positional !== undefined) {
    built = built.positional(positional.name, {
      describe: positional.describe,
      type: "string",
      ...(positional.many === true
        ? { array: true, defaultDescription: positional.absent ?? "none" }
        : {}),
    })
  }
  // Naming this group here puts it before the settings.
  built = built.group(Object.keys(flags), "Options:")
  return built.epilogue(["Examples:", ...examples.flatMap(exampleLines)].join("\n"))
}

/** Shows text defaults as they are typed, without quotes. */
const withPlainDefaults = (flags: Command["flags"]): Command["flags"] =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      typeof flag.default === "string" ? { defaultDescription: flag.default, ...flag } : flag,
    ]),
  )

/** An example that can be pasted: a long line is broken before a flag, and the description is below. */
const exampleLines = ([line, description]: Command["examples"][number]): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const part of `vaulthouse ${line}`.split(/ (?=--)/)) {
    const last = lines.at(-1)
    if (last !== undefined && `${last} ${part}`.length < EXAMPLE_WIDTH) {
      lines[lines.length - 1] = `${last} ${part}`
    } else lines.push(part)
  }
  return [
    `  ${lines.join(" \\\n        ")}`,
    ...(description === "" ? [] : [`      ${description}`]),
  ]
}

// Fits the narrowest terminal, indented.
const EXAMPLE_WIDTH = 70

/** Keeps the last value of a setting given twice, and all values of a list. */
const withLastSettings = (argv: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(argv).map(([name, value]) =>
      globalFlags[name]?.array !== true && name in globalFlags && Array.isArray(value)
        ? [name, value.at(-1)]
        : [name, value],
    ),
  )

/** Keeps SQL that begins with a comment from being read as a flag: a flag has no space in its name. */
const withSqlAsText = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.includes("query") ? args.map((arg) => (/^--[^=\s]*\s/.test(arg) ? `\n${arg}` : arg)) : args

/** Reads `help sync` as `sync --help`. */
const withHelpAsFlag = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args[0] === "help" && args.length > 1 ? [...args.slice(1), "--help"] : args

/** Runs what was typed and returns the exit code. Help goes to standard output, complaints to standard error. */
export const commandLine = async (typed: ReadonlyArray<string>): Promise<ExitCode> => {
  const code = await run(withHelpAsFlag(withSqlAsText(typed)))
  const failure = await outputFailure()
  if (failure === undefined) return code
  printError(`vaulthouse: standard output can't be written: ${failure.message}\n`)
  return code === exitCodes.ok ? exitCodes.unexpected : code
}

const run = async (args: ReadonlyArray<string>): Promise<ExitCode> => {
  if (args[0] === COMPLETION_REQUEST) {
    const { printCompletions } = await import("./commands/completion/answer.ts")
    return printCompletions(commands, args.slice(1))
  }
  let code: ExitCode | undefined
  let complaint: string | undefined
  const built = parser(async (command, argv) => {
    // yargs calls the command even after a complaint, but wrong use must not run anything.
    complaint ??= repeatedFlag(command, argv) ?? emptyValue(command, argv)
    if (complaint === undefined) code = await command.run(argv)
  }).fail((message, error) => {
    // An error that a command throws is not wrong use: commands handle the errors they expect.
    if (error !== undefined && error !== null && message === null) throw error
    complaint ??= message
  })
  complaint = unexpectedValue(args)
  let help = ""
  const argv = await built.parseAsync(
    [...args],
    {},
    (_error: unknown, _argv: unknown, output: string) => {
      help = output
    },
  )
  if (complaint === undefined) {
    if (help !== "") {
      print(`${help}\n`)
      return exitCodes.ok
    }
    if (code !== undefined) return code
    // Settings alone too, as where a script's variable for the command is empty.
    printError(`${await built.getHelp()}\n\nName a command.\n`)
    return exitCodes.usage
  }
  const command = args.flatMap((arg) => commands.filter(({ name }) => name === arg)).at(0)
  // Imported here because only complaints need it; `--help` stays fast.
  const { withoutFile } = await import("../config/Config.ts")
  decideColors(withoutFile("color", flagValues(withLastSettings(argv))))
  complain(complaintText(explain(complaint, command, args)))
  const helpCommand =
    command === undefined ? "vaulthouse --help" : `vaulthouse ${command.name} --help`
  printError(`See \`${helpCommand}\`.\n`)
  return exitCodes.usage
}

/** Complains about a flag of the command that takes one value and has several; of a setting, the last one counts. */
const repeatedFlag = ({ flags }: Command, argv: Arguments): string | undefined => {
  const repeated = Object.entries(flags).find(
    ([name, { array }]) => array !== true && Array.isArray(argv[name]),
  )
  return repeated && `--${repeated[0]} is given more than once, and takes one value.`
}

/** Complains about an empty value of a list, such as that of a variable that is not set: without it, everything would be meant. */
const emptyValue = ({ flags, positional }: Command, argv: Arguments): string | undefined => {
  const isEmpty = (name: string): boolean => {
    const given = argv[name]
    if (typeof given === "string") return /^[\s,]*,[\s,]*$/.test(given)
    return Array.isArray(given) && given.some((text) => /^[\s,]*$/.test(String(text)))
  }
  const flag = Object.keys(flags).find(isEmpty)
  if (flag !== undefined)
    return `--${flag} has an empty value; leave it out, or name what it selects.`
  return positional !== undefined && isEmpty(positional.name)
    ? `<${positional.name}> has an empty value; leave it out, or name what it selects.`
    : undefined
}

/** Complains about a value of a flag that takes none, which yargs would read as `false`. */
const unexpectedValue = (args: ReadonlyArray<string>): string | undefined => {
  const flags = Object.assign(
    {},
    ...commands.map((command) => command.flags),
    globalFlags,
  ) as Command["flags"]
  for (const arg of args) {
    const [, name = "", value = ""] = /^--(?:no-)?([a-z-]+)=(.*)$/s.exec(arg) ?? []
    if (flags[name]?.type === "boolean" && value !== "true" && value !== "false") {
      return `--${name} takes no value, but has \`${value}\`; write --${name} or --no-${name}.`
    }
  }
  return undefined
}

/** Rewords a complaint of yargs, and suggests the nearest name for an unknown one. */
const explain = (
  message: string,
  command: Command | undefined,
  args: ReadonlyArray<string>,
): string => {
  const invalid = /^Invalid values:\s+Argument: (\S+), Given: (.+), Choices: (.+)$/m.exec(message)
  if (invalid !== null) {
    const [, flag = "", given = "", choices = ""] = invalid.map((text) => text.replaceAll('"', ""))
    return `--${flag} ${given} is not one of ${choices}${didYouMean(given, choices.split(", ")) || "."}`
  }
  const valueless = /^Not enough arguments following: (\S+)$/.exec(message.trim())?.[1]
  if (valueless !== undefined) return `--${valueless} needs a value.`
  const unknown = /^Unknown (?:arguments?|commands?): (.*)$/s.exec(message.trim())?.[1]
  if (unknown === undefined) return message.trim()
  const words = [...new Set(unknown.split(", "))]
  if (command === undefined) {
    // yargs names unknown flags without their dashes.
    const word = words.find((each) => args.includes(each))
    if (word !== undefined) {
      const names = commands.map(({ name }) => name)
      return `there is no command \`${word}\`${didYouMean(word, names) || `; the commands are ${names.join(", ")}.`}`
    }
  }
  const flags = { ...globalFlags, ...command?.flags }
  return [...new Set(words.map((word) => explainUnknown(word, flags, args)))].join("\n")
}

/** The flag as it was typed: yargs names it without its dashes, and each letter behind a single dash alone. */
const typedFlag = (word: string, args: ReadonlyArray<string>): string | undefined => {
  const flags = args.map((arg) => arg.replace(/=.*/s, "")).filter((arg) => arg.startsWith("-"))
  const long = flags.find((arg) => arg === `--${word}` || arg === `--no-${word}`)
  if (long !== undefined || args.includes(word)) return long
  return flags.find((arg) => /^-[^-]/.test(arg) && arg.includes(word))
}

const namesAsTyped = (names: ReadonlyArray<string>, typed: string): ReadonlyArray<string> =>
  names.map((name) => `${typed.startsWith("--no-") ? "--no-" : "--"}${name}`)

const explainUnknown = (
  word: string,
  flags: Command["flags"],
  args: ReadonlyArray<string>,
): string => {
  const names = [...Object.keys(flags), "help", "version"]
  const typed = typedFlag(word, args)
  if (typed !== undefined) {
    if (word === "api-key") {
      return `there is no flag \`--api-key\`, which other users of this machine could see: set ${API_KEY}, or ${API_KEY_FILE} to the path of a file with the key.`
    }
    const whole = typed.replace(/^-(?=[^-]{2})/, "--")
    const guess = whole.startsWith("--") ? didYouMean(whole, namesAsTyped(names, whole)) : ""
    return `there is no flag \`${typed}\`${guess || "."}`
  }
  const before = args[args.indexOf(word) - 1]?.replace(/^--(no-)?/, "") ?? ""
  return flags[before]?.type === "boolean"
    ? `--${before} takes no value, but \`${word}\` follows it; write --${before} or --no-${before}.`
    : `there is no flag or argument \`${word}\`${didYouMean(word, names) || "."}`
}
