// The checks of tables with the contract `freeze`: no field without a column, and none in another type.
import type { Contract, FieldSetting } from "../../domain/table/shape.ts"
import { type Table, tableName } from "../../domain/table/table.ts"
import type { Check } from "../../load/checks/Check.ts"
import { literal } from "../../load/sql/sql.ts"
import { configuredNames } from "../../transform/fields/settings.ts"
import { namesOf, outerField } from "../../transform/fields/wireNames.ts"
import { coreTables } from "../pipelines.ts"

export interface ContractSettings {
  readonly contracts?: Readonly<Record<string, Contract>>
  readonly fields?: Readonly<Record<string, FieldSetting>>
}

/** A change is accepted by the setting `fields`, for a column or for `extra`. */
export const contractChecks = ({ contracts = {}, fields = {} }: ContractSettings) =>
  coreTables
    .filter(({ name }) => contracts[name] === "freeze")
    .map((table) => {
      const source = { fields }
      const known = configuredNames(table, "extra", source)
      const read = table.columns.flatMap(({ name }) => namesOf(table, name, source))
      return contractCheck(table, known, read)
    })

const RULE = "contract"

/** Whether a check is that of a contract: if it fails, a run publishes nothing. */
export const isContractCheck = ({ name }: Pick<Check, "name">): boolean => name.endsWith(`.${RULE}`)

/**
 * Fails for a field without a column and for a field in another type. `known`: fields that the setting `fields` names, for
 * a column or for `extra`; `read`: those that are read into columns. A nested record with such fields was reported as a whole
 * before they were known: since then, its other fields are reported by themselves.
 */
const contractCheck = (
  table: Table,
  known: ReadonlyArray<string>,
  read: ReadonlyArray<string>,
): Check => {
  const paths = (names: ReadonlyArray<string>): string =>
    ["", ...names].map((name) => literal(`${table.name}.${name}`)).join(", ")
  const opened = [...known, ...read].filter((name) => name.includes(".")).map(outerField)
  const within = known.map((name) => `starts_with(json_path, ${literal(`${table.name}.${name}.`)})`)
  return {
    name: `${tableName(table)}.${RULE}`,
    description:
      "Frozen: every field has a column, or is named for extra in the setting fields, in its type",
    severity: "error",
    tolerance: null,
    needs: ["ops.schema_drift"],
    isIncremental: true,
    sql: () =>
      `select endpoint, json_path, detail, first_seen_at from ops.schema_drift
       where kind in ('frozen_field', 'frozen_type') and starts_with(json_path, ${literal(`${table.name}.`)})
         and json_path not in (${paths(known)})
         and (kind = 'frozen_type' or not (json_path in (${paths(read)}) or ${["false", ...within].join(" or ")}))
         and (detail <> 'object' or json_path not in (${paths(opened)}))`,
  }
}
