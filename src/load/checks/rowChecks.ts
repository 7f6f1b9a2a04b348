// The checks of the rows of tables: those of their declarations and those of warehouse/checks. A run makes them without
// reading the declarations of marts.
import type { Table } from "../../domain/table/table.ts"
import type { Check } from "./Check.ts"
import { sqlChecks } from "./sqlChecks.ts"
import { tableChecks } from "./tableChecks.ts"

export const rowChecks = (tables: ReadonlyArray<Table>): ReadonlyArray<Check> => [
  ...tableChecks(tables),
  ...sqlChecks,
]
