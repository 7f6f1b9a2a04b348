// The records a step leaves beside its rows: the archive's index, gaps, quarantine and drift.
import type { Closing } from "../../domain/closing.ts"
import type { Rows } from "../../domain/table.ts"
import type { AskedVault } from "../../domain/vault.ts"
import type { Drift } from "../../domain/violation.ts"
import { gaps } from "../../load/tables/gaps.ts"
import { quarantine } from "../../load/tables/quarantine.ts"
import { responses } from "../../load/tables/responses.ts"
import { schemaDrift } from "../../load/tables/schema_drift.ts"
import { mapObjects } from "../../transform/mapObjects.ts"
import type { Step } from "../Pipeline.ts"

export interface StepOrigin {
  readonly runId: string
  readonly pipeline: string
  readonly entity: string
  readonly vault?: AskedVault | undefined
  /** Microseconds since 1970 UTC. */
  readonly now: number
}

/** `drift` are the notes of the step that no earlier step of the run has made. */
export const bookkeepingRows = (
  step: Step,
  origin: StepOrigin,
  drift: ReadonlyArray<Drift>,
): ReadonlyArray<Rows> =>
  [
    responseRows(step, origin),
    gapRows(step, origin),
    quarantineRows(step, origin),
    driftRows(step, origin, drift),
  ].filter(({ length }) => length > 0)

/** Responses that rows, or the end of a set, were read from. */
const landedIn = ({ rows }: Step): ReadonlySet<string | undefined> =>
  new Set(rows.map(({ origin }) => origin?.responseId))

/** What the archive says of the step's responses. */
export const closingOf = (
  step: Step,
  question: Pick<Closing, "runId" | "pipeline" | "entity" | "window">,
): Closing => {
  const landed = landedIn(step)
  const ids = step.responses.map(({ responseId }) => responseId)
  return {
    ...question,
    outcome: step.outcome,
    landed: ids.filter((id) => landed.has(id)),
    notLanded: ids.filter((id) => !landed.has(id)),
  }
}

const responseRows = (step: Step, { runId, pipeline, entity }: StepOrigin): Rows => {
  const landed = landedIn(step)
  return mapObjects(
    responses,
    step.responses.map((response) => ({
      response_id: response.responseId,
      run_id: runId,
      pipeline,
      entity,
      window: step.window,
      is_landed: landed.has(response.responseId),
      is_doubted: landed.has(response.responseId) ? step.outcome === "suspicious_empty" : null,
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
}

const gapRows = (step: Step, { runId, pipeline, entity, vault, now }: StepOrigin): Rows =>
  mapObjects(
    gaps,
    (step.gaps ?? []).map((gap) => ({
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
      series: step.series ?? null,
    })),
  )

const quarantineRows = (step: Step, { runId, pipeline, entity, now }: StepOrigin): Rows => {
  const reason = step.error?.reason
  const broken = step.error?.responses.at(-1)
  if (reason?._tag !== "ContractViolation" || broken === undefined)
    return mapObjects(quarantine, [])
  return mapObjects(quarantine, [
    {
      response_id: broken.responseId,
      endpoint: broken.endpoint,
      pipeline,
      entity,
      window: step.window,
      json_path: reason.path,
      detail: step.error?.detail ?? "",
      run_id: runId,
      quarantined_at: now,
      closed_at: null,
    },
  ])
}

const driftRows = (step: Step, { runId, now }: StepOrigin, drift: ReadonlyArray<Drift>): Rows =>
  mapObjects(
    schemaDrift,
    drift.map(({ path, kind, detail }) => ({
      endpoint: step.endpoint,
      json_path: path,
      kind,
      detail,
      run_id: runId,
      first_seen_at: now,
    })),
  )
