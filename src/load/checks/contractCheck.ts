// The check of a table with the contract `freeze`.
import { type Table, tableName } from "../../domain/table/table.ts"
import { literal } from "../sql/sql.ts"
import type { Check } from "./Check.ts"

const RULE = "contract"

/** Whether a check is that of a contract: if it fails, a run publishes nothing. */
export const isContractCheck = ({ name }: Pick<Check, "name">): boolean => name.endsWith(`.${RULE}`)

/**
 * Fails for a field without a column and for a field in another type. `known`: fields that the setting `fields` names, for
 * a column or for `extra`; `read`: those that are read into columns.
 */
export const contractCheck = (
  table: Table,
  known: ReadonlyArray<string>,
  read: ReadonlyArray<string>,
): Check => {
  const paths = (names: ReadonlyArray<string>): string =>
    ["", ...names].map((name) => literal(`${table.name}.${name}`)).join(", ")
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
         and (kind = 'frozen_type' or json_path not in (${paths(read)}))`,
  }
}
