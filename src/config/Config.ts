// Reads every setting with its origin: flags override the environment, then come the configuration file and the
// defaults. The API key comes from the environment only and stays Redacted.
import { statSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { isLoopback } from "../domain/values/loopback.ts"
import type { Proxies } from "../domain/wire/proxies.ts"
import { readApiKey } from "./secrets/apiKey.ts"
import { ConfigError, type ConfigProblem, unreadable } from "./ConfigError.ts"
import type { Kind } from "./settings/kinds.ts"
import { type ConfigFile, defaultFile, readConfigFile } from "./read/file.ts"
import { type Origin, originPlace, originText } from "./settings/origin.ts"
import { readProxies } from "./environment/proxies.ts"
import { type Path, problemSubject, read, unknownKey } from "./read/read.ts"
import { type SettingName, settingNames, settingOf, type Settings } from "./settings/settings.ts"
import { unknownVariables } from "./environment/unknownVariables.ts"
import { API_KEY, API_KEY_FILE, environmentName } from "./settings/Setting.ts"

export interface Config {
  readonly settings: Settings
  readonly origins: Readonly<Record<SettingName, Origin>>
  readonly apiKey: Redacted.Redacted<string> | undefined
  readonly apiKeyOrigin: Origin
  readonly proxies: Proxies
  /** The configuration file, if there is one. */
  readonly file: string | undefined
  /** The origin of a value inside a section, of which the file may set only a part. */
  readonly originOf: (name: SettingName, ...path: Path) => Origin
  /** Variables that look like settings; they have no effect. */
  readonly unknownVariables: ReadonlyArray<ConfigProblem>
  readonly warnings: ReadonlyArray<ConfigProblem>
}

export interface Sources {
  /** Flag values from the command line, by setting name. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Base of relative paths in flags and environment. */
  readonly cwd: string
  /** Settings as they would be without the configuration file. */
  readonly ignoreFile?: true
}

/** Fails with all problems at once. Relative paths in the file are relative to its folder. */
export const readConfig = (sources: Sources): Effect.Effect<Config, ConfigError> =>
  Effect.suspend(() => {
    const problems: Array<ConfigProblem> = []
    const file = sources.ignoreFile === true ? undefined : openFile(sources, problems)
    const values: Partial<Record<SettingName, unknown>> = {}
    const origins: Partial<Record<SettingName, Origin>> = {}
    for (const name of settingNames) {
      const { value, origin } = resolveSetting(name, sources, file, problems)
      values[name] = value
      origins[name] = origin
    }
    checkDataDir(values.dataDir, origins.dataDir, problems)
    const key = readApiKey(sources.environment, sources.cwd, problems)
    const proxies = readProxies(sources.environment, problems)
    if (problems.length > 0) return Effect.fail(new ConfigError({ problems }))
    const settings = values as unknown as Settings
    const found = origins as Record<SettingName, Origin>
    return Effect.succeed({
      settings,
      origins: found,
      apiKey: key.value,
      apiKeyOrigin: key.origin,
      proxies,
      file: file === undefined ? undefined : filePlace(sources).path,
      originOf: (name, ...path) => partOrigin([name, ...path], found[name], file),
      unknownVariables: unknownVariables(sources.environment, file?.values ?? {}),
      warnings: [...key.warnings, ...warningsOf(settings, found, key.value)],
    })
  })

/** The settings of this process. */
export const readProcessConfig = (
  flags: Sources["flags"],
  options: Pick<Sources, "ignoreFile"> = {},
): Effect.Effect<Config, ConfigError> =>
  Effect.suspend(() =>
    readConfig({ flags, environment: process.env, cwd: process.cwd(), ...options }),
  )

/** The API key of this process as it is now: its file may be replaced while a scheduler or a worker runs. */
export const presentApiKey: Effect.Effect<Config["apiKey"], ConfigError> = Effect.suspend(() => {
  const problems: Array<ConfigProblem> = []
  const { value } = readApiKey(process.env, process.cwd(), problems)
  return problems.length > 0 ? Effect.fail(new ConfigError({ problems })) : Effect.succeed(value)
})

/** One setting from flags and environment only, for messages before or about the file. */
export const withoutFile = <N extends SettingName>(
  name: N,
  flags: Sources["flags"],
): Settings[N] => {
  const sources = { flags, environment: process.env, cwd: process.cwd() }
  return resolveSetting(name, sources, undefined, []).value as Settings[N]
}

const fileOrigin = (path: Path, file: ConfigFile | undefined): Origin => {
  if (file === undefined) return { from: "default" }
  const { where, line, column } = file.placeOf({ path, isName: true })
  return { from: "file", path: where, line, column }
}

const partOrigin = (path: Path, whole: Origin, file: ConfigFile | undefined): Origin => {
  if (whole.from !== "file") return whole
  const written = path.reduce<unknown>(
    (value, step) => (value as Record<string, unknown> | null | undefined)?.[step],
    file?.values,
  )
  return written === undefined ? { from: "default" } : fileOrigin(path, file)
}

const hasText = (text: string | undefined): text is string => text !== undefined && text !== ""

/** Where the configuration file is, or would be. */
const filePlace = ({ flags, environment, cwd }: Sources) => {
  const { config: flag } = flags
  const { VAULTHOUSE_CONFIG: variable } = environment
  const named = typeof flag === "string" ? flag : hasText(variable) ? variable : undefined
  return { flag, named, path: resolve(cwd, named ?? defaultFile) }
}

/** The configuration file of this process, which need not exist. */
export const configFile = (flags: Sources["flags"]): string =>
  filePlace({ flags, environment: process.env, cwd: process.cwd() }).path

const openFile = (sources: Sources, problems: Array<ConfigProblem>): ConfigFile | undefined => {
  const { flag, named, path } = filePlace(sources)
  // Reading the setting says so; the path would be that of this folder.
  if (flag === "") return undefined
  const fromHere = relative(sources.cwd, path)
  const shown = fromHere.startsWith("..") ? path : fromHere
  try {
    const file = readConfigFile(path, shown)
    problems.push(...file.problems)
    for (const key of Object.keys(file.values)) checkKey(key, file, problems)
    return file
  } catch (error) {
    const why = unreadable(error)
    if (named !== undefined) {
      const where = typeof flag === "string" ? "--config" : "VAULTHOUSE_CONFIG"
      problems.push({ where, detail: `${path}: ${why}` })
    } else if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      problems.push({ where: shown, detail: why })
    }
    return undefined
  }
}

