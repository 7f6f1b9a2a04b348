// The records a task leaves next to its rows: the archive's index and commit marker, gaps, quarantine and drift.
import type { CommitMarker } from "../../archive/lines.ts"
import type { Outcome } from "../../domain/outcome.ts"
import type { Rows } from "../../domain/table.ts"
import type { TaskVault } from "../../domain/vault.ts"
import { gaps } from "../../load/tables/gaps.ts"
import { quarantine } from "../../load/tables/quarantine.ts"
import { responses } from "../../load/tables/responses.ts"
import { schemaDrift } from "../../load/tables/schema_drift.ts"
import { mapObjects } from "../../transform/mapObjects.ts"
import type { TaskResult } from "../model/TaskResult.ts"

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
export const bookkeepingRows = (result: TaskResult, task: RecordedTask): ReadonlyArray<Rows> =>
  [
    responseRows(result, task),
    gapRows(result, task),
    quarantineRows(result, task),
    driftRows(result, task),
  ].filter(({ length }) => length > 0)

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
  const rows = mapObjects(
    responses,
    result.responses.map((response) => ({
      response_id: response.responseId,
      run_id: task.runId,
      pipeline: task.pipeline,
      entity: task.entity,
      window: result.window,
      is_landed: landed.has(response.responseId),
      is_suspicious: landed.has(response.responseId) ? task.outcome === "suspicious_empty" : null,
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
    })),
  )
  // Their ids were made when they were received.
  return { ...rows, haveNewKeys: true }
}

const gapRows = (
  { series, gaps: notes = [] }: TaskResult,
  { runId, pipeline, entity, vault, now }: RecordedTask,
): Rows =>
  mapObjects(
    gaps,
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
const quarantineRows = (
  { window, error, rejected = [] }: TaskResult,
  { runId, pipeline, entity, endpoint, now }: RecordedTask,
): Rows => {
  const response = error?.responses.at(-1)
  const whole =
    error?.reason._tag === "ContractViolation" && response !== undefined
      ? [{ responseId: response.responseId, path: error.reason.path, detail: error.detail }]
      : []
  return mapObjects(
    quarantine,
    [...whole, ...rejected].map(({ responseId, path, detail }) => ({
      response_id: responseId,
      endpoint,
      pipeline,
      entity,
      window,
      json_path: path,
      detail,
      run_id: runId,
      quarantined_at: now,
      closed_at: null,
    })),
  )
}

const driftRows = ({ drift = [] }: TaskResult, { endpoint, runId, now }: RecordedTask): Rows =>
  mapObjects(
    schemaDrift,
    drift.map(({ path, kind, detail }) => ({
      endpoint,
      json_path: path,
      kind,
      detail,
      run_id: runId,
      first_seen_at: now,
    })),
  )
