// Commits a group of batches in one transaction: their rows, cursors, tasks and bookkeeping, all or nothing.
import type { Batch, Committed, RecordedOutcome, TaskRecord } from "../domain/outcome.ts"
import { type Rows, type Table, tableName, type Value, versionsOf } from "../domain/table.ts"
import { type Counts, insertNew, merge, type MergeContext, type Merged } from "./merge.ts"
import { type Page, stage } from "./stage.ts"
import { type Extent, extentOf, type StoredRanges } from "./storedRanges.ts"
import { cursors } from "./tables/cursors.ts"
import { partitionChanges } from "./tables/partition_changes.ts"
import { tasks } from "./tables/tasks.ts"
import { upkeep } from "./upkeep.ts"

export interface Session extends MergeContext {
  /** `schema.table/month` already marked as changed by this process since the last export. */
  readonly marked: Set<string>
  readonly ranges: StoredRanges
}

/** Rows of `table` from records that hold a value (or nothing, for null) for each column. */
export const rowsOf = (
  table: Table,
  records: ReadonlyArray<Readonly<Record<string, Value | undefined>>>,
): Rows => ({
  table,
  columns: table.columns.map(({ name }) => records.map((record) => record[name] ?? null)),
  length: records.length,
  origin: null,
})

const nothing: Counts = { inserted: 0, revised: 0, unchanged: 0 }

const settled = (task: TaskRecord, counts: Counts): RecordedOutcome => {
  if (task.outcome !== "landed") return task.outcome
  return counts.inserted + counts.revised > 0 ? "loaded" : "unchanged"
}

const taskRows = (
  { task }: Batch,
  counts: Counts,
  runId: string,
  now: number,
): ReadonlyArray<Rows> => {
  if (task === undefined) return []
  const record = {
    run_id: runId,
    pipeline: task.pipeline,
    entity: task.entity,
    window: task.window,
    outcome: settled(task, counts),
    requests: task.requests,
    rows_inserted: counts.inserted,
    rows_revised: counts.revised,
    rows_unchanged: counts.unchanged,
    seconds: task.seconds,
    error_tag: task.errorTag,
    error_text: task.errorText,
    finished_at: now,
    vault_address: task.vault?.address,
    chain_id: task.vault?.chainId,
    series: task.series,
    covers_from: task.covers?.from,
    covers_to: task.covers?.to,
  }
  return [rowsOf(tasks, [record])]
}

const cursorRows = (batch: Batch, runId: string, now: number): ReadonlyArray<Rows> => {
  const { cursor } = batch
  if (cursor === undefined) return []
  const { pipeline, entity } = cursor
  const position = JSON.stringify(cursor.cursor)
  return [rowsOf(cursors, [{ pipeline, entity, cursor: position, run_id: runId, updated_at: now }])]
}

/** Runs `work` in a transaction: any failure rolls back, since COMMIT after one silently keeps nothing. */
export const transaction = async <A>(session: Session, work: () => Promise<A>): Promise<A> => {
  const { connection } = session
  await connection.run("BEGIN")
  try {
    const result = await work()
    await connection.run("COMMIT")
    return result
  } catch (cause) {
    // DuckDB may have ended the transaction itself; the first failure is the one to report.
    await connection.run("ROLLBACK").catch(() => undefined)
    throw cause
  }
}

/** Collects what changed, to be marked once in the same transaction. */
export class Changes {
  readonly #session: Session
  readonly #fresh = new Map<string, readonly [Table, string]>()
  readonly #stored: Array<readonly [Table, ReadonlyArray<Extent | undefined>]> = []

  constructor(session: Session) {
    this.#session = session
  }

