// Checks the setting `fields`: each name is a column of core that is read from a field.
import * as Effect from "effect/Effect"
import { ConfigError } from "../../config/ConfigError.ts"
import type { Config } from "../../config/Config.ts"
import { originPlace } from "../../config/origin.ts"
import { didYouMean } from "../../config/nearest.ts"
import { coreTables } from "../catalog.ts"

/** Columns that the setting can name, as `table.column`. */
const configurableColumns = (): ReadonlyArray<string> =>
  coreTables.flatMap(({ name, columns }) =>
    columns.flatMap((column) => (column.fields === undefined ? [] : [`${name}.${column.name}`])),
  )

/** Fails with every name that is not one of these columns. */
export const checkedFields = ({
  settings,
  originOf,
}: Pick<Config, "settings" | "originOf">): Effect.Effect<void, ConfigError> => {
  const known = configurableColumns()
  const problems = Object.keys(settings.fields)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      ...originPlace(originOf("fields", name)),
      detail: `fields: \`${name}\` is not a column that is read from a field${didYouMean(name, known)}`,
    }))
  return problems.length === 0
    ? Effect.void
    : Effect.fail(
        new ConfigError({
          problems,
          advice:
            "Write `table.column: field`; `vaulthouse tables NAME` lists the columns of a table.",
        }),
      )
}
