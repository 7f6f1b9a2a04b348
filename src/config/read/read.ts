// Reads a value from the file, the environment or a flag by the kind of its setting, or returns its problems.
import * as Result from "effect/Result"
import { parseAddress } from "../../domain/values/address.ts"
import { pathProblem, segmentProblem } from "../../domain/wire/servicePath.ts"
import { parseDay } from "../../domain/values/time.ts"
import { expected, type Fields, type Kind, patterns } from "../settings/kinds.ts"
import { readCron } from "./cron.ts"
import { parseDuration } from "./duration.ts"
import { didYouMean } from "./nearest.ts"
import { show } from "./show.ts"
import { readUrl } from "./url.ts"
import { readPostgresUrl, readSecretUrl, readWarehouse } from "../secrets/secretUrl.ts"

export type Path = ReadonlyArray<string | number>

export interface Problem {
  readonly path: Path
  readonly detail: string
  /** Whether the name at the end of the path is wrong, not its value. */
  readonly isName?: true
}

/** What a problem is about, such as `vaults.include[1]`, or the section that has a wrong name. */
export const problemSubject = ({ path, isName }: Problem): string =>
  (isName === true ? path.slice(0, -1) : path).reduce<string>(
    (text, step) =>
      typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`,
    "",
  )

type Read = Result.Result<unknown, ReadonlyArray<Problem>>

const fail = (path: Path, detail: string): Read => Result.fail([{ path, detail }])

/** Reads text, or fails with a phrase that says what is wrong; `undefined` if it is only not what the kind expects. */
type ReadText = (text: string) => Result.Result<unknown, string | undefined>

const matching =
  (pattern: RegExp): ReadText =>
  (text) =>
    pattern.test(text) ? Result.succeed(text) : Result.fail(undefined)

const unlessProblem =
  (problemOf: (text: string) => string | undefined): ReadText =>
  (text) => {
    const problem = problemOf(text)
    return problem === undefined ? Result.succeed(text) : Result.fail(problem)
  }

/**
 * A path, without the newline at the end of a value that comes from a file or a secret store. Only a shell knows what `~` is:
 * here it would be a folder of that name.
 */
const pathMatching = (pattern: RegExp): ReadText => {
  const read = matching(pattern)
  return (text) =>
    /^\s*~([/\\]|$)/.test(text)
      ? Result.fail("begins with `~`, which only a shell replaces; write the whole path")
      : read(text.trim())
}

const textReaders = {
  text: matching(/\S/),
  path: pathMatching(/\S/),
  name: matching(new RegExp(patterns.name)),
  memory: matching(new RegExp(patterns.memory)),
  location: pathMatching(/^(s3:\/\/[a-z0-9]|(?!\w+:\/\/)\s*\S)/),
  servicePath: unlessProblem(pathProblem),
  pathSegment: unlessProblem(segmentProblem),
  secretUrl: readSecretUrl,
  postgresUrl: readPostgresUrl,
  warehouse: readWarehouse,
  address: (text) => Result.map(parseAddress(text), () => text),
  cron: readCron,
} satisfies Partial<Record<Kind["type"], ReadText>>

/**
 * Reads a value of the kind. Text becomes a number or boolean if the kind is one, so that flags, the environment and
 * the file follow the same rules.
 */
export const read = (kind: Kind, value: unknown, path: Path): Read => {
  const wrong = (why = `is not ${expected(kind)}`): Read =>
    fail(path, mayHoldSecret(kind) ? why : `${show(value)} ${why}`)
  switch (kind.type) {
    case "url":
      return typeof value === "string"
        ? Result.mapError(readUrl(value), (detail) => [{ path, detail }])
        : wrong()
    case "day": {
      const day = parseDay(value)
      return day === undefined ? wrong() : Result.succeed(day)
    }
    case "duration": {
      const seconds = parseDuration(value)
      return seconds === undefined ? wrong() : Result.succeed(seconds)
    }
    case "number": {
      if (value === kind.none) return Result.succeed(undefined)
      const number = numeric(value)
      return number !== undefined && number > kind.above ? Result.succeed(number) : wrong()
    }
    case "integer": {
      if (kind.none !== undefined && value === kind.none) return Result.succeed(undefined)
      const number = numeric(value)
      const fits = number !== undefined && number >= kind.min && number <= kind.max
      return fits && Number.isInteger(number) ? Result.succeed(number) : wrong()
    }
    case "boolean":
      if (typeof value === "boolean") return Result.succeed(value)
      return value === "true" || value === "false" ? Result.succeed(value === "true") : wrong()
    case "choice":
      if (typeof value !== "string") return wrong()
      return kind.of.includes(value)
        ? Result.succeed(value)
        : wrong(`is not ${expected(kind)}${didYouMean(value, kind.of)}`)
    case "list":
      return Array.isArray(value) && (value.length > 0 || kind.nonEmpty !== true)
        ? gather(value.map((entry, index) => [index, read(kind.of, entry, [...path, index])]))
        : wrong()
    case "map":
      return isObject(value)
        ? gather(
            Object.entries(value).map(([key, entry]) => [
              key,
              read(kind.of, entry, [...path, key]),
            ]),
            {},
          )
        : wrong()
    case "record":
      return isObject(value)
        ? Result.flatMap(readFields(kind.fields, value, path), inOrder(kind, value, path))
        : wrong()
    case "anyOf": {
      const form = formOf(value)
      const found = kind.of.find((each) => formOfKind(each) === form)
      return found === undefined ? wrong() : read(found, value, path)
    }
    case "variant": {
      if (!isObject(value)) return wrong()
      const [found, another] = Object.keys(kind.of).filter((key) => key in value)
      const fields = kind.of[found ?? ""]
      if (fields === undefined) return noVariant(kind, value, path)
      return another === undefined
        ? readFields(fields, value, path)
        : fail([...path, another], `\`${found}\` and \`${another}\` belong in separate entries`)
    }
    default: {
      if (typeof value !== "string") return wrong()
      const found = textReaders[kind.type](value)
      if (Result.isFailure(found)) return wrong(found.failure)
      return kind.type === "path" && !endsAsWanted(kind, String(found.success))
        ? wrong()
        : Result.succeed(found.success)
    }
  }
}

