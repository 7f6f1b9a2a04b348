// The checks of tables with the contract `freeze`: no field without a column, and none in another type.
import type { Contract, FieldSetting } from "../../domain/table/shape.ts"
import { contractCheck } from "../../load/checks/contractCheck.ts"
import { configuredNames } from "../../transform/fields/settings.ts"
import { namesOf } from "../../transform/fields/wireNames.ts"
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
