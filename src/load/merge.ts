// Merges staged rows into their table: the database decides what is new, revised or unchanged, and the mode of the
// table what becomes of it. Runs inside the writer's transaction.
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, type Table, versionsOf } from "../domain/table.ts"
import { CLASSIFIED, classification, NEW, REVISED, UNCHANGED } from "./classify.ts"
import { monthOf, sameKey, withinBounds } from "./matching.ts"
import { haveRepeatedMergeKeys, retireAbsent } from "./retire.ts"
import type { Staged } from "./stage.ts"
import { identifier, identifiers, instant, qualified } from "./sql.ts"

export interface MergeContext {
  readonly connection: DuckDBConnection
  readonly runId: string
  /** Microseconds since 1970, later than any it gave before, in earlier runs too. */
  readonly tick: () => number
}

export interface Counts {
  inserted: number
  revised: number
  unchanged: number
}

export interface Merged {
  /** By the batch's place in its group. */
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

/** Statements that move the revised rows out of the way of those that replace them. */
const supersede = (staged: Staged, now: string): ReadonlyArray<string> => {
  const { table } = staged
  const target = qualified(table)
  const revisedRows = `${sameKey(table, "t", "m")} AND m._what = ${REVISED}`
  const within = withinBounds(staged, "t")
  const remove = `DELETE FROM ${target} t USING ${CLASSIFIED} m WHERE ${revisedRows} AND ${within}`
  switch (table.mode) {
    case "history": {
      const names = allColumns(table).map(({ name }) => name)
      const versions = qualified(versionsOf(table))
      return [
        `INSERT INTO ${versions} (${identifiers(names)}, _superseded_at, _superseded_by_run_id)
         SELECT ${identifiers(names, "t")}, coalesce(m._observed_at, ${now}), m._run_id
         FROM ${target} t JOIN ${CLASSIFIED} m ON ${revisedRows} WHERE ${within}`,
        remove,
      ]
    }
    case "slowly_changing":
      return [
        `UPDATE ${target} t SET valid_to = coalesce(m._observed_at, ${now}), is_current = false
         FROM ${CLASSIFIED} m WHERE ${revisedRows} AND t.is_current`,
      ]
    case "replace":
      return [remove]
    case "first":
      return []
  }
}

const mergeOnce = async (
  context: MergeContext,
  staged: Staged,
  batch: number | undefined,
  into: { counts: Map<number, Counts>; months: Set<string> },
): Promise<"done" | "repeated keys"> => {
  const { connection } = context
  const { table } = staged
  const found = await connection.runAndReadAll(`${classification(staged, batch)}
    SELECT _batch, _what, coalesce(strftime(month, '%Y-%m'), '-'),
      coalesce(strftime(_stored_month, '%Y-%m'), '-'), rows
    FROM (SELECT _batch, _what, ${monthOf(table, "m")} AS month, _stored_month,
      count(*)::DOUBLE AS rows FROM ${CLASSIFIED} m GROUP BY ALL)`)
  const groups = found.getRows() as Array<[number, number, string, string, number]>
  const total = groups.reduce((sum, [, , , , rows]) => sum + rows, 0)
  // Batches that share a key must take effect one after the other, as if committed alone.
  if (batch === undefined && staged.rowsOfBatch.size > 1 && total < staged.rows)
    return "repeated keys"
  const now = instant(context.tick())
  const seen = new Set<number>()
  for (const [of, what, month, storedMonth, rows] of groups) {
    const counts = countsOf(into, of)
    seen.add(what)
    if (what === UNCHANGED) {
      counts.unchanged += rows
      continue
    }
    if (what === NEW) counts.inserted += rows
    else {
      counts.revised += rows
      into.months.add(storedMonth)
    }
    into.months.add(month)
  }
  if (seen.has(NEW) || seen.has(REVISED)) {
    const kept = seen.has(UNCHANGED) ? ` WHERE m._what <> ${UNCHANGED}` : ""
    const moved = seen.has(REVISED) ? supersede(staged, now) : []
    await connection.run([...moved, `${insertion(table, CLASSIFIED, now)}${kept}`].join(";\n"))
  }
  for (const { batch: of, month, rows } of await retireAbsent(connection, staged, batch, now)) {
    countsOf(into, of).revised += rows
    into.months.add(month)
  }
  return "done"
}

const countsOf = ({ counts }: { counts: Map<number, Counts> }, batch: number): Counts => {
  const found = counts.get(batch) ?? { inserted: 0, revised: 0, unchanged: 0 }
  counts.set(batch, found)
  return found
}

export const merge = async (context: MergeContext, staged: Staged): Promise<Merged> => {
  const into = { counts: new Map<number, Counts>(), months: new Set<string>() }
  if (!(await haveRepeatedMergeKeys(context.connection, staged))) {
    if ((await mergeOnce(context, staged, undefined, into)) === "done") return into
  }
  for (const batch of staged.rowsOfBatch.keys()) await mergeOnce(context, staged, batch, into)
  return into
}
