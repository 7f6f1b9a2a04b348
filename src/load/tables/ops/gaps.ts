// ops.gaps: parts of history known to be missing, and why.
import { text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { seriesColumn, vaultColumns } from "./vaultColumns.ts"

export const gaps: Table = {
  schema: "ops",
  name: "gaps",
  mode: "replace",
  grain: "pipeline, entity and range",
  comment: "Parts of a history known to be missing.",
  source: "the pipelines",
  key: ["pipeline", "entity", "from_at", "to_at"],
  columns: [
    text("pipeline", "Pipeline", { required: true }),
    text(
      "entity",
      "Vault, subaccount, \u2026 or `-`; with the series if the pipeline reads several",
      { required: true },
    ),
    timestamp("from_at", "Start of the missing range, inclusive", { required: true }),
    timestamp("to_at", "End of the missing range, inclusive", { required: true }),
    text(
      "reason",
      "`quarantined`, `failed`, `truncated`, `unreachable` (the service no longer sends it) or `tie`",
      { required: true },
    ),
    text(
      "state",
      "`open` (read again by the next run that reads its vault), `closed`, or `permanent`",
      {
        required: true,
      },
    ),
    text("detail", "What happened, in a sentence", { required: true }),
    text("run_id", "Run that last recorded or closed it", { required: true }),
    timestamp("updated_at", "When it was last recorded or closed", { required: true }),
    ...vaultColumns,
    seriesColumn,
  ],
  example: "select * from ops.gaps where state <> 'closed'",
}
