// The flags that every command has, derived from the list of settings, and the settings that typed flags give. Every
// `--help` loads this, so it imports nothing heavy.
import type { Options } from "yargs"
import { expected, type Kind } from "../../config/settings/kinds.ts"
import { settingNames, settingOf } from "../../config/settings/settings.ts"
import { environmentName, type Setting } from "../../config/settings/Setting.ts"

const defaultText = ({ default: value, defaultText: text, kind }: Setting): string => {
  if (text !== undefined) return text
  if (value === undefined) return "none"
  if (typeof value === "object") return `\`${JSON.stringify(value)}\``
  return kind.type === "duration" ? `${String(value)} s` : String(value)
}

const valueOptions = (kind: Kind): Partial<Options> => {
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
      ...valueOptions(setting.kind),
      group: "Settings:",
      describe: setting.describe,
      defaultDescription: defaultText(setting),
    }
    return [[setting.flag, options]]
  }),
)

/** The values of settings given as flags, by the setting's name. */
export const flagValues = (argv: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const { flag } = settingOf(name)
      return flag === undefined || argv[flag] === undefined ? [] : [[name, argv[flag]]]
    }),
  )

/** The settings as rows of documentation: key in the file, flag, variable, description, default, reader. */
export const settingRows = (): ReadonlyArray<ReadonlyArray<string>> =>
  settingNames.map((name) => {
    const setting = settingOf(name)
    return [
      setting.inFile === false ? "" : `\`${name}\``,
      setting.flag === undefined ? "" : `\`--${setting.flag}\``,
      environmentName(setting) === undefined ? "" : `\`${environmentName(setting) ?? ""}\``,
      `${setting.describe}: ${expected(setting.kind)}`,
      defaultText(setting),
      setting.neededBy,
    ]
  })
