// Commits a group of batches in one transaction: their rows, cursors, tasks and bookkeeping, all or nothing.
import type { Batch, Committed } from "../../domain/run/outcome.ts"
import { type Rows, type Table, versionsOf } from "../../domain/table/table.ts"
import { haveDistinctKeys } from "./merge/distinctKeys.ts"
import { isOfCatalog } from "../errors.ts"
import { insertNew } from "./merge/insertNew.ts"
import { type Counts, merge, type Merged } from "./merge/merge.ts"
import { readRows } from "../duckdb/readRows.ts"
import { extentOf } from "./merge/seriesExtent.ts"
import { Changes, type Session } from "./session.ts"
import { mustBeInProgress } from "./runs.ts"
import { transactionIn, type Turn } from "../duckdb/transaction.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import { type PageRows, stage } from "./merge/stage.ts"
import { responses } from "../tables/raw/responses.ts"
import { mustBelongTogether } from "./belongTogether.ts"
import { cursorRows, recordedBefore, taskRows } from "./taskRows.ts"

const nothing: Counts = { inserted: 0, revised: 0, unchanged: 0 }

/** An empty set has an effect: its stored members are retired. */
const hasNoEffect = ({ length, mergeKey, emptySets = [] }: Rows): boolean =>
  length === 0 && mergeKey === undefined && emptySets.length === 0

/** Stages and merges `pages`, adding to `counts` what each batch changed. */
const loadRows = async (
  session: Session,
  pages: ReadonlyArray<PageRows>,
  changes: Changes,
  counts: ReadonlyArray<Counts>,
): Promise<void> => {
  await session.findEmptyTables()
  const filled = pages.filter(({ rows }) => !hasNoEffect(rows))
  for (const [table, ofTable] of Map.groupBy(filled, ({ rows }) => rows.table)) {
    const extents = ofTable.map(({ rows }) => extentOf(rows))
    const batches = ofTable.map(({ batch }) => batch)
    const newIndexes = session.ranges.newPages(table, extents, batches)
    const isNew = ofTable.map(({ rows }, at) => newIndexes.has(at) && haveDistinctKeys([rows]))
    const newPages = ofTable.filter((_, at) => isNew[at] === true)
    const otherPages = ofTable.filter((_, at) => isNew[at] !== true)
    if (newPages.length > 0) {
      const inserted = await insertNew(session, newPages, await session.storedColumns(table))
      count(table, inserted, changes, counts)
    }
    if (otherPages.length > 0) {
      const staged = await stage(session.connection, table, otherPages)
      count(table, await merge(session, staged), changes, counts)
    }
    changes.keepExtents(table, extents)
  }
}

/** Adds what a merge changed to the counts of each batch and to `changes`. */
const count = (
  table: Table,
  merged: Merged,
  changes: Changes,
  counts: ReadonlyArray<Counts>,
): void => {
  changes.add(table, merged.months)
  for (const [batch, changed] of merged.counts) {
    if (table.mode === "history" && changed.revised > 0) {
      changes.add(versionsOf(table), merged.months)
    }
    const sum = counts[batch]
    if (sum === undefined) continue
    sum.inserted += changed.inserted
    sum.revised += changed.revised
    sum.unchanged += changed.unchanged
    changes.countRows(table, changed)
  }
}

export interface CommittedGroup {
  /** What each batch changed, in order. */
  readonly batches: ReadonlyArray<Committed>
  /** What all of them changed, by table. */
  readonly tables: ReadonlyMap<string, Pick<Committed, "inserted" | "revised">>
}

/** What the first attempt leaves for a second. */
interface Attempt {
  batches?: ReadonlyArray<Batch>
  written?: Written
  /** As the first attempt found it: it may have been committed, and be found by the second. */
  recorded?: Awaited<ReturnType<typeof recordedBefore>>
}

/** Commits the batches that `take` returns once the turn has begun. On a failure nothing of the group is kept. */
export const commitGroup = async (
  session: Session,
  take: () => ReadonlyArray<Batch>,
): Promise<CommittedGroup> => {
  const attempt: Attempt = {}
  const commit = async (turn: Turn): Promise<CommittedGroup> => {
    const batches = (attempt.batches ??= take())
    await turn.hold(batches.flatMap(({ claim }) => (claim === undefined ? [] : [claim])))
    await mustBeInProgress(session, turn)
    const { changes, group } = await transactionIn(turn, session, async () => {
      const written = (attempt.written = await write(session, batches, attempt))
      await turn.note(written.changes.note)
      return written
    })
    changes.afterCommit()
    return group
  }
  try {
    return await session.exclusively(commit)
  } catch (cause) {
    const { batches, written } = attempt
    if (batches === undefined || !isOfCatalog(cause)) throw cause
    // The connection may have been lost between COMMIT and its acknowledgement: a second commit would count everything again.
    return session.exclusively(async (turn) =>
      written !== undefined && (await isCommitted(session, batches)) ? written.group : commit(turn),
    )
  }
}

/**
 * Whether the transaction that wrote the batches was committed. One response in the archive's index shows it for all: no other
 * transaction writes that, while a task's record may be another worker's by now. Batches without responses have no rows
 * of a run, and their records replace those of a first commit, so that it does no harm to commit them again.
 */
const isCommitted = async (
  { connection }: Session,
  batches: ReadonlyArray<Batch>,
): Promise<boolean> => {
  const id = batches
    .flatMap(({ bookkeeping }) => bookkeeping)
    .find(({ table, length }) => table === responses && length > 0)?.columns[idAt]?.[0]
  return (
    id !== undefined &&
    (await readRows(connection, sqlFile("state", "is_indexed"), [String(id)])).length > 0
  )
}

const idAt = responses.columns.findIndex(({ name }) => name === "response_id")

/** What a transaction has written when it is about to be committed. */
interface Written {
  readonly group: CommittedGroup
  readonly changes: Changes
}

const write = async (
  session: Session,
  batches: ReadonlyArray<Batch>,
  attempt: Attempt,
): Promise<Written> => {
  for (const batch of batches) mustBelongTogether(batch, session.runId)
  const changes = new Changes(session)
  const counts = batches.map((): Counts => ({ ...nothing }))
  const pages = batches.flatMap((batch, at) =>
    batch.rows.map((rows) => ({ batch: at, rows, runId: batch.runId ?? session.runId })),
  )
  await loadRows(session, pages, changes, counts)
  const before = (attempt.recorded ??= await recordedBefore(session, batches))
  const entries = batches.flatMap((batch, at) => {
    // Each later than the one before, so that the last task of a partition can be found.
    const now = session.tick()
    return [
      ...batch.bookkeeping,
      ...taskRows(batch, counts[at] ?? nothing, before, session, now),
      ...cursorRows(batch, session.runId, now),
    ]
  })
  await changes.write(entries)
  return { group: { batches: counts, tables: changes.rows }, changes }
}
