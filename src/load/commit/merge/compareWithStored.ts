// Compares staged rows with the stored ones of the same key: new, revised or unchanged.
import { type Table, versionsOf } from "../../../domain/table/table.ts"
import { monthOf } from "../../tables/months.ts"
import { sameKey, withinBounds } from "./matching.ts"
import { STAGED, type Staged, stagedMergeKeys } from "./stage.ts"
import { identifier, identifiers, qualified } from "../../sql/sql.ts"

/** How a staged row compares with the stored one of its key; `ABSENT` is a stored row that is missing from its set. */
export const NEW = 0
export const REVISED = 1
export const UNCHANGED = 2
export const ABSENT = 3

/**
 * The last row of each key, with its `_change` and the stored row's `_first_seen_at` and `_stored_month`. An `ABSENT`
 * row has only its key, and the `_batch` and `_observed_at` of the set that lacks it.
 */
export const COMPARED = "temp.main.compared"

const sameContent = (table: Table): string => {
  const content = table.columns.filter(
    ({ name, isIncidental }) => !table.key.includes(name) && isIncidental !== true,
  )
  const same = content.map(({ name }) => {
    const column = identifier(name)
    return `s.${column} IS NOT DISTINCT FROM t.${column}`
  })
  const all = same.length === 0 ? "true" : same.join(" AND ")
  // In a replay an older response must not replace values that came after it.
  const since = table.mode === "slowly_changing" ? "t.valid_from" : "t._updated_at"
  return `(s._observed_at <= ${since} OR (${all}))`
}

/**
 * Staged rows that take effect together: those of one batch, or of one round. Round 1 has each key's rows of the first
 * batch with that key, round 2 those of the second, and so on.
 */
export type Step = { readonly batch: number } | { readonly round: number }

/** The statement that fills `COMPARED`, with a step of the group or all of it. */
export const comparison = (staged: Staged, step: Step | undefined, now: string): string => {
  const { table } = staged
  const batch = step !== undefined && "batch" in step ? step.batch : undefined
  const { join, columns, isAbsent, isKept } = absence(staged, batch, now)
  return `CREATE OR REPLACE TEMP TABLE compared AS
    WITH s AS (SELECT * FROM ${STAGED} ${ofBatch(batch)} ${lastOfKey(staged, step)}),
    t AS (SELECT * FROM ${qualified(table)} t
      WHERE ${table.mode === "slowly_changing" ? "t.is_current" : withinBounds(staged)})
    SELECT ${columns}, t._first_seen_at, ${monthOf(table, "t")} AS _stored_month,
      CASE WHEN ${isAbsent} THEN ${ABSENT}
        WHEN t.${identifier(table.key[0] ?? "")} IS NULL THEN ${NEW}
        WHEN ${sameContent(table)} THEN ${UNCHANGED} ELSE ${REVISED} END AS _change
    FROM s ${join} WHERE ${isKept}`
}

const lastOfKey = ({ table, distinct }: Staged, step: Step | undefined): string => {
  if (distinct) return ""
  const key = identifiers(table.key)
  if (step === undefined || "batch" in step) {
    return `QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY rowid DESC) = 1`
  }
  return `QUALIFY dense_rank() OVER (PARTITION BY ${key} ORDER BY _batch) = ${step.round}
    AND row_number() OVER (PARTITION BY ${key}, _batch ORDER BY rowid DESC) = 1`
}

const ofBatch = (batch: number | undefined): string =>
  batch === undefined ? "" : `WHERE _batch = ${batch}`

/** The join with the stored rows, whose single scan also finds those that a staged set lacks. */
const absence = (staged: Staged, batch: number | undefined, now: string) => {
  const { table, mergeKeyShapes } = staged
  const sameRow = sameKey(table, "s", "t")
  if (mergeKeyShapes.length === 0) {
    return { join: `LEFT JOIN t ON ${sameRow}`, columns: "s.*", isAbsent: "false", isKept: "true" }
  }
  const sets = mergeKeyShapes.map((shape, at) => {
    const same = shape.map(
      (name) => `t.${identifier(name)} IS NOT DISTINCT FROM k${at}.${identifier(name)}`,
    )
    return `LEFT JOIN (FROM ${stagedMergeKeys(at)} ${ofBatch(batch)}) k${at}
      ON ${same.length === 0 ? "true" : same.join(" AND ")}`
  })
  const first = (column: string, ...before: ReadonlyArray<string>): string =>
    `coalesce(${[...before, ...sets.map((_, at) => `k${at}.${column}`)].join(", ")})`
  const both = [
    ...table.key.map(identifier).map((name) => `coalesce(s.${name}, t.${name}) AS ${name}`),
    `${first("_batch", "s._batch")} AS _batch`,
    `${first("_observed_at", "s._observed_at")} AS _observed_at`,
  ]
  return {
    join: `FULL JOIN t ON ${sameRow} ${sets.join(" ")}`,
    columns: `s.* REPLACE (${both.join(", ")})`,
    isAbsent: "s._batch IS NULL",
    isKept: `s._batch IS NOT NULL OR (
      ${first("_batch")} IS NOT NULL AND t.valid_from < coalesce(${first("_observed_at")}, ${now}))`,
  }
}

/**
 * The statement that turns `NEW` rows into `UNCHANGED` if their key was retired after they were received, as happens
 * in a replay; `undefined` if no row is ever retired.
 */
export const excludeRetired = (staged: Staged): string | undefined => {
  const { table } = staged
  const retired = retiredRows(staged)
  if (retired === undefined) return undefined
  return `UPDATE ${COMPARED} m
    SET _first_seen_at = e.seen_at,
      _change = CASE WHEN m._observed_at <= e.retired_at THEN ${UNCHANGED} ELSE ${NEW} END
    FROM (SELECT ${identifiers(table.key)}, max(${retired.at}) AS retired_at,
        min(_first_seen_at) AS seen_at
      FROM ${retired.table} t WHERE ${retired.condition} AND EXISTS (
        SELECT 1 FROM ${COMPARED} n
        WHERE n._change = ${NEW} AND ${sameKey(table, "n", "t")})
      GROUP BY ALL) e
    WHERE m._change = ${NEW} AND ${sameKey(table, "m", "e")}`
}

/** Where the retired rows of a table are; `undefined` if none are ever retired. */
const retiredRows = (staged: Staged) => {
  const { table } = staged
  if (table.mode === "slowly_changing") {
    return { table: qualified(table), at: "valid_to", condition: "NOT t.is_current" }
  }
  if (table.mergeKey === undefined) return undefined
  const versions = qualified(versionsOf(table))
  return { table: versions, at: "_superseded_at", condition: withinBounds(staged) }
}
