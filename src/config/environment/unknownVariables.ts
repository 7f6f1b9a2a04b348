// Environment variables that look like settings but are not.
import type { ConfigProblem } from "../ConfigError.ts"
import { SERVE_TOKEN } from "../secrets/serveToken.ts"
import { nearest, isSameName } from "../read/nearest.ts"
import { settingNames, settingOf } from "../settings/settings.ts"
import { API_KEY, API_KEY_FILE, environmentName } from "../settings/Setting.ts"

const PREFIX = "VAULTHOUSE_"

/** Of deploy/dbt, which dbt reads. */
const ofOthers = ["VAULTHOUSE_PUBLISHED", "VAULTHOUSE_DBT_FILE"]

/** `written`: the values of the configuration file, which may name variables as `${NAME}`. */
export const unknownVariables = (
  environment: Readonly<Record<string, string | undefined>>,
  written: Readonly<Record<string, unknown>>,
): ReadonlyArray<ConfigProblem> => {
  const ours = Object.fromEntries(
    Object.entries(environment).filter(([name]) => name.startsWith(PREFIX)),
  )
  const named = JSON.stringify([written, ours]).matchAll(/\$\{(\w+)\}/g)
  const inUse = new Set([...ofOthers, ...Array.from(named, ([, name = ""]) => name)])
  const known = [
    API_KEY,
    API_KEY_FILE,
    SERVE_TOKEN,
    ...settingNames.flatMap((name) => environmentName(settingOf(name)) ?? []),
  ]
  return Object.keys(ours)
    .filter((name) => !known.includes(name) && !inUse.has(name))
    .map((name) => ({ where: name, detail: `no setting has this name${adviceOn(name, known)}` }))
}

/** Names are compared without the prefix, which makes all of them alike. */
const adviceOn = (variable: string, known: ReadonlyArray<string>): string => {
  const rest = variable.slice(PREFIX.length)
  const inFile = settingNames.find(
    (name) => settingOf(name).flag === undefined && isSameName(name, rest),
  )
  if (inFile !== undefined) return `; \`${inFile}\` can only be set in the configuration file`
  const name = nearest(
    rest,
    known.map((each) => each.slice(PREFIX.length)),
  )
  return name === undefined ? ", so it has no effect" : `; did you mean \`${PREFIX}${name}\`?`
}
