// The checks as their page and dbt's tests list them.
import { coverageOf, declaredChecks } from "../../load/checks/declaredChecks.ts"
import { coreTables, tables } from "../pipelines.ts"

export const checkList = () => ({ ...declaredChecks(tables), coverage: coverageOf(coreTables) })
