// Reads every setting once: flags over environment over configuration file over defaults, each value
// with where it came from. The API key comes from the environment alone and stays Redacted.
import { readFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ConfigError, type ConfigProblem } from "./ConfigError.ts"
import { type ConfigFile, defaultFile, readConfigFile } from "./file.ts"
import { didYouMean } from "./nearest.ts"
import { read, unknownKey } from "./read.ts"
import {
  API_KEY,
  API_KEY_FILE,
  environmentName,
  type SettingName,
  settingNames,
  settingOf,
  type Settings,
} from "./settings.ts"

export type Origin =
  | { readonly from: "flag" | "environment"; readonly name: string }
  | { readonly from: "file"; readonly path: string; readonly line: number }
  | { readonly from: "default" }

export interface Config {
  readonly settings: Settings
  readonly origins: Readonly<Record<SettingName, Origin>>
  readonly apiKey: Redacted.Redacted<string> | undefined
  readonly apiKeyOrigin: Origin
  /** Things a user probably meant otherwise, and that stop nothing. */
  readonly warnings: ReadonlyArray<string>
}

export interface Sources {
  /** Flag values by setting name, as the parser of the command line gives them. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where relative paths of flags and environment start. */
  readonly cwd: string
}

/** Fails with every problem found at once. Relative paths in the file start at the file's folder. */
export const readConfig = (sources: Sources): Effect.Effect<Config, ConfigError> =>
  Effect.suspend(() => {
    const problems: Array<ConfigProblem> = []
    const file = openFile(sources, problems)
    const values: Partial<Record<SettingName, unknown>> = {}
    const origins: Partial<Record<SettingName, Origin>> = {}
    for (const name of settingNames) {
      const { value, origin } = settle(name, sources, file, problems)
      values[name] = value
      origins[name] = origin
    }
    const key = readKey(sources, problems)
    if (problems.length > 0) return Effect.fail(new ConfigError({ problems }))
    const config = {
      settings: values as unknown as Settings,
      origins: origins as Record<SettingName, Origin>,
      apiKey: key.value,
      apiKeyOrigin: key.origin,
    }
    return Effect.succeed({ ...config, warnings: warningsOf(config, sources.environment) })
  })

/** The settings of this process. */
export const readProcessConfig = (flags: Sources["flags"]): Effect.Effect<Config, ConfigError> =>
  Effect.suspend(() => readConfig({ flags, environment: process.env, cwd: process.cwd() }))

/** One setting by flags and environment alone: for what is told before the file is read, or of it. */
export const withoutFile = <N extends SettingName>(
  name: N,
  flags: Sources["flags"],
): Settings[N] => {
  const sources = { flags, environment: process.env, cwd: process.cwd() }
  return settle(name, sources, undefined, []).value as Settings[N]
}

/** Where a value came from, as a user would write it. */
export const originText = (origin: Origin): string => {
  switch (origin.from) {
    case "flag":
    case "environment":
      return origin.name
    case "file":
      return `${origin.path}:${origin.line}`
    case "default":
      return "default"
  }
}

const given = (text: string | undefined): text is string => text !== undefined && text !== ""

const openFile = (sources: Sources, problems: Array<ConfigProblem>): ConfigFile | undefined => {
  const [flag, environment] = [sources.flags["config"], sources.environment["VAULTHOUSE_CONFIG"]]
  const asked = typeof flag === "string" ? flag : given(environment) ? environment : undefined
  const path = resolve(sources.cwd, asked ?? defaultFile)
  const shown = relative(sources.cwd, path)
  try {
    const file = readConfigFile(path)
    const named = { ...file, path: shown.startsWith("..") ? path : shown }
    for (const problem of file.problems) {
      problems.push({ ...problem, where: named.path })
    }
    for (const key of Object.keys(file.values)) checkKey(key, named, problems)
    return named
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (asked === undefined && code === "ENOENT") return undefined
    const why =
      code === "ENOENT" ? "there is no such file" : `can't be read (${code ?? String(error)})`
    const where = typeof flag === "string" ? "--config" : "VAULTHOUSE_CONFIG"
    problems.push({ where: asked === undefined ? path : where, detail: `${path}: ${why}` })
    return undefined
  }
}

const checkKey = (key: string, file: ConfigFile, problems: Array<ConfigProblem>): void => {
  const place = { where: file.path, line: file.lineOf([key]) }
  const known = settingNames.filter((name) => settingOf(name).inFile !== false)
  if ((known as ReadonlyArray<string>).includes(key)) return
  if (/^api_?-?key/i.test(key)) {
    const detail = `keys are not kept in this file; set ${API_KEY}, or ${API_KEY_FILE} to a file that holds it`
    problems.push({ ...place, detail })
    return
  }
  const unknown = unknownKey(key, known, [key])
  if (Result.isFailure(unknown))
    problems.push(...unknown.failure.map(({ detail }) => ({ ...place, detail })))
}