const endsAsWanted = ({ endings }: Extract<Kind, { type: "path" }>, path: string): boolean =>
  endings === undefined || endings.some((word) => path.toLowerCase().endsWith(`.${word}`))

/** `written`: the fields as the user wrote them. */
const inOrder =
  (
    { ascending }: Extract<Kind, { type: "record" }>,
    written: Readonly<Record<string, unknown>>,
    path: Path,
  ) =>
  (found: unknown): Read => {
    if (ascending === undefined) return Result.succeed(found)
    const [low, high] = ascending
    const values = found as Readonly<Record<string, number>>
    return Number(values[low]) <= Number(values[high])
      ? Result.succeed(found)
      : fail([...path, high], `${show(written[high])} is before \`${low}\`, ${show(written[low])}`)
  }

type Form = "list" | "section" | "scalar"

const formOf = (value: unknown): Form =>
  Array.isArray(value) ? "list" : isObject(value) ? "section" : "scalar"

/** How a value of the kind is written. */
const formOfKind = ({ type }: Kind): Form =>
  type === "list" ? "list" : ["map", "record", "variant"].includes(type) ? "section" : "scalar"

/** Whether no message may show a value of the kind. */
const mayHoldSecret = (kind: Kind): boolean => {
  switch (kind.type) {
    case "secretUrl":
    case "postgresUrl":
    case "warehouse":
      return true
    case "text":
      return kind.isSecret === true
    case "list":
    case "map":
      return mayHoldSecret(kind.of)
    case "anyOf":
      return kind.of.some(mayHoldSecret)
    case "record":
      return isAnySecret(kind.fields)
    case "variant":
      return Object.values(kind.of).some(isAnySecret)
    default:
      return false
  }
}

const isAnySecret = (fields: Fields): boolean =>
  Object.values(fields).some((field) => mayHoldSecret(field.kind))

const noVariant = ({ of }: Extract<Kind, { type: "variant" }>, value: object, path: Path): Read => {
  const names = Object.keys(of)
  const guess = Object.keys(value)
    .map((key) => didYouMean(key, names))
    .find((each) => each !== "")
  return fail(path, `has none of ${names.map((name) => `\`${name}\``).join(", ")}${guess ?? ""}`)
}

const readFields = (fields: Fields, value: Readonly<Record<string, unknown>>, path: Path): Read => {
  const unknown = Object.keys(value)
    .filter((key) => !(key in fields))
    .map((key): [string, Read] => [key, unknownKey(key, Object.keys(fields), [...path, key])])
  const known = Object.entries(fields).map(([key, field]): [string, Read] => {
    if (value[key] !== undefined && value[key] !== null) {
      return [key, read(field.kind, value[key], [...path, key])]
    }
    return "default" in field
      ? [key, Result.succeed(field.default)]
      : [key, fail(path, `\`${key}\` is missing: ${expected(field.kind)}`)]
  })
  return gather([...unknown, ...known], {})
}

export const unknownKey = (key: string, known: ReadonlyArray<string>, path: Path): Read => {
  // In `{postgres:postgres://user:password@host}`, all between the braces is a name.
  const [name] = /^[\w.-]*/.exec(key) ?? [""]
  const guess = didYouMean(key, known)
  const names = known.map((each) => `\`${each}\``).join(", ")
  // `wire.case`, as messages and documentation call the setting.
  const [section = "", ...rest] = name.split(".")
  const below = rest.join(".")
  const advice =
    key[name.length] === ":"
      ? "; the colon after the name of a setting is followed by a space"
      : below !== "" && known.includes(section)
        ? `; write \`${below}\` below \`${section}\`: \`${section}: { ${below}: … }\``
        : guess === ""
          ? `; the settings here are ${names}`
          : guess
  const shown = name === key ? key : `${name}…`
  return Result.fail([{ path, detail: `unknown setting \`${shown}\`${advice}`, isName: true }])
}

/** All values, or all problems if there are any. */
const gather = (
  parts: ReadonlyArray<readonly [string | number, Read]>,
  into: Record<string | number, unknown> | Array<unknown> = [],
): Read => {
  const problems = parts.flatMap(([, part]) => (Result.isFailure(part) ? part.failure : []))
  if (problems.length > 0) return Result.fail(problems)
  const target = into as Record<string | number, unknown>
  for (const [key, part] of parts) if (Result.isSuccess(part)) target[key] = part.success
  return Result.succeed(into)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const numeric = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}
