// The API key, from the environment or a file of its own: never from a flag or the configuration file, and Redacted.
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Redacted from "effect/Redacted"
import { type ConfigProblem, unreadable } from "../ConfigError.ts"
import type { Origin } from "../settings/origin.ts"
import { API_KEY, API_KEY_FILE } from "../settings/Setting.ts"

export interface ApiKey {
  readonly value: Redacted.Redacted<string> | undefined
  readonly origin: Origin
  readonly warnings: ReadonlyArray<ConfigProblem>
}

/** The path of a key file is relative to `cwd`. */
export const readApiKey = (
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
  problems: Array<ConfigProblem>,
): ApiKey => {
  const { [API_KEY]: key = "", [API_KEY_FILE]: file = "" } = environment
  if (key !== "") {
    const origin: Origin = { from: "environment", name: API_KEY }
    const detail = `not read, since ${API_KEY} is set too; unset one of them`
    const warnings = file === "" ? [] : [{ where: API_KEY_FILE, detail }]
    return { value: keyOf(key, API_KEY, problems), origin, warnings }
  }
  const warnings: ReadonlyArray<ConfigProblem> = []
  if (file === "") return { value: undefined, origin: { from: "default" }, warnings }
  const origin: Origin = { from: "environment", name: API_KEY_FILE }
  try {
    const value = keyOf(readFileSync(resolve(cwd, file), "utf8"), file, problems)
    return { value, origin, warnings }
  } catch (error) {
    problems.push({ where: API_KEY_FILE, detail: `${file}: ${unreadable(error)}` })
    return { value: undefined, origin, warnings }
  }
}

// The key is redacted in all responses: a shorter text could also be part of names and numbers.
const MIN_KEY_LENGTH = 8

/** The key, which must be a valid header value: visible characters only. No message shows it. */
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
