// Every setting with its value and its origin, as the rows of `vaulthouse config`.
import type { Config } from "../../../config/Config.ts"
import type { Kind } from "../../../config/settings/kinds.ts"
import { type Origin, originText } from "../../../config/settings/origin.ts"
import { type SettingName, settingNames, settingOf } from "../../../config/settings/settings.ts"

const REDACTED = "<redacted>"

export interface SettingRow {
  /** Such as `parquet.marts` for a member of a section; for a variable its own name. */
  readonly name: string
  /** Durations are in seconds; `null` if the setting is not set. */
  readonly value: unknown
  readonly from: Origin["from"]
  /** The flag, the variable, or file and line. */
  readonly where: string | null
  /** The value as text. */
  readonly shown: string
}

export const settingRows = (config: Config): ReadonlyArray<SettingRow> => [
  ...settingNames.flatMap((name) => rowsOf(config, name)),
  keyRow(config),
  ...proxyRows(config),
]

const row = (name: string, value: unknown, origin: Origin, shown: string): SettingRow => ({
  name,
  value,
  from: origin.from,
  where: origin.from === "default" ? null : originText(origin),
  shown,
})

/** One for each member of a section, since each has an origin of its own. */
const rowsOf = (config: Config, name: SettingName): ReadonlyArray<SettingRow> => {
  const { kind, defaultText } = settingOf(name)
  const value = valueOf(config, name)
  if (kind.type !== "record") {
    const origin = config.origins[name]
    return [row(name, value ?? null, origin, valueText(kind, value, origin, defaultText))]
  }
  const members = value as Readonly<Record<string, unknown>>
  return Object.entries(kind.fields).map(([member, field]) => {
    const origin = config.originOf(name, member)
    const part = members[member]
    const shown = valueText(field.kind, part, origin, undefined)
    return row(`${name}.${member}`, part ?? null, origin, shown)
  })
}

const valueOf = ({ file, settings }: Config, name: SettingName): unknown => {
  if (name === "config") return file
  return name === "notify" ? settings.notify.map(withoutArguments) : settings[name]
}

/** The arguments of a receiver's program may hold a secret. */
const withoutArguments = (receiver: Config["settings"]["notify"][number]): unknown => {
  if (!("command" in receiver)) return receiver
  const [program, ...rest] = receiver.command
  return { ...receiver, command: [program, ...rest.map(() => REDACTED)] }
}

/** A default is shown by its description, if it has one, which says more than the value. */
const valueText = (
  kind: Kind,
  value: unknown,
  { from }: Origin,
  defaultText: string | undefined,
): string => {
  if (value === undefined) return defaultText ?? ("none" in kind ? (kind.none ?? "none") : "none")
  if (from === "default" && defaultText !== undefined && kind.type !== "path") return defaultText
  if (kind.type === "duration") return `${String(value)} s`
  return typeof value === "string" ? value : JSON.stringify(value)
}

const keyRow = ({ apiKey, apiKeyOrigin }: Config): SettingRow => {
  const value = apiKey === undefined ? null : REDACTED
  return row("apiKey", value, apiKeyOrigin, value ?? "none: public data only")
}

/** Without user names and passwords. */
const proxyRows = ({ proxies: { http, https, direct } }: Config): ReadonlyArray<SettingRow> => {
  const found = new Map<string, string>()
  for (const proxy of [http, https])
    if (proxy !== undefined) found.set(proxy.variable, proxy.origin)
  if (direct.length > 0) found.set("NO_PROXY", direct.join(","))
  return [...found].map(([name, value]) => row(name, value, { from: "environment", name }, value))
}
