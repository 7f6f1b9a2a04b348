// ops.quarantine: responses and records that broke the contract.
import { text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const quarantine: Table = {
  schema: "ops",
  name: "quarantine",
  mode: "replace",
  grain: "pipeline, entity, window and place in the body",
  comment:
    "Responses, or single records of one, that broke the documented contract, the newest of each window; their bodies are in the archive.",
  source: "the pipelines",
  key: ["pipeline", "entity", "window", "json_path"],
  columns: [
    text("response_id", "Archived response (raw.responses)", { required: true }),
    text("endpoint", "Endpoint", { required: true }),
    text("pipeline", "Pipeline that read it", { required: true }),
    text("entity", "Vault, subaccount, \u2026 or `-`", { required: true }),
    text("window", "Part of the partition that was read", { required: true }),
    text("json_path", "Path of the violation in the body", { required: true }),
    text("detail", "What was expected and what was received", { required: true }),
    text(
      "proposal",
      "Lines for the setting `fields` of which one may declare the shape (`vaulthouse fields`); null if none can",
    ),
    text("run_id", "Run that last received it", { required: true }),
    timestamp("quarantined_at", "When it was last quarantined", { required: true }),
    timestamp(
      "closed_at",
      "When a replay loaded it, or a run found that its window or days had been read again without a rejection; null while open",
    ),
  ],
  example: "select endpoint, json_path, detail from ops.quarantine where closed_at is null",
}
