// ops.check_results: results of the data-quality checks.
import type { Table } from "../../domain/table.ts"

export const checkResults: Table = {
  schema: "ops",
  name: "check_results",
  mode: "replace",
  grain: "run and check",
  comment:
    "Results of the data-quality checks. A sync judges the rows it wrote, `vaulthouse check` all there are.",
  source: "the check command, and the end of a sync",
  key: ["run_id", "check_name"],
  columns: [
    {
      name: "run_id",
      type: "text",
      required: true,
      comment: "Run whose rows were judged (ops.runs), or `check-` and the start of a check of all",
    },
    {
      name: "check_name",
      type: "text",
      required: true,
      comment: "Check: a file of warehouse/checks, or a table and the rule that follows from it",
    },
    { name: "severity", type: "text", required: true, comment: "`warn` or `error`" },
    {
      name: "outcome",
      type: "text",
      required: true,
      comment: "`passed`, `failed`, or `not_applicable` where there are no rows to judge",
    },
    { name: "failures", type: "integer", required: true, comment: "Offending rows" },
    {
      name: "tolerance",
      type: "double",
      unit: "as the check's description says",
      comment: "What the check lets pass; null where it has none",
    },
    {
      name: "examples",
      type: "json",
      comment: "Up to five offending rows; null when there is none",
    },
    { name: "checked_at", type: "timestamp", unit: "UTC", required: true, comment: "When" },
  ],
  example:
    "select check_name, severity, failures, examples from ops.check_results where outcome = 'failed' order by checked_at desc",
}
