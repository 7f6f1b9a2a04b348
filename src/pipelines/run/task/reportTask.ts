// What is reported of a task once it is committed.
import { type Committed, recordedOutcome } from "../../../domain/run/outcome.ts"
import type { OnProgress } from "../../model/progress.ts"
import type { TaskResult } from "../../model/TaskResult.ts"
import type { Resolved } from "./outcome.ts"

export const reportTask = (
  onProgress: OnProgress,
  { pipeline, entity }: { readonly pipeline: string; readonly entity: string },
  { rows, requests, error }: TaskResult,
  { outcome, text }: Resolved,
  committed: Committed,
): void => {
  const length = rows.reduce((sum, each) => sum + each.length, 0)
  onProgress({ kind: "page", pipeline, entity, rows: length, requests })
  const isWarning = error === undefined || outcome === "suspicious_empty"
  if (text !== undefined && isWarning && outcome !== "skipped") {
    onProgress({ kind: "warning", pipeline, text: `${entity}: ${text}` })
  }
  onProgress({
    kind: "task",
    pipeline,
    entity,
    outcome: recordedOutcome(outcome, committed),
    ...(text === undefined ? {} : { text }),
  })
}
