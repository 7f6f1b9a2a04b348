// ops.quarantine: responses that broke the contract and were set aside.
import type { Table } from "../../domain/table.ts"

export const quarantine: Table = {
  schema: "ops",
  name: "quarantine",
  mode: "replace",
  grain: "pipeline, entity and window",
  comment:
    "Questions whose answer broke the documented contract, each with the newest such answer; the bodies are in the archive.",
  source: "the pipelines",
  key: ["pipeline", "entity", "window"],
  columns: [
    {
      name: "response_id",
      type: "text",
      required: true,
      comment: "Archived response (raw.responses)",
    },
    { name: "endpoint", type: "text", required: true, comment: "Endpoint" },
    { name: "pipeline", type: "text", required: true, comment: "Pipeline that asked" },
    { name: "entity", type: "text", required: true, comment: "Vault, subaccount, \u2026 or `-`" },
    {
      name: "window",
      type: "text",
      required: true,
      comment: "Part of the entity that was asked for",
    },
    { name: "json_path", type: "text", required: true, comment: "Where in the body" },
    {
      name: "detail",
      type: "text",
      required: true,
      comment: "What was expected and what was there",
    },
    { name: "run_id", type: "text", required: true, comment: "Run that was answered so last" },
    {
      name: "quarantined_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When last",
    },
    {
      name: "closed_at",
      type: "timestamp",
      unit: "UTC",
      comment: "When a replay or a later answer settled it; null while open",
    },
  ],
  example: "select endpoint, json_path, detail from ops.quarantine where closed_at is null",
}
