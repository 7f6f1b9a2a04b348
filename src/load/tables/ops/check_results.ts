// ops.check_results: results of the data-quality checks.
import { double, integer, json, text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const checkResults: Table = {
  schema: "ops",
  name: "check_results",
  mode: "replace",
  grain: "run and check",
  comment:
    "Results of the data-quality checks. A sync checks the rows it wrote, `vaulthouse check` all rows.",
  source: "the check command, and the end of a sync",
  key: ["run_id", "check_name"],
  columns: [
    text(
      "run_id",
      "Run whose rows were checked (ops.runs), or `check-` and the start of a `vaulthouse check`",
      { required: true },
    ),
    text(
      "check_name",
      "Name of the check: a file of warehouse/checks, or a table and one of its rules",
      { required: true },
    ),
    text("severity", "`warn` or `error`", { required: true }),
    text(
      "outcome",
      "`passed`, `failed`, or `not_applicable` if there were no rows to check, or there is no such check any more",
      {
        required: true,
      },
    ),
    integer("failures", "Offending rows", { required: true }),
    double("tolerance", "Deviation that the check allows; null if it has no tolerance", {
      unit: "as the check's description says",
    }),
    json("examples", "Up to five offending rows; null if there are none"),
    timestamp("checked_at", "When the check ran", { required: true }),
  ],
  example:
    "select check_name, severity, failures, examples from ops.check_results where outcome = 'failed' order by checked_at desc",
}
