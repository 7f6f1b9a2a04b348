// Merges staged rows into their table: what is new, revised or unchanged is decided by the database, and
// the mode of the table says what becomes of it. Runs inside the writer's transaction.
import type { DuckDBConnection } from "@duckdb/node-api"
import { allColumns, type Table, type Value, versionsOf } from "../domain/table.ts"
import { haveRepeatedSets, removeAbsent } from "./historySets.ts"
import { monthOf, sameKey, withinBounds } from "./matching.ts"
import type { Staged, StagedScope } from "./stage.ts"
import { identifier, identifiers, instant, literal, qualified } from "./sql.ts"

export interface MergeContext {
  readonly connection: DuckDBConnection
  readonly runId: string
  /** Microseconds since 1970, later than any answer before it, of earlier runs too. */
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

const NEW = 0
const REVISED = 1
const UNCHANGED = 2

const sameContent = (table: Table): string => {
  if (table.mode === "first") return "true"
  const content = table.columns.filter(
    ({ name, isIncidental }) => !table.key.includes(name) && isIncidental !== true,
  )
  const same = content.map(({ name }) => {
    const column = identifier(name)
    return `s.${column} IS NOT DISTINCT FROM t.${column}`
  })
  const all = same.length === 0 ? "true" : same.join(" AND ")
  if (table.mode === "replace") return all
  // What the service said before it gave the values stored (a replay) must not take their place.
  const since = table.mode === "slowly_changing" ? "t.valid_from" : "t._updated_at"
  return `(s._observed_at <= ${since} OR (${all}))`
}

/** Fills `merged` with the last row of each key, what it is, and what the stored row says. */
const classify = async (
  { connection }: MergeContext,
  staged: Staged,
  batch: number | undefined,
): Promise<void> => {
  const { table } = staged
  const current = table.mode === "slowly_changing" ? "t.is_current" : withinBounds(staged, "t")
  const firstSeen =
    table.mode === "history" || table.mode === "slowly_changing" ? "t._first_seen_at" : "NULL"
  const lastOfKey = `QUALIFY row_number() OVER (
    PARTITION BY ${identifiers(table.key)} ORDER BY _ordinal DESC) = 1`
  await connection.run(`CREATE OR REPLACE TEMP TABLE merged AS
    WITH staged AS (${staged.source}${batch === undefined ? "" : ` WHERE p._batch = ${batch}`}),
    s AS (SELECT * FROM staged ${staged.distinct ? "" : lastOfKey})
    SELECT s.*, ${firstSeen} AS _first_seen_at, ${monthOf(table, "t")} AS _stored_month,
      CASE WHEN t.${identifier(table.key[0] ?? "")} IS NULL THEN ${NEW}
        WHEN ${sameContent(table)} THEN ${UNCHANGED} ELSE ${REVISED} END AS _what
    FROM s LEFT JOIN (SELECT * FROM ${qualified(table)} t WHERE ${current}) t
    ON ${sameKey(table, "s", "t")}`)
  await rememberEnded(connection, staged)
}

/** A key that has ended is not begun again by what was said of it before it ended (a replay). */
const rememberEnded = async (connection: DuckDBConnection, staged: Staged): Promise<void> => {
  const { table } = staged
  const ended = endedRows(staged)
  if (ended === undefined) return
  await connection.run(`UPDATE temp.main.merged m
    SET _first_seen_at = e.seen_at,
      _what = CASE WHEN m._observed_at <= e.ended_at THEN ${UNCHANGED} ELSE ${NEW} END
    FROM (SELECT ${identifiers(table.key)}, max(${ended.at}) AS ended_at,
        min(_first_seen_at) AS seen_at
      FROM ${ended.table} t WHERE ${ended.condition} AND EXISTS (
        SELECT 1 FROM temp.main.merged n
        WHERE n._what = ${NEW} AND ${sameKey(table, "n", "t")})
      GROUP BY ALL) e
    WHERE m._what = ${NEW} AND ${sameKey(table, "m", "e")}`)
}

/** Where the rows of keys are that are not current any more; `undefined` where no key ends. */
const endedRows = (staged: Staged) => {
  const { table } = staged
  if (table.mode === "slowly_changing") {
    return { table: qualified(table), at: "valid_to", condition: "NOT t.is_current" }
  }
  if (table.setKey === undefined || staged.isFresh) return undefined
  const versions = qualified(versionsOf(table))
  return { table: versions, at: "_superseded_at", condition: withinBounds(staged, "t") }
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

/** What has to happen to stored rows before the new ones are inserted. */
const makeRoom = (staged: Staged, now: string): ReadonlyArray<string> => {
  const { table } = staged
  const target = qualified(table)
  const revisedRows = `${sameKey(table, "t", "m")} AND m._what = ${REVISED}`
  const within = withinBounds(staged, "t")
  const remove = `DELETE FROM ${target} t USING temp.main.merged m WHERE ${revisedRows} AND ${within}`
  switch (table.mode) {
    case "history": {
      const names = allColumns(table).map(({ name }) => name)
      const versions = qualified(versionsOf(table))
      return [
        `INSERT INTO ${versions} (${identifiers(names)}, _superseded_at, _superseded_by_run_id)
         SELECT ${identifiers(names, "t")}, coalesce(m._observed_at, ${now}), m._run_id
         FROM ${target} t JOIN temp.main.merged m ON ${revisedRows} WHERE ${within}`,
        remove,
      ]
    }
    case "slowly_changing":
      return [
        `UPDATE ${target} t SET valid_to = coalesce(m._observed_at, ${now}), is_current = false
         FROM temp.main.merged m WHERE ${revisedRows} AND t.is_current`,
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
  await classify(context, staged, batch)
  const found = await connection.runAndReadAll(`
    SELECT _batch, _what, coalesce(strftime(month, '%Y-%m'), '-'),
      coalesce(strftime(_stored_month, '%Y-%m'), '-'), rows
    FROM (SELECT _batch, _what, ${monthOf(table, "m")} AS month, _stored_month,
      count(*)::DOUBLE AS rows FROM temp.main.merged m GROUP BY ALL)`)
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
  if (seen.has(REVISED)) {
    for (const statement of makeRoom(staged, now)) await connection.run(statement)
  }
  if (seen.has(NEW) || seen.has(REVISED)) {
    const kept = seen.has(UNCHANGED) ? ` WHERE m._what <> ${UNCHANGED}` : ""
    await connection.run(`${insertion(table, "temp.main.merged", now)}${kept}`)
  }
  for (const { batch: of, month, rows } of await removeAbsent(connection, staged, batch, now)) {
    countsOf(into, of).revised += rows
    into.months.add(month)
  }
  for (const scope of staged.scopes) {
    if (batch !== undefined && batch !== scope.batch) continue
    const ended = await endAbsent(context, staged, scope, now)
    if (ended === 0) continue
    countsOf(into, scope.batch).revised += ended
    into.months.add("-")
  }
  return "done"
}

const countsOf = ({ counts }: { counts: Map<number, Counts> }, batch: number): Counts => {
  const found = counts.get(batch) ?? { inserted: 0, revised: 0, unchanged: 0 }
  counts.set(batch, found)
  return found
}

/** Ends the current rows of an entity that are not among all there is of it; answers how many. */
const endAbsent = async (
  { connection }: MergeContext,
  { table, source }: Staged,
  { batch, values, observedAt }: StagedScope,
  now: string,
): Promise<number> => {
  const at = observedAt === undefined ? now : instant(observedAt)
  const within = Object.entries(values)
    .map(([name, value]) => `AND t.${identifier(name)} IS NOT DISTINCT FROM ${constant(value)}`)
    .join(" ")
  const result = await connection.run(
    `UPDATE ${qualified(table)} t SET valid_to = ${at}, is_current = false
     WHERE t.is_current AND t.valid_from < ${at} ${within} AND NOT EXISTS (
       SELECT 1 FROM (${source} WHERE p._batch = ${batch}) s WHERE ${sameKey(table, "s", "t")})`,
  )
  return result.rowsChanged
}

const constant = (value: Value): string =>
  typeof value === "string" ? literal(value) : String(value)

/** Rows with keys of their own of which nothing can be stored yet, the bulk of a first sync. */
export const insertNew = async (
  { connection, tick }: MergeContext,
  staged: Staged,
): Promise<Merged> => {
  const source = `(SELECT *, NULL AS _first_seen_at FROM (${staged.source}))`
  await connection.run(insertion(staged.table, source, instant(tick())))
  const counts = new Map<number, Counts>()
  for (const [batch, inserted] of staged.rowsOfBatch) {
    counts.set(batch, { inserted, revised: 0, unchanged: 0 })
  }
  return { counts, months: staged.months }
}

const haveRepeatedScopes = ({ scopes }: Staged): boolean =>
  new Set(scopes.map(({ values }) => JSON.stringify(values))).size < scopes.length

const mustBeMergedAlone = async ({ connection }: MergeContext, staged: Staged): Promise<boolean> =>
  haveRepeatedScopes(staged) || (await haveRepeatedSets(connection, staged))

export const merge = async (context: MergeContext, staged: Staged): Promise<Merged> => {
  const into = { counts: new Map<number, Counts>(), months: new Set<string>() }
  if (!(await mustBeMergedAlone(context, staged))) {
    if ((await mergeOnce(context, staged, undefined, into)) === "done") return into
  }
  for (const batch of staged.rowsOfBatch.keys()) await mergeOnce(context, staged, batch, into)
  return into
}
