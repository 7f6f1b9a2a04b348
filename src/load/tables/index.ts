// Every table vaulthouse writes about itself. A new one is a file in the folder of its schema and one line here.
import type { Table } from "../../domain/table/table.ts"
import { checkResults } from "./ops/check_results.ts"
import { cursors } from "./ops/cursors.ts"
import { gaps } from "./ops/gaps.ts"
import { layout } from "./ops/layout.ts"
import { columns } from "./meta/columns.ts"
import { questions } from "./meta/questions.ts"
import { tables } from "./meta/tables.ts"
import { partitionChanges } from "./ops/partition_changes.ts"
import { publications } from "./ops/publications.ts"
import { quarantine } from "./ops/quarantine.ts"
import { responses } from "./raw/responses.ts"
import { runs } from "./ops/runs.ts"
import { schemaDrift } from "./ops/schema_drift.ts"
import { storedMartsTable } from "./ops/stored_marts.ts"
import { tasks } from "./ops/tasks.ts"
import { viewFingerprints } from "./ops/view_fingerprints.ts"

/** By name, for what writes their rows. */
export const operationTable = {
  checkResults,
  columns,
  cursors,
  gaps,
  layout,
  partitionChanges,
  publications,
  quarantine,
  questions,
  responses,
  runs,
  schemaDrift,
  storedMartsTable,
  tables,
  tasks,
  viewFingerprints,
} as const satisfies Readonly<Record<string, Table>>

export const operationTables: ReadonlyArray<Table> = Object.values(operationTable)
