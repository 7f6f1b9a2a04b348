// Every setting: flags, environment names, the configuration file, its JSON Schema and the docs derive from this list.
import type { Kind, ValueOf } from "./kinds.ts"
import { output } from "./output.ts"
import { publishing } from "./publishing.ts"
import { reading } from "./reading.ts"
import { requests } from "./requests.ts"
import type { Setting } from "./Setting.ts"
import { stores } from "./stores.ts"

export const settings = {
  ...stores,
  ...requests,
  ...output,
  ...reading,
  ...publishing,
} as const satisfies Readonly<Record<string, Setting>>

export type SettingName = keyof typeof settings

type Typed<S> = S extends { readonly kind: infer K extends Kind; readonly default: infer D }
  ? ValueOf<K> | (D extends undefined ? undefined : never)
  : never

/** The values of all settings; durations in seconds. */
export type Settings = { readonly [N in SettingName]: Typed<(typeof settings)[N]> }

export const settingNames = Object.keys(settings) as ReadonlyArray<SettingName>

/** The defaults, with paths as written. */
export const defaultSettings = Object.fromEntries(
  settingNames.map((name) => [name, settings[name].default]),
) as unknown as Settings

export const settingOf = (name: SettingName): Setting => settings[name]