const checkKey = (key: string, file: ConfigFile, problems: Array<ConfigProblem>): void => {
  const place = file.placeOf({ path: [key], isName: true })
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
  const isOff = setting.offVariable !== undefined && hasText(environment[setting.offVariable])
  const forced = setting.onVariable === undefined ? undefined : environment[setting.onVariable]
  const isOn = hasText(forced) ? !/^(0|false)$/i.test(forced) : undefined
  const fromFile = setting.inFile === false ? undefined : file?.values[name]
  const found = firstOf([
    [flags[name], { from: "flag", name: `--${setting.flag}` }],
    [
      hasText(fromEnvironment) ? fromEnvironment : undefined,
      { from: "environment", name: variable ?? "" },
    ],
    [isOff ? false : undefined, { from: "environment", name: setting.offVariable ?? "" }],
    [isOn, { from: "environment", name: setting.onVariable ?? "" }],
    [fromFile, fileOrigin([name], file)],
  ])
  if (found === undefined) {
    return { value: absolute(setting.kind, setting.default, cwd), origin: { from: "default" } }
  }
  const isTyped = setting.kind.type === "list" && found.origin.from !== "file"
  const result = read(setting.kind, isTyped ? listOf(found.value) : found.value, [name])
  if (Result.isFailure(result)) {
    for (const problem of result.failure) {
      if (file !== undefined && found.origin.from === "file") {
        const subject = problemSubject(problem)
        const detail = `${subject}${subject === "" ? "" : ": "}${problem.detail}`
        problems.push({ ...file.placeOf(problem), detail })
      } else problems.push({ where: originText(found.origin), detail: problem.detail })
    }
    return { value: undefined, origin: found.origin }
  }
  // Paths in the file are relative to its folder, so that they mean the same from everywhere.
  const base = found.origin.from === "file" ? dirname(resolve(cwd, found.origin.path)) : cwd
  return { value: absolute(setting.kind, result.success, base), origin: found.origin }
}

/** The value with its paths, and those of a section's members, made absolute. */
export const absolute = (kind: Kind, value: unknown, base: string): unknown => {
  if (value === undefined) return undefined
  if (kind.type === "path") return resolve(base, String(value))
  if (kind.type === "location")
    return String(value).startsWith("s3://") ? value : resolve(base, String(value))
  if (kind.type !== "record") return value
  const members = Object.entries(value as Readonly<Record<string, unknown>>)
  return Object.fromEntries(
    members.map(([name, member]) => {
      const field = kind.fields[name]
      return [name, field === undefined ? member : absolute(field.kind, member, base)]
    }),
  )
}

/** The entries of a list that is given as text: repeated values, or values separated by commas. */
const listOf = (value: unknown): ReadonlyArray<string> =>
  [value]
    .flat()
    .flatMap((text) => String(text).split(","))
    .map((text) => text.trim())

/** The first value that is set; YAML reads an empty value as null. */
const firstOf = (candidates: ReadonlyArray<readonly [unknown, Origin]>) => {
  const found = candidates.find(([value]) => value !== undefined && value !== null)
  return found === undefined ? undefined : { value: found[0], origin: found[1] }
}

/**
 * Whoever reads would else find nothing there. DuckDB puts the suffix of a log before a `?`, into a folder that there isn't,
 * and accepts no commit.
 */
const checkDataDir = (
  dataDir: unknown,
  origin: Origin = { from: "default" },
  problems: Array<ConfigProblem>,
): void => {
  const place = origin.from === "default" ? { where: "dataDir" } : originPlace(origin)
  if (String(dataDir).includes("?")) {
    const detail = `${String(dataDir)} has a question mark in its path, where DuckDB stores nothing; choose another folder`
    problems.push({ ...place, detail })
  }
  try {
    if (!statSync(String(dataDir), { throwIfNoEntry: false })?.isFile()) return
    problems.push({ ...place, detail: `${String(dataDir)} is a file, not a folder` })
  } catch (error) {
    problems.push({ ...place, detail: `${String(dataDir)}: ${unreadable(error)}` })
  }
}

/** Settings that are allowed but probably unintended. */
const warningsOf = (
  { baseUrl }: Settings,
  { baseUrl: origin }: Config["origins"],
  apiKey: Config["apiKey"],
): ReadonlyArray<ConfigProblem> => {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl)
  if (apiKey === undefined || url?.protocol !== "http:") return []
  if (isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1"))) return []
  const detail = `the API key would be sent unencrypted to ${url.origin}; use https:// if the service has it`
  return [{ where: originText(origin), detail }]
}
