// The records a task leaves next to its rows: the archive's index and commit marker, gaps, quarantine and drift.
import type { CommitMarker } from "../../../archive/lines.ts"
import type { Outcome } from "../../../domain/run/outcome.ts"
import type { ArchivedResponse } from "../../../domain/wire/response.ts"
import type { Rows } from "../../../domain/table/table.ts"
import type { TaskVault } from "../../../domain/subject/vault.ts"
import { rowsOf } from "../../../domain/table/rowsOf.ts"
import { operationTable } from "../../../load/tables/index.ts"
import type { Rejected, TaskResult } from "../../model/TaskResult.ts"

export interface RecordedTask {
  readonly runId: string
  readonly pipeline: string
  readonly entity: string
  readonly endpoint: string
  readonly vault?: TaskVault | undefined
  readonly outcome: Outcome
  /** Microseconds since 1970 UTC. */
  readonly now: number
}

/** `drift` has only what no earlier task has recorded. */
export const bookkeepingRows = (result: TaskResult, task: RecordedTask): ReadonlyArray<Rows> => {
  // After what is stored, as its responses are, even if the clock was set back.
  const now = result.responses.reduce((at, { receivedAt }) => Math.max(at, receivedAt), task.now)
  return [responseRows, gapRows, quarantineRows, driftRows]
    .map((rows) => rows(result, { ...task, now }))
    .filter(({ length }) => length > 0)
}

/** Responses from which rows, or the end of a set, were read. */
const landedIn = ({ rows }: TaskResult): ReadonlySet<string | undefined> =>
  new Set(rows.map(({ lineage }) => lineage?.responseId))

/** What the archive records about the task's responses. */
export const commitMarkerOf = (
  result: TaskResult,
  { runId, pipeline, entity, outcome }: RecordedTask,
): CommitMarker => {
  const landed = landedIn(result)
  const ids = result.responses.map(({ responseId }) => responseId)
  return {
    runId,
    pipeline,
    entity,
    window: result.window,
    outcome,
    landed: ids.filter((id) => landed.has(id)),
    notLanded: ids.filter((id) => !landed.has(id)),
  }
}

const responseRows = (result: TaskResult, task: RecordedTask): Rows => {
  const landed = landedIn(result)
  const window = { ...task, window: result.window }
  const rows = rowsOf(
    operationTable.responses,
    result.responses.map((response) =>
      indexRow(response, task.runId, window, landed.has(response.responseId)),
    ),
  )
  // Their ids were made when they were received.
  return { ...rows, haveNewKeys: true }
}

/** A row of the archive's index; `task` is absent for a request outside of tasks. */
export const indexRow = (
  response: ArchivedResponse,
  runId: string,
  task: Pick<CommitMarker, "pipeline" | "entity" | "window" | "outcome"> | undefined,
  isLanded: boolean,
) => ({
  response_id: response.responseId,
  run_id: runId,
  pipeline: task?.pipeline,
  entity: task?.entity,
  window: task?.window,
  is_landed: isLanded,
  is_suspicious: isLanded ? task?.outcome === "suspicious_empty" : null,
  endpoint: response.endpoint,
  method: response.method,
  url: response.url,
  request_body: response.requestBody,
  inputs: response.inputs,
  subject: response.subject,
  status: response.status,
  received_at: response.receivedAt,
  bytes: response.bytes,
  body_sha256: response.sha256,
  archive_file: response.file,
  archive_offset: response.offset,
  archive_length: response.length,
})

const gapRows = (
  { series, gaps: notes = [] }: TaskResult,
  { runId, pipeline, entity, vault, now }: RecordedTask,
): Rows =>
  rowsOf(
    operationTable.gaps,
    notes.map((gap) => ({
      pipeline,
      entity: gap.entity ?? entity,
      from_at: gap.fromAt,
      to_at: gap.toAt,
      reason: gap.reason,
      state: gap.state,
      detail: gap.detail,
      run_id: runId,
      updated_at: now,
      vault_address: vault?.address ?? null,
      chain_id: vault?.chainId ?? null,
      series: series ?? null,
    })),
  )

/** A response that breaks the contract as a whole, and single records that do. */
const quarantineRows = ({ window, error, rejected = [] }: TaskResult, task: RecordedTask): Rows => {
  const response = error?.responses.at(-1)
  const whole =
    error?.reason._tag === "ContractViolation" && response !== undefined
      ? [{ ...error.reason, responseId: response.responseId, detail: error.detail }]
      : []
  return rowsOf(
    operationTable.quarantine,
    [...whole, ...rejected].map((each) => quarantineRow({ ...task, window }, each, task.now)),
  )
}

export const quarantineRow = (
  task: Pick<CommitMarker, "runId" | "pipeline" | "entity" | "window"> & {
    readonly endpoint: string
  },
  { responseId, path, detail, proposal }: Rejected,
  at: number,
  closedAt: number | null = null,
) => ({
  response_id: responseId,
  endpoint: task.endpoint,
  pipeline: task.pipeline,
  entity: task.entity,
  window: task.window,
  json_path: path,
  detail,
  proposal: proposal ?? null,
  run_id: task.runId,
  quarantined_at: at,
  closed_at: closedAt,
})

const driftRows = ({ drift = [] }: TaskResult, { endpoint, runId, now }: RecordedTask): Rows =>
  rowsOf(
    operationTable.schemaDrift,
    drift.map(({ path, kind, detail }) => ({
      endpoint,
      json_path: path,
      kind,
      detail,
      run_id: runId,
      first_seen_at: now,
    })),
  )
