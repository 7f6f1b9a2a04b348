// Reads every setting with its origin: flags override the environment, then come the configuration file and the
// defaults. The API key comes from the environment only and stays Redacted.
import { readFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ConfigError, type ConfigProblem } from "./ConfigError.ts"
import { type ConfigFile, defaultFile, readConfigFile } from "./file.ts"
import type { Proxies } from "../domain/proxies.ts"
import { didYouMean } from "./nearest.ts"
import { readProxies } from "./proxies.ts"
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
  readonly proxies: Proxies
  /** Likely mistakes that are no errors. */
  readonly warnings: ReadonlyArray<string>
}

export interface Sources {
  /** Flag values from the command line, by setting name. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Base of relative paths in flags and environment. */
  readonly cwd: string
}

/** Fails with all problems at once. Relative paths in the file are relative to its folder. */
export const readConfig = (sources: Sources): Effect.Effect<Config, ConfigError> =>
  Effect.suspend(() => {
    const problems: Array<ConfigProblem> = []
    const file = openFile(sources, problems)
    const values: Partial<Record<SettingName, unknown>> = {}
    const origins: Partial<Record<SettingName, Origin>> = {}
    for (const name of settingNames) {
      const { value, origin } = resolveSetting(name, sources, file, problems)
      values[name] = value
      origins[name] = origin
    }
    const key = readKey(sources, problems)
    const proxies = readProxies(sources.environment, problems)
    if (problems.length > 0) return Effect.fail(new ConfigError({ problems }))
    const config = {
      settings: values as unknown as Settings,
      origins: origins as Record<SettingName, Origin>,
      apiKey: key.value,
      apiKeyOrigin: key.origin,
      proxies,
    }
    return Effect.succeed({ ...config, warnings: warningsOf(config, sources.environment) })
  })

/** The settings of this process. */
export const readProcessConfig = (flags: Sources["flags"]): Effect.Effect<Config, ConfigError> =>
  Effect.suspend(() => readConfig({ flags, environment: process.env, cwd: process.cwd() }))

/** One setting from flags and environment only, for messages before or about the file. */
export const withoutFile = <N extends SettingName>(
  name: N,
  flags: Sources["flags"],
): Settings[N] => {
  const sources = { flags, environment: process.env, cwd: process.cwd() }
  return resolveSetting(name, sources, undefined, []).value as Settings[N]
}

/** The origin of a value, as a user would write it. */
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

/** Where the configuration file is, or would be. */
const filePlace = ({ flags, environment, cwd }: Sources) => {
  const { config: flag } = flags
  const { VAULTHOUSE_CONFIG: variable } = environment
  const named = typeof flag === "string" ? flag : given(variable) ? variable : undefined
  return { flag, named, path: resolve(cwd, named ?? defaultFile) }
}

/** The configuration file of this process, which need not exist. */
export const configFile = (flags: Sources["flags"]): string =>
  filePlace({ flags, environment: process.env, cwd: process.cwd() }).path

const openFile = (sources: Sources, problems: Array<ConfigProblem>): ConfigFile | undefined => {
  const { flag, named, path } = filePlace(sources)
  const shown = relative(sources.cwd, path)
  try {
    const file = readConfigFile(path)
    const shownFile = { ...file, path: shown.startsWith("..") ? path : shown }
    for (const problem of file.problems) {
      problems.push({ ...problem, where: shownFile.path })
    }
    for (const key of Object.keys(file.values)) checkKey(key, shownFile, problems)
    return shownFile
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (named === undefined && code === "ENOENT") return undefined
    const why =
      code === "ENOENT" ? "there is no such file" : `can't be read (${code ?? String(error)})`
    const where = typeof flag === "string" ? "--config" : "VAULTHOUSE_CONFIG"
    problems.push({ where: named === undefined ? path : where, detail: `${path}: ${why}` })
    return undefined
  }
}

const checkKey = (key: string, file: ConfigFile, problems: Array<ConfigProblem>): void => {
  const place = { where: file.path, line: file.lineOf([key]) }
  const known = settingNames.filter((name) => settingOf(name).inFile !== false)
  if ((known as ReadonlyArray<string>).includes(key)) return
  if (/^api_?-?key/i.test(key)) {
    const detail = `the key does not belong in this file; set ${API_KEY}, or ${API_KEY_FILE} to the path of a file with the key`
    problems.push({ ...place, detail })
    return
  }
  const unknown = unknownKey(key, known, [key])
  if (Result.isFailure(unknown))
    problems.push(...unknown.failure.map(({ detail }) => ({ ...place, detail })))
}

const resolveSetting = (
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
  // Relative to the file's folder, so that it means the same from everywhere.
  const base = found.origin.from === "file" ? dirname(resolve(cwd, found.origin.path)) : cwd
  const value = isPath ? resolve(base, String(result.success)) : result.success
  return { value, origin: found.origin }
}

/** The first value that is set; YAML reads an empty value as null. */
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

// The key is redacted in all responses: a shorter text could also be part of names and numbers.
const MIN_KEY_LENGTH = 8

/** Must be a valid header value: visible characters only. Never shown in a message. */
const keyOf = (
  text: string,
  where: string,
  problems: Array<ConfigProblem>,
): Redacted.Redacted<string> | undefined => {
  const key = text.trim()
  const problem =
    key === ""
      ? "there is no key in it"
      : !/^[\x21-\x7e]+$/.test(key)
        ? "the key has characters that a key can't have, such as spaces"
        : key.length < MIN_KEY_LENGTH
          ? `the key has ${key.length} characters, too few to be redacted from responses without damage; check that all of it was copied (${MIN_KEY_LENGTH} or more)`
          : undefined
  if (problem === undefined) return Redacted.make(key, { label: "api key" })
  problems.push({ where, detail: problem })
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
    .map((name) => `Unknown setting ${name} has no effect${didYouMean(name, known)}`)
  const url = settings.baseUrl === undefined ? null : URL.parse(settings.baseUrl)
  const open = apiKey !== undefined && url?.protocol === "http:" && !isLoopback(url)
  return open
    ? [
        ...unknown,
        `the API key would be sent unencrypted to ${url.origin}; use https:// if the service has it`,
      ]
    : unknown
}
