// The file of collateral simulations (setting `scenarios`): a list of entries, each a name and the inputs of
// §2.6. Errors in it are reported before a run begins, each with its line.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ConfigError, type ConfigProblem } from "../../../config/ConfigError.ts"
import type { Config } from "../../../config/Config.ts"
import { unreadable } from "../../../config/ConfigError.ts"
import { readYamlFile, type YamlFile } from "../../../config/read/file.ts"
import { originPlace } from "../../../config/settings/origin.ts"
import { type Path, type Problem, unknownKey } from "../../../config/read/read.ts"
import { isJsonObject, type JsonObject } from "../../../domain/values/json.ts"
import { collateralSimulation } from "../../../extract/endpoints/risk/collateral_simulation.ts"
import type { JsonSchema, Parameter } from "../../../extract/Parameter.ts"
import type { Scenario } from "../../model/runSettings.ts"

const { parameters, rule } = collateralSimulation
const inputNames = Object.keys(parameters)

type Read<A> = Result.Result<A, ReadonlyArray<Problem>>

/** Empty if no file is set; fails with every error in the file. */
export const readScenarios = ({
  settings: { scenarios: path },
  originOf,
}: Pick<Config, "settings" | "originOf">): Effect.Effect<ReadonlyArray<Scenario>, ConfigError> => {
  if (path === undefined) return Effect.succeed([])
  return Effect.gen(function* () {
    const file = yield* Effect.try({
      try: () => readYamlFile(path),
      catch: (cause) => {
        const detail = `scenarios: ${path}: ${unreadable(cause)}`
        return new ConfigError({ problems: [{ ...originPlace(originOf("scenarios")), detail }] })
      },
    })
    return yield* Effect.mapError(
      Effect.fromResult(scenariosIn(file)),
      (problems) => new ConfigError({ problems }),
    )
  })
}

const scenariosIn = (
  file: YamlFile,
): Result.Result<ReadonlyArray<Scenario>, ReadonlyArray<ConfigProblem>> => {
  const { content, placeOf, path, problems } = file
  if (problems.length > 0) return Result.fail(problems)
  if (!Array.isArray(content)) {
    const detail =
      "is not a list of scenarios; expected one `- name: …` with its inputs for each simulation"
    return Result.fail([{ where: path, line: 1, detail }])
  }
  const found: Array<Scenario> = []
  const wrong: Array<ConfigProblem> = []
  const names = new Set<string>()
  for (const [index, written] of content.entries()) {
    const entry = scenarioOf(written, [index])
    const report = (problem: Problem): void => {
      const detail = `${entryText(written, index)}: ${problem.detail}`
      wrong.push({ ...placeOf(problem), detail })
    }
    if (Result.isFailure(entry)) {
      for (const problem of entry.failure) report(problem)
      continue
    }
    const { name } = entry.success
    if (names.has(name)) {
      const detail = `\`${name}\` is already the name of an earlier entry`
      report({ path: [index, "name"], detail })
    }
    names.add(name)
    found.push(entry.success)
  }
  return wrong.length > 0 ? Result.fail(wrong) : Result.succeed(found)
}

const entryText = (written: unknown, index: number): string => {
  const name = isJsonObject(written) ? written["name"] : undefined
  return typeof name === "string" ? `entry ${index + 1} (${name})` : `entry ${index + 1}`
}

const problemAt = (path: Path, detail: string): Read<never> => Result.fail([{ path, detail }])

/** Checks every input by its own rule, then the rule between them (§7, rule 5). */
const scenarioOf = (written: unknown, path: Path): Read<Scenario> => {
  if (!isJsonObject(written))
    return problemAt(path, "is not a list of inputs, each as `name: value` on its own line")
  const { name } = written
  const inputs: Record<string, unknown> = {}
  const checks: ReadonlyArray<Read<unknown>> = [
    typeof name === "string" && name.trim() !== ""
      ? Result.succeed(name)
      : problemAt([...path, "name"], "`name` is missing: a text such as `one million USDC`"),
    ...Object.keys(written)
      .filter((key) => key !== "name" && !inputNames.includes(key))
      .map((key) => unknownKey(key, ["name", ...inputNames], [...path, key])),
    ...Object.entries<Parameter<never>>(parameters).map(([key, parameter]) =>
      Result.map(inputOf(written, key, parameter, path), (value) => {
        if (value !== undefined) inputs[key] = value
      }),
    ),
  ]
  const problems = checks.flatMap((check) => (Result.isFailure(check) ? check.failure : []))
  if (problems.length > 0) return Result.fail(problems)
  const broken = rule?.(inputs)
  return broken === undefined
    ? Result.succeed({ name: String(name), inputs })
    : problemAt([...path, broken.parameter], `${broken.parameter} ${broken.detail} (§7, rule 5)`)
}

const inputOf = (
  written: JsonObject,
  key: string,
  parameter: Parameter<never>,
  entry: Path,
): Read<unknown> => {
  const path = [...entry, key]
  const value = written[key]
  if (value === undefined || value === null) {
    return parameter.required
      ? problemAt(path, `\`${key}\` is missing: ${parameter.expected}`)
      : Result.succeed(undefined)
  }
  const isText = typeof value === "string"
  const shown = isText ? `\`${value}\`` : `\`${key}\``
  const given: Result.Result<unknown, string> = isText
    ? parameter.read(value)
    : Result.succeed(typed(parameter.schema, value))
  if (Result.isFailure(given)) return problemAt(path, `${shown} ${given.failure}`)
  const isValid = (each: unknown) => parameter.validate(each as never)
  const valid = isValid(given.success)
  if (Result.isSuccess(valid)) return Result.succeed(given.success)
  // If one item of a list is wrong, reports the line of that item.
  const item = Array.isArray(given.success)
    ? given.success.findIndex((each) => Result.isFailure(isValid([each])))
    : -1
  return problemAt(item < 0 ? path : [...path, item], `${shown} ${valid.failure}`)
}

// Only decimal numbers: an address without quotes has hexadecimal digits.
const decimal = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i

/** Scalars of the file are texts: inside lists they become the numbers that the parameter's schema expects. */
const typed = (schema: JsonSchema, value: unknown): unknown => {
  if (Array.isArray(value)) {
    const { items, prefixItems } = schema as {
      readonly items?: JsonSchema
      readonly prefixItems?: ReadonlyArray<JsonSchema>
    }
    return value.map((each, index) => typed(prefixItems?.[index] ?? items ?? {}, each))
  }
  const isNumeric = schema["type"] === "number" || schema["type"] === "integer"
  return isNumeric && typeof value === "string" && decimal.test(value) ? Number(value) : value
}