const settle = (
  name: SettingName,
  { flags, environment, cwd }: Sources,
  file: ConfigFile | undefined,
  problems: Array<ConfigProblem>,
): { readonly value: unknown; readonly origin: Origin } => {
  const setting = settingOf(name)
  const variable = environmentName(setting)
  const fromEnvironment = variable === undefined ? undefined : environment[variable]
  const isOff = setting.offVariable !== undefined && given(environment[setting.offVariable])
  const forced = setting.onVariable === undefined ? undefined : environment[setting.onVariable]
  const isOn = given(forced) ? !/^(0|false)$/i.test(forced) : undefined
  const fromFile = setting.inFile === false ? undefined : file?.values[name]
  const found = firstOf([
    [flags[name], { from: "flag", name: `--${setting.flag}` }],
    [
      given(fromEnvironment) ? fromEnvironment : undefined,
      { from: "environment", name: variable ?? "" },
    ],
    [isOff ? false : undefined, { from: "environment", name: setting.offVariable ?? "" }],
    [isOn, { from: "environment", name: setting.onVariable ?? "" }],
    [fromFile, { from: "file", path: file?.path ?? "", line: file?.lineOf([name]) ?? 0 }],
  ])
  const isPath = setting.kind.type === "path"
  if (found === undefined) {
    const value =
      typeof setting.default === "string" && isPath
        ? resolve(cwd, setting.default)
        : setting.default
    return { value, origin: { from: "default" } }
  }
  const result = read(setting.kind, found.value, [name])
  if (Result.isFailure(result)) {
    for (const { path, detail } of result.failure) {
      const place =
        file !== undefined && found.origin.from === "file"
          ? { where: file.path, line: file.lineOf(path) }
          : { where: originText(found.origin) }
      const inner = found.origin.from === "file" ? `${path.join(".")}: ` : ""
      problems.push({ ...place, detail: inner + detail })
    }
    return { value: undefined, origin: found.origin }
  }
  // A path in the file starts at the file's folder, so that it means the same from everywhere.
  const base = found.origin.from === "file" ? dirname(resolve(cwd, found.origin.path)) : cwd
  const value = isPath ? resolve(base, String(result.success)) : result.success
  return { value, origin: found.origin }
}

/** The first that was given; null is how YAML spells an empty value. */
const firstOf = (candidates: ReadonlyArray<readonly [unknown, Origin]>) => {
  const found = candidates.find(([value]) => value !== undefined && value !== null)
  return found === undefined ? undefined : { value: found[0], origin: found[1] }
}

const readKey = (
  { environment, cwd }: Sources,
  problems: Array<ConfigProblem>,
): { readonly value: Redacted.Redacted<string> | undefined; readonly origin: Origin } => {
  const key = environment[API_KEY]
  const file = environment[API_KEY_FILE]
  if (given(key)) {
    return { value: keyOf(key, API_KEY, problems), origin: { from: "environment", name: API_KEY } }
  }
  if (!given(file)) return { value: undefined, origin: { from: "default" } }
  const origin: Origin = { from: "environment", name: API_KEY_FILE }
  try {
    return { value: keyOf(readFileSync(resolve(cwd, file), "utf8"), file, problems), origin }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unreadable"
    problems.push({ where: API_KEY_FILE, detail: `${file} can't be read (${code})` })
    return { value: undefined, origin }
  }
}

/** A header value: no line breaks inside, nothing but visible characters. Never shown in a message. */
const keyOf = (
  text: string,
  where: string,
  problems: Array<ConfigProblem>,
): Redacted.Redacted<string> | undefined => {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return Redacted.make(key, { label: "api key" })
  const detail = key === "" ? "holds no key" : "holds characters no key has, such as spaces"
  problems.push({ where, detail })
  return undefined
}

const isLoopback = (url: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)

const warningsOf = (
  { settings, apiKey }: Pick<Config, "settings" | "apiKey">,
  environment: Sources["environment"],
): ReadonlyArray<string> => {
  const known = [
    API_KEY,
    API_KEY_FILE,
    ...settingNames.flatMap((name) => environmentName(settingOf(name)) ?? []),
  ]
  const unknown = Object.keys(environment)
    .filter((name) => name.startsWith("VAULTHOUSE_") && !known.includes(name))
    .map((name) => `${name} is no setting and has no effect${didYouMean(name, known)}`)
  const url = settings.baseUrl === undefined ? null : URL.parse(settings.baseUrl)
  const open = apiKey !== undefined && url?.protocol === "http:" && !isLoopback(url)
  return open
    ? [
        ...unknown,
        `the API key would travel unencrypted to ${url.origin}; use https:// if the service has it`,
      ]
    : unknown
}
