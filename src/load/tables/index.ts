// Every table vaulthouse writes about itself. A new one is a file in this folder and one line here.
import type { Table } from "../../domain/table.ts"
import { checkResults } from "./check_results.ts"
import { cursors } from "./cursors.ts"
import { gaps } from "./gaps.ts"
import { layout } from "./layout.ts"
import { columns } from "./meta/columns.ts"
import { questions } from "./meta/questions.ts"
import { tables } from "./meta/tables.ts"
import { partitionChanges } from "./partition_changes.ts"
import { publications } from "./publications.ts"
import { quarantine } from "./quarantine.ts"
import { responses } from "./responses.ts"
import { runs } from "./runs.ts"
import { schemaDrift } from "./schema_drift.ts"
import { storedMartsTable } from "./stored_marts.ts"
import { tasks } from "./tasks.ts"
import { viewFingerprints } from "./view_fingerprints.ts"

export const operationTables: ReadonlyArray<Table> = [
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
]
