// Commits a group of batches in one transaction: their rows, cursors, tasks and bookkeeping, all or nothing.
import type { Batch, Committed } from "../domain/outcome.ts"
import { type Rows, type Table, tableName, versionsOf } from "../domain/table.ts"
import { haveDistinctKeys } from "./distinctKeys.ts"
import { insertNew } from "./insertNew.ts"
import { type Counts, merge, type Merged } from "./merge.ts"
import { extentOf } from "./seriesExtent.ts"
import { Changes, type Session, transactionIn } from "./session.ts"
import { type Page, stage } from "./stage.ts"
import type { Turn } from "./storage/Storage.ts"
import { cursorRows, recordedBefore, taskRows } from "./taskRows.ts"

const nothing: Counts = { inserted: 0, revised: 0, unchanged: 0 }

/** An empty set is not nothing: what is stored of it is retired. */
const holdsNothing = ({ length, mergeKey, emptySets = [] }: Rows): boolean =>
  length === 0 && mergeKey === undefined && emptySets.length === 0

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
  await session.ranges.look(session.emptyTables)
  for (const [table, ofTable] of pagesByTable(pages).values()) {
    const extents = ofTable.map(({ rows }) => extentOf(rows))
    const fresh = session.ranges.fresh(table, extents)
    const isNew = ({ rows }: Page, at: number) => fresh.has(at) && haveDistinctKeys([rows])
    const [news = [], others = []] = [true, false].map((wanted) =>
      ofTable.filter((page, at) => isNew(page, at) === wanted),
    )
    if (news.length > 0)
      count(
        table,
        await insertNew(session, news, await session.storedColumns(table)),
        changes,
        counts,
      )
    if (others.length > 0) {
      const staged = await stage(session.connection, table, others)
      count(table, await merge(session, staged), changes, counts)
    }
    changes.keepExtents(table, extents)
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
    changes.countRows(table, of)
  }
}

/** Bookkeeping may be of a table with history too (a journal): it is then merged like any rows. */
const isBookkeeping = ({ table }: Rows): boolean =>
  table.mode === "replace" || table.mode === "first"

export interface CommittedGroup {
  /** What each batch changed, in order. */
  readonly batches: ReadonlyArray<Committed>
  /** What all of them changed, by table. */
  readonly tables: ReadonlyMap<string, Pick<Committed, "inserted" | "revised">>
}

/** Commits the batches that `take` returns once the turn has begun. On a failure nothing of the group is kept. */
export const commitGroup = (
  session: Session,
  take: () => ReadonlyArray<Batch>,
): Promise<CommittedGroup> => session.exclusively((turn) => commitInTurn(turn, session, take()))

const commitInTurn = async (
  turn: Turn,
  session: Session,
  batches: ReadonlyArray<Batch>,
): Promise<CommittedGroup> => {
  const changes = new Changes(session)
  const counts = batches.map((): Counts => ({ ...nothing }))
  const pages = (rowsOfBatch: (batch: Batch) => ReadonlyArray<Rows>) =>
    batches.flatMap((batch, at) =>
      rowsOfBatch(batch).map((rows) => ({ batch: at, rows, runId: batch.runId ?? session.runId })),
    )
  const write = async () => {
    await loadRows(
      session,
      pages(({ rows }) => rows),
      changes,
      counts,
    )
    const merged = pages(({ bookkeeping }) => bookkeeping.filter((rows) => !isBookkeeping(rows)))
    await loadRows(session, merged, changes, [])
    const before = await recordedBefore(session, batches)
    const now = session.tick()
    const entries = batches.flatMap((batch, at) => [
      ...batch.bookkeeping.filter(isBookkeeping),
      ...taskRows(batch, counts[at] ?? nothing, before, session.runId, now),
      ...cursorRows(batch, session.runId, now),
    ])
    await changes.write(entries)
  }
  await turn.hold(batches.flatMap(({ claim }) => (claim === undefined ? [] : [claim])))
  await transactionIn(turn, session, write)
  changes.afterCommit()
  return { batches: counts, tables: changes.rows }
}
