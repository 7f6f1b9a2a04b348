// The checks as their page and dbt's tests list them, and the limits that the texts name: pages import nothing of
// src/load.
import { coverageOf } from "../../load/checks/coverage.ts"
import { sqlChecks } from "../../load/checks/sqlChecks.ts"
import { tableChecks } from "../../load/checks/tableChecks.ts"
import { coreTables, tables } from "../pipelines.ts"

export type { Check } from "../../load/checks/Check.ts"
export { FIRST_YEAR } from "../../load/checks/constraintRules.ts"
export { martChecks } from "../../load/checks/martChecks.ts"
export { SKEW_SECONDS } from "../../load/checks/tableRule.ts"
export { sqlChecks }

export const checksOfTables = () => tableChecks(tables)

export const checkCoverage = () => coverageOf(coreTables, sqlChecks)
