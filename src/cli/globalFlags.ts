// The flags every command has, derived from the list of settings; and back from what was typed to
// settings. Loaded by every `--help`, so it imports nothing heavy.
import type { Options } from "yargs"
import { expected, type Kind } from "../config/kinds.ts"
import { environmentName, type Setting, settingNames, settingOf } from "../config/settings.ts"

const defaultText = ({ default: value, defaultText: text, kind }: Setting): string => {
  if (text !== undefined) return text
  if (value === undefined) return "none"
  if (typeof value === "object") return `\`${JSON.stringify(value)}\``
  return kind.type === "duration" ? `${String(value)} s` : String(value)
}

const placeholder = (kind: Kind): Partial<Options> => {
  if (kind.type === "boolean") return { type: "boolean" }
  return {
    type: "string",
    requiresArg: true,
    ...(kind.type === "list" ? { array: true } : {}),
    ...(kind.type === "choice" ? { choices: kind.of } : {}),
  }
}

export const globalFlags: Readonly<Record<string, Options>> = Object.fromEntries(
  settingNames.flatMap((name) => {
    const setting = settingOf(name)
    if (setting.flag === undefined) return []
    const options: Options = {
      ...placeholder(setting.kind),
      group: "Settings:",
      describe: setting.describe,
      defaultDescription: defaultText(setting),
    }
    return [[setting.flag, options]]
  }),
)

/** Setting values by name, of the flags that were typed. */
export const flagValues = (argv: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const { flag } = settingOf(name)
      return flag === undefined || argv[flag] === undefined ? [] : [[name, argv[flag]]]
    }),
  )

/** The settings as rows of documentation: flag, environment, key in the file, what it is, default. */
export const settingRows = (): ReadonlyArray<ReadonlyArray<string>> =>
  settingNames.map((name) => {
    const setting = settingOf(name)
    return [
      setting.inFile === false ? "" : `\`${name}\``,
      setting.flag === undefined ? "" : `\`--${setting.flag}\``,
      environmentName(setting) === undefined ? "" : `\`${environmentName(setting) ?? ""}\``,
      `${setting.describe}: ${expected(setting.kind)}`,
      defaultText(setting),
    ]
  })
