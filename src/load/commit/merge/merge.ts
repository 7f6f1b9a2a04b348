// Merges staged rows into their table: the database decides what is new, revised or unchanged, and the mode of the
// table what becomes of it: all of these keep their past (bookkeeping.ts writes the others). Runs inside the writer's
// transaction.
import type { DuckDBConnection } from "@duckdb/node-api"
import { invariant } from "../../../domain/invariant.ts"
import { allColumns, type Table, tableName, versionsOf } from "../../../domain/table/table.ts"
import {
  ABSENT,
  COMPARED,
  comparison,
  excludeRetired,
  NEW,
  type Step,
  REVISED,
  UNCHANGED,
} from "./compareWithStored.ts"
import { monthName, monthOf } from "../../tables/months.ts"
import { sameKey, withinBounds } from "./matching.ts"
import { haveRepeatedMergeKeys, retireAbsent } from "./retire.ts"
import { STAGED, type Staged } from "./stage.ts"
import { identifier, identifiers, instant, qualified } from "../../sql/sql.ts"

export interface MergeContext {
  readonly connection: DuckDBConnection
  readonly runId: string
  /** Microseconds since 1970, later than any value before, those of earlier runs included. */
  readonly tick: () => number
}

export interface Counts {
  inserted: number
  revised: number
  unchanged: number
}

export interface Merged {
  /** By the batch's index in its group. */
  readonly counts: ReadonlyMap<number, Counts>
  /** Months of event time (`-` for a table without) whose stored rows changed. */
  readonly months: ReadonlySet<string>
}

/** Inserts `source`'s rows as `m`: the table's own columns and what the mode adds. */
const insertion = (table: Table, source: string, now: string): string => {
  const filled: Readonly<Record<string, string>> = {
    _run_id: "m._run_id",
    _response_id: "m._response_id",
    _first_seen_at: `coalesce(m._first_seen_at, m._observed_at, ${now})`,
    _updated_at: `coalesce(m._observed_at, ${now})`,
    valid_from: `coalesce(m._observed_at, ${now})`,
    valid_to: "NULL",
    is_current: "true",
  }
  const names = allColumns(table).map(({ name }) => name)
  const own = new Set(table.columns.map(({ name }) => name))
  const values = names.map((name) =>
    own.has(name) ? `m.${identifier(name)}` : (filled[name] ?? "NULL"),
  )
  return `INSERT INTO ${qualified(table)} (${identifiers(names)})
    SELECT ${values.join(", ")} FROM ${source} m`
}

/**
 * Statements that move revised rows out of the way of those that replace them, and end rows that their set lacks. Each
 * changes as many rows as are revised or absent.
 */
const supersede = (staged: Staged, now: string): ReadonlyArray<string> => {
  const { table } = staged
  const target = qualified(table)
  if (table.mode === "slowly_changing") {
    return [
      `UPDATE ${target} t SET valid_to = coalesce(m._observed_at, ${now}), is_current = false
       FROM ${COMPARED} m
       WHERE ${sameKey(table, "t", "m")} AND m._change IN (${REVISED}, ${ABSENT}) AND t.is_current`,
    ]
  }
  const revisedRows = `${sameKey(table, "t", "m")} AND m._change = ${REVISED}`
  const within = withinBounds(staged)
  const names = allColumns(table).map(({ name }) => name)
  return [
    `INSERT INTO ${qualified(versionsOf(table))} (${identifiers(names)}, _superseded_at, _superseded_by_run_id)
     SELECT ${identifiers(names, "t")}, coalesce(m._observed_at, ${now}), m._run_id
     FROM ${target} t JOIN ${COMPARED} m ON ${revisedRows} WHERE ${within}`,
    `DELETE FROM ${target} t USING ${COMPARED} m WHERE ${revisedRows} AND ${within}`,
  ]
}

/** Number of rows in `COMPARED` with the same batch, change, month of event time, and month of the stored row. */
type Group = readonly [
  batch: number,
  change: number,
  month: string,
  storedMonth: string,
  rows: number,
]

const groupsAfter = async (
  { connection }: MergeContext,
  table: Table,
  comparing: string,
): Promise<ReadonlyArray<Group>> => {
  const found = await connection.runAndReadAll(`${comparing};
    SELECT _batch, _change, ${monthName("month")}, ${monthName("_stored_month")}, rows
    FROM (SELECT _batch, _change, ${monthOf(table, "m")} AS month, _stored_month,
      count(*)::DOUBLE AS rows FROM ${COMPARED} m GROUP BY ALL)`)
  return found.getRows() as unknown as ReadonlyArray<Group>
}

