// Builds the parser from the commands' values, and turns wrong uses into messages that help.
import yargs, { type Argv } from "yargs"
import { didYouMean } from "../config/nearest.ts"
import { decideColors, paintComplaint } from "./color.ts"
import type { Arguments, Command } from "./Command.ts"
import { commands } from "./commands/index.ts"
import { answerCompletion, REQUEST } from "./completion/answer.ts"
import { type ExitCode, exitCodes } from "./exit.ts"
import { flagValues, globalFlags } from "./globalFlags.ts"
import { paragraph, terminalWidth } from "./terminal.ts"
import { version } from "./version.ts"

const usage = ({ name, positional }: Command): string => {
  if (positional === undefined) return name
  return `${name} [${positional.name}${positional.many === true ? ".." : ""}]`
}

/** The parser; `onChosen` gets the command that was named and what was typed for it. */
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
    // Complaints are read below, and documentation derives from help: both are English everywhere.
    .locale("en")
    // As wide as the terminal, and no wider than is read with ease.
    .wrap(Math.min(100, terminalWidth()))
  for (const command of commands) {
    built = built.command(
      usage(command),
      command.summary,
      (sub) => describe(sub, command),
      (argv) => onChosen(command, once(argv)),
    )
  }
  return built
}

const describe = (
  sub: Argv,
  { details, positional, flags, examples, summary, settings, ...command }: Command,
): Argv => {
  let built = sub
    .usage(
      `$0 ${usage({ ...command, summary, flags, examples, ...(positional === undefined ? {} : { positional }) })}\n\n${details ?? summary}`,
    )
    .options(withPlainDefaults(flags))
  for (const name of Object.keys(globalFlags)) {
    if (settings?.includes(name) === false) built = built.hide(name)
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
  // Named here, the group comes before that of the settings.
  built = built.group(Object.keys(flags), "Options:")
  return built.epilogue(["Examples:", ...examples.flatMap(exampleLines)].join("\n"))
}

/** Defaults as one would type them, without quotes. */
const withPlainDefaults = (flags: Command["flags"]): Command["flags"] =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      typeof flag.default === "string" ? { defaultDescription: flag.default, ...flag } : flag,
    ]),
  )

/** To be pasted as it stands: broken before a flag where it is long, with what it is for below. */
const exampleLines = ([line, what]: Command["examples"][number]): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const part of `vaulthouse ${line}`.split(/ (?=--)/)) {
    const last = lines.at(-1)
    if (last !== undefined && `${last} ${part}`.length < EXAMPLE_WIDTH) {
      lines[lines.length - 1] = `${last} ${part}`
    } else lines.push(part)
  }
  return [`  ${lines.join(" \\\n        ")}`, ...(what === "" ? [] : [`      ${what}`])]
}

// Fits the narrowest terminal, indented.
const EXAMPLE_WIDTH = 70

/** A flag typed twice counts as typed last, save where each one adds to a list. */
const once = (argv: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(argv).map(([name, value]) =>
      name in globalFlags && Array.isArray(value) ? [name, value.at(-1)] : [name, value],
    ),
  )

/** Runs what was typed and returns how it ended. Help goes to standard output, complaints do not. */
export const commandLine = async (args: ReadonlyArray<string>): Promise<ExitCode> => {
  if (args[0] === REQUEST) return answerCompletion(commands, args.slice(1))
  let code: ExitCode = exitCodes.ok
  let complaint: string | undefined
  const built = parser(async (command, argv) => {
    // yargs goes on to the command after a complaint, but nothing may run on a misunderstanding.
    if (complaint === undefined) code = await command.run(argv)
  }).fail((message, error) => {
    // What a command throws is not a wrong use: `run` catches everything it expects itself.
    if (error !== undefined && error !== null && message === null) throw error
    complaint ??= message
  })
  if (args.length === 0) {
    process.stderr.write(`${await built.getHelp()}\n\nName a command.\n`)
    return exitCodes.usage
  }
  const argv = await built.parseAsync(args)
  if (complaint === undefined) return code
  const command = args.flatMap((arg) => commands.filter(({ name }) => name === arg)).at(0)
  const told = `vaulthouse: ${explain(complaint, command, args)}`
  // What nothing but a complaint needs is not loaded for `--help`.
  const { withoutFile } = await import("../config/Config.ts")
  decideColors(withoutFile("color", flagValues(once(argv))))
  process.stderr.write(`${paintComplaint(paragraph(told, 0, terminalWidth(process.stderr)))}\n`)
  const help = command === undefined ? "vaulthouse --help" : `vaulthouse ${command.name} --help`
  process.stderr.write(`See \`${help}\`.\n`)
  return exitCodes.usage
}

/** In our words what yargs complains of; the nearest name where one is unknown. */
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
  const words = unknown.split(", ")
  if (command === undefined) {
    // Unknown flags come without their dashes.
    const word = words.find((each) => args.includes(each))
    if (word !== undefined) {
      const names = commands.map(({ name }) => name)
      return `there is no command \`${word}\`${didYouMean(word, names) || `; there are ${names.join(", ")}`}`
    }
  }
  const flags = [
    ...Object.keys(globalFlags),
    ...Object.keys(command?.flags ?? {}),
    "help",
    "version",
  ]
  return [...new Set(words)]
    .map((word) => {
      // Flags come without their dashes.
      const isFlag = args.some((arg) => arg.replace(/=.*/s, "") === `--${word}`)
      return isFlag
        ? `there is no flag \`--${word}\`${didYouMean(
            `--${word}`,
            flags.map((flag) => `--${flag}`),
          )}`
        : `there is no flag or argument \`${word}\`${didYouMean(word, flags)}`
    })
    .join("\n")
}
