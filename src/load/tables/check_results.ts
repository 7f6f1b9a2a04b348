// ops.check_results: results of the data-quality checks.
import type { Table } from "../../domain/table.ts"

export const checkResults: Table = {
  schema: "ops",
  name: "check_results",
  mode: "replace",
  grain: "run and check",
  comment: "Results of the data-quality checks.",
  source: "the check command",
  key: ["run_id", "check_name"],
  columns: [
    { name: "run_id", type: "text", required: true, comment: "Run" },
    { name: "check_name", type: "text", required: true, comment: "Check (warehouse/checks)" },
    { name: "severity", type: "text", required: true, comment: "`warn` or `error`" },
    { name: "failures", type: "integer", required: true, comment: "Offending rows" },
    { name: "examples", type: "json", comment: "Up to five offending rows" },
    { name: "checked_at", type: "timestamp", unit: "UTC", required: true, comment: "When" },
  ],
  example: "select * from ops.check_results where failures > 0 order by checked_at desc",
}