/** Runs a statement that has to change this many rows: fewer would be lost, more would be doubled. */
const changeRows = async (
  connection: DuckDBConnection,
  table: Table,
  statement: string,
  rows: number,
): Promise<void> => {
  const { rowsChanged } = await connection.run(statement)
  invariant(rowsChanged === rows, "a merge changes the rows that it found new, revised or absent", {
    table: tableName(table),
    statement: statement.trimStart().slice(0, 6),
    found: rows,
    changed: rowsChanged,
  })
}

const mergeOnce = async (
  context: MergeContext,
  staged: Staged,
  step: Step | undefined,
  into: { counts: Map<number, Counts>; months: Set<string> },
): Promise<"done" | "repeated keys"> => {
  const { connection } = context
  const { table } = staged
  const now = instant(context.tick())
  let groups = await groupsAfter(context, table, comparison(staged, step, now))
  const total = groups.reduce(
    (sum, [, change, , , rows]) => sum + (change === ABSENT ? 0 : rows),
    0,
  )
  const most =
    step !== undefined && "batch" in step ? (staged.rowsOfBatch.get(step.batch) ?? 0) : staged.rows
  const isComplete = staged.distinct && step === undefined ? total === most : total <= most
  invariant(isComplete, "a row is compared with at most one open version of its key", {
    table: tableName(table),
    rows: most,
    compared: total,
  })
  // Batches that share a key must take effect one after the other, as if committed alone.
  if (step === undefined && staged.rowsOfBatch.size > 1 && total < staged.rows)
    return "repeated keys"
  const exclusion = excludeRetired(staged)
  if (exclusion !== undefined && groups.some(([, change]) => change === NEW)) {
    groups = await groupsAfter(context, table, exclusion)
  }
  const found = [0, 0, 0, 0]
  for (const [, change, , , rows] of groups) found[change] = (found[change] ?? 0) + rows
  for (const [batch, change, month, storedMonth, rows] of groups) {
    const counts = countsOf(into, batch)
    if (change === UNCHANGED) {
      counts.unchanged += rows
      continue
    }
    if (change === NEW) counts.inserted += rows
    else {
      counts.revised += rows
      into.months.add(storedMonth)
    }
    into.months.add(month)
  }
  const [added = 0, revised = 0, unchanged = 0, absent = 0] = found
  if (revised + absent > 0) {
    for (const statement of supersede(staged, now)) {
      await changeRows(connection, table, statement, revised + absent)
    }
  }
  if (added + revised > 0) {
    const isWritten = unchanged + absent > 0 ? ` WHERE m._change < ${UNCHANGED}` : ""
    const statement = `${insertion(table, COMPARED, now)}${isWritten}`
    await changeRows(connection, table, statement, added + revised)
  }
  if (step !== undefined && "round" in step) return "done"
  for (const { batch, month, rows } of await retireAbsent(connection, staged, step?.batch, now)) {
    countsOf(into, batch).revised += rows
    into.months.add(month)
  }
  return "done"
}

const countsOf = ({ counts }: { counts: Map<number, Counts> }, batch: number): Counts => {
  const found = counts.get(batch) ?? { inserted: 0, revised: 0, unchanged: 0 }
  counts.set(batch, found)
  return found
}

/** Parts of a group that must take effect one after the other: batches, or rounds if no set is among the rows. */
const stepsOf = async (
  { connection }: MergeContext,
  { table, rowsOfBatch, mergeKeys }: Staged,
): Promise<ReadonlyArray<Step>> => {
  if (table.mergeKey !== undefined || mergeKeys.length > 0) {
    return [...rowsOfBatch.keys()].map((batch) => ({ batch }))
  }
  // A statement for each batch costs a lake a Parquet file each; pages of a list share no more than a few keys.
  const found = await connection.runAndReadAll(
    `SELECT max(batches) FROM (SELECT count(DISTINCT _batch)::DOUBLE AS batches
     FROM ${STAGED} GROUP BY ${identifiers(table.key)})`,
  )
  return Array.from({ length: Number(found.getRows()[0]?.[0] ?? 0) }, (_, at) => ({
    round: at + 1,
  }))
}

export const merge = async (context: MergeContext, staged: Staged): Promise<Merged> => {
  const into = { counts: new Map<number, Counts>(), months: new Set<string>() }
  if (!(await haveRepeatedMergeKeys(context.connection, staged))) {
    if ((await mergeOnce(context, staged, undefined, into)) === "done") return into
  }
  for (const step of await stepsOf(context, staged)) await mergeOnce(context, staged, step, into)
  return into
}
