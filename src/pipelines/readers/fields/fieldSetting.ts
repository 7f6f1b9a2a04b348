// Checks the settings `fields` and `contracts`: what they name exists, and is read from a response.
import * as Effect from "effect/Effect"
import { ConfigError } from "../../../config/ConfigError.ts"
import type { Config } from "../../../config/Config.ts"
import { originPlace } from "../../../config/settings/origin.ts"
import { didYouMean } from "../../../config/read/nearest.ts"
import type { FieldMapping, FieldSetting } from "../../../domain/table/shape.ts"
import type { Table } from "../../../domain/table/table.ts"
import { coreTables } from "../../pipelines.ts"

/** Columns that the setting can name, as `table.column`: those that are read from a field, and `extra`. */
const configurableColumns = (): ReadonlyArray<string> =>
  coreTables.flatMap(({ name, columns }) =>
    columns.flatMap((column) =>
      column.fields === undefined && column.name !== "extra" ? [] : [`${name}.${column.name}`],
    ),
  )

const hasExtra = ({ columns }: Table): boolean => columns.some(({ name }) => name === "extra")

const FIELDS_ADVICE =
  "Write `table.column: field`, or `table: field` for the field with a table's records; `vaulthouse tables NAME` lists the columns of a table."
const CONTRACTS_ADVICE =
  "Write `table: freeze`, with a table that `vaulthouse tables` lists under core, such as `fees`."

/** Fails with every entry that is wrong. */
export const checkedFields = ({
  settings,
  originOf,
}: Pick<Config, "settings" | "originOf">): Effect.Effect<void, ConfigError> => {
  const columns = configurableColumns()
  const places = coreTables.filter(({ shapes }) => shapes !== undefined).map(({ name }) => name)
  const tables = coreTables.filter(hasExtra).map(({ name }) => name)
  const ofFields = Object.entries(settings.fields).flatMap(([name, setting]) => {
    const problem = fieldProblem(name, setting, columns, places)
    return problem === undefined
      ? []
      : [{ ...originPlace(originOf("fields", name)), detail: `fields: \`${name}\` ${problem}` }]
  })
  const ofContracts = Object.keys(settings.contracts)
    .filter((name) => !tables.includes(name))
    .map((name) => ({
      ...originPlace(originOf("contracts", name)),
      detail: `contracts: \`${name}\` is not a table with fields of the service${didYouMean(name, tables)}`,
    }))
  const problems = [...ofFields, ...ofContracts]
  const advice = [
    ...(ofFields.length === 0 ? [] : [FIELDS_ADVICE]),
    ...(ofContracts.length === 0 ? [] : [CONTRACTS_ADVICE]),
  ].join("\n")
  return problems.length === 0 ? Effect.void : Effect.fail(new ConfigError({ problems, advice }))
}

const fieldProblem = (
  name: string,
  setting: FieldSetting,
  columns: ReadonlyArray<string>,
  places: ReadonlyArray<string>,
): string | undefined => {
  const { scale, keys, except, field } = mappingIn(setting)
  if (places.includes(name)) {
    if (scale !== undefined) return "is a table, which has no `scale`"
    return except !== undefined && keys === undefined
      ? "has `except` without `keys`"
      : keysProblem(name, keys)
  }
  if (!columns.includes(name)) {
    return name.includes(".")
      ? `is not a column that is read from a field${didYouMean(name, columns)}`
      : `is not a table whose records can be in another place${didYouMean(name, places)}`
  }
  if (keys !== undefined || except !== undefined)
    return "is a column; `keys` and `except` are of its table"
  if (scale === undefined) return undefined
  if (field === undefined) return "has a `scale` without a `field`"
  return typeOf(name) === "double" ? undefined : "has a `scale`, but is not a column of numbers"
}

const keysProblem = (name: string, keys: FieldMapping["keys"]): string | undefined => {
  const table = coreTables.find((each) => each.name === name)
  const hasKeys = table?.shapes?.some(({ holds }) => holds === "figures") === true
  return keys === undefined || hasKeys ? undefined : "is not a table of numbers by key"
}

const typeOf = (name: string): string | undefined => {
  const [table, column] = name.split(".")
  return coreTables
    .find((each) => each.name === table)
    ?.columns.find((each) => each.name === column)?.type
}

const mappingIn = (setting: FieldSetting): FieldMapping =>
  typeof setting === "string" || "length" in setting ? {} : setting