  add(table: Table, months: Iterable<string>): void {
    for (const month of months) {
      const mark = `${tableName(table)}/${month}`
      if (!this.#session.marked.has(mark)) this.#fresh.set(mark, [table, month])
    }
  }

  /** Inside the transaction. */
  async write(): Promise<void> {
    if (this.#fresh.size === 0) return
    const changed_at = this.#session.tick()
    const records = [...this.#fresh.values()].map(([table, month]) => ({
      table_schema: table.schema,
      table_name: table.name,
      month,
      run_id: this.#session.runId,
      changed_at,
    }))
    await upkeep(this.#session, [rowsOf(partitionChanges, records)])
  }

  /** What the transaction stores: known once it is committed. */
  stored(table: Table, extents: ReadonlyArray<Extent | undefined>): void {
    this.#stored.push([table, extents])
  }

  /** Once the transaction is committed. */
  settle(): void {
    for (const [table, extents] of this.#stored) this.#session.ranges.remember(table, extents)
    for (const mark of this.#fresh.keys()) this.#session.marked.add(mark)
  }
}

/** Of a set it is something to say that it has no member. */
const holdsNothing = ({ length, scope, emptySets = [] }: Rows): boolean =>
  length === 0 && scope === undefined && emptySets.length === 0

const pagesByTable = (
  pages: ReadonlyArray<Page>,
): ReadonlyMap<string, readonly [Table, Array<Page>]> => {
  const byTable = new Map<string, readonly [Table, Array<Page>]>()
  for (const page of pages) {
    if (holdsNothing(page.rows)) continue
    const name = tableName(page.rows.table)
    const found = byTable.get(name)
    if (found === undefined) byTable.set(name, [page.rows.table, [page]])
    else found[1].push(page)
  }
  return byTable
}

/** Stages and merges `pages`, adding to `counts` what each batch changed. */
const loadRows = async (
  session: Session,
  pages: ReadonlyArray<Page>,
  changes: Changes,
  counts: ReadonlyArray<Counts>,
): Promise<void> => {
  for (const [table, ofTable] of pagesByTable(pages).values()) {
    const extents = ofTable.map(({ rows }) => extentOf(rows))
    const fresh = session.ranges.fresh(table, extents)
    const parts = [
      ofTable.filter((_, at) => fresh.has(at)),
      ofTable.filter((_, at) => !fresh.has(at)),
    ]
    for (const [at, part] of parts.entries()) {
      if (part.length === 0) continue
      const staged = await stage(session.connection, table, part, at === 0)
      const isNew = staged.isFresh && staged.distinct
      const merged = await (isNew ? insertNew(session, staged) : merge(session, staged))
      count(table, merged, changes, counts)
    }
    changes.stored(table, extents)
  }
}

const count = (
  table: Table,
  merged: Merged,
  changes: Changes,
  counts: ReadonlyArray<Counts>,
): void => {
  changes.add(table, merged.months)
  for (const [batch, of] of merged.counts) {
    if (table.mode === "history" && of.revised > 0) changes.add(versionsOf(table), merged.months)
    const sum = counts[batch]
    if (sum === undefined) continue
    sum.inserted += of.inserted
    sum.revised += of.revised
    sum.unchanged += of.unchanged
  }
}

/** Bookkeeping may be of a table with history too (a journal): it is then merged like any rows. */
const isUpkeep = ({ table }: Rows): boolean => table.mode === "replace" || table.mode === "first"

/** Writes rows of vaulthouse's own tables. */
export const loadUpkeep = async (
  session: Session,
  rows: ReadonlyArray<Rows>,
  changes: Changes,
): Promise<void> => {
  for (const [table, months] of await upkeep(session, rows)) changes.add(table, months)
}

/** What each batch changed, in order. On a failure nothing of the group is kept. */
export const commitGroup = async (
  session: Session,
  batches: ReadonlyArray<Batch>,
): Promise<ReadonlyArray<Committed>> => {
  const changes = new Changes(session)
  const counts = batches.map((): Counts => ({ ...nothing }))
  const pages = (rowsOfBatch: (batch: Batch) => ReadonlyArray<Rows>) =>
    batches.flatMap((batch, at) =>
      rowsOfBatch(batch).map((rows) => ({ batch: at, rows, runId: batch.runId ?? session.runId })),
    )
  await transaction(session, async () => {
    await loadRows(
      session,
      pages(({ rows }) => rows),
      changes,
      counts,
    )
    const merged = pages(({ bookkeeping }) => bookkeeping.filter((rows) => !isUpkeep(rows)))
    await loadRows(session, merged, changes, [])
    const now = session.tick()
    const upkept = batches.flatMap((batch, at) => [
      ...batch.bookkeeping.filter(isUpkeep),
      ...taskRows(batch, counts[at] ?? nothing, session.runId, now),
      ...cursorRows(batch, session.runId, now),
    ])
    await loadUpkeep(session, upkept, changes)
    await changes.write()
  })
  changes.settle()
  return counts
}
