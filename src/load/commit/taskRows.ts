// The rows of a batch in ops.tasks and ops.cursors.
import { type Batch, recordedOutcome } from "../../domain/run/outcome.ts"
import { type Rows, tableName } from "../../domain/table/table.ts"
import { decodeRow, number, text } from "../duckdb/decodeRow.ts"
import type { Counts } from "./merge/merge.ts"
import { readRows } from "../duckdb/readRows.ts"
import { rowsOf } from "../../domain/table/rowsOf.ts"
import { isBegunHere } from "./runs.ts"
import type { Session } from "./session.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import { cursors } from "../tables/ops/cursors.ts"
import { tasks } from "../tables/ops/tasks.ts"

interface Recorded {
  readonly requests: number
  readonly inserted: number
  readonly revised: number
  readonly seconds: number
}

const nothing: Recorded = { requests: 0, inserted: 0, revised: 0, seconds: 0 }

const recorded = decodeRow({
  pipeline: text("pipeline"),
  entity: text("entity"),
  window: text("window"),
  requests: number("requests"),
  inserted: number("rows_inserted"),
  revised: number("rows_revised"),
  seconds: number("seconds"),
})

export interface TaskKey {
  readonly pipeline: string
  readonly entity: string
  readonly window: string
}

const keyOf = ({ pipeline, entity, window }: TaskKey): string =>
  JSON.stringify([pipeline, entity, window])

/** Records of earlier workers of this run for tasks that are read again, by task; the new record adds to them. */
export const recordedBefore = async (
  { connection, runId }: Session,
  batches: ReadonlyArray<Batch>,
): Promise<ReadonlyMap<string, Recorded>> => {
  const reclaimed = batches.flatMap(({ claim }) =>
    claim === undefined || claim.epoch === 1
      ? []
      : [{ pipeline: claim.pipeline, entity: claim.entity }],
  )
  if (reclaimed.length === 0) return new Map()
  const found = await readRows(connection, sqlFile("state", "recorded_before"), [
    runId,
    JSON.stringify(reclaimed),
  ])
  return new Map(found.map(recorded).map((each) => [keyOf(each), each]))
}

/** `Warehouse.mayBeRecorded`. */
export const mayBeRecorded = (session: Session, { pipeline, entity, window }: TaskKey): boolean =>
  !isBegunHere(session) ||
  !session.keys.areAll(tableName(tasks)) ||
  session.keys.hasWritten(tasks, [session.runId, pipeline, entity, window])

/** Where nobody else can have recorded a task of the batch in this run. */
const haveNewKeys = ({ claim }: Batch, session: Session): boolean =>
  claim === undefined ? isBegunHere(session) : claim.epoch === 1

export const taskRows = (
  batch: Batch,
  own: Counts,
  before: ReadonlyMap<string, Recorded>,
  session: Session,
  now: number,
): ReadonlyArray<Rows> => {
  const { task } = batch
  if (task === undefined) return []
  const earlier = before.get(keyOf(task)) ?? nothing
  const counts: Counts = {
    inserted: earlier.inserted + own.inserted,
    revised: earlier.revised + own.revised,
    unchanged: own.unchanged,
  }
  const record = {
    run_id: session.runId,
    pipeline: task.pipeline,
    entity: task.entity,
    window: task.window,
    outcome: recordedOutcome(task.outcome, counts),
    requests: earlier.requests + task.requests,
    rows_inserted: counts.inserted,
    rows_revised: counts.revised,
    rows_unchanged: counts.unchanged,
    seconds: earlier.seconds + task.seconds,
    error_tag: task.errorTag,
    error_text: task.errorText,
    finished_at: now,
    vault_address: task.vault?.address,
    chain_id: task.vault?.chainId,
    series: task.series,
    covers_from: task.covers?.from,
    covers_to: task.covers?.to,
  }
  const rows = rowsOf(tasks, [record])
  return [haveNewKeys(batch, session) ? { ...rows, haveNewKeys: true } : rows]
}

export const cursorRows = (batch: Batch, runId: string, now: number): ReadonlyArray<Rows> => {
  const { cursor } = batch
  if (cursor === undefined) return []
  const { pipeline, entity } = cursor
  const position = JSON.stringify(cursor.cursor)
  return [rowsOf(cursors, [{ pipeline, entity, cursor: position, run_id: runId, updated_at: now }])]
}
