// ops.gaps: parts of history known to be missing, and why.
import type { Table } from "../../domain/table.ts"
import { seriesOfEntity, vaultOfEntity } from "./vaultColumns.ts"

export const gaps: Table = {
  schema: "ops",
  name: "gaps",
  mode: "replace",
  grain: "pipeline, entity and range",
  comment: "Parts of a history known to be missing.",
  source: "the pipelines",
  key: ["pipeline", "entity", "from_at", "to_at"],
  columns: [
    { name: "pipeline", type: "text", required: true, comment: "Pipeline" },
    {
      name: "entity",
      type: "text",
      required: true,
      comment: "Vault, subaccount, \u2026 or `-`; with the series where one pipeline reads several",
    },
    {
      name: "from_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "Start of the missing range, inclusive",
    },
    {
      name: "to_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "End of the missing range, inclusive",
    },
    {
      name: "reason",
      type: "text",
      required: true,
      comment:
        "`quarantined`, `failed`, `truncated`, `unreachable` (the service no longer serves it) or `tie`",
    },
    {
      name: "state",
      type: "text",
      required: true,
      comment: "`open` (asked again by the next run), `closed`, or `permanent`",
    },
    { name: "detail", type: "text", required: true, comment: "What happened, in a sentence" },
    {
      name: "run_id",
      type: "text",
      required: true,
      comment: "Run that recorded or settled it last",
    },
    {
      name: "updated_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When it was recorded or settled last",
    },
    ...vaultOfEntity,
    // Versions without the column recorded only what none of the APY series had.
    seriesOfEntity("null"),
  ],
  example: "select * from ops.gaps where state <> 'closed'",
}
