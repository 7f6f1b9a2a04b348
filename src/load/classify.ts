// Compares staged rows with the stored ones of the same key: new, revised or unchanged.
import { type Table, versionsOf } from "../domain/table.ts"
import { monthOf, sameKey, withinBounds } from "./matching.ts"
import { STAGED, type Staged } from "./stage.ts"
import { identifier, identifiers, qualified } from "./sql.ts"

/** How a staged row compares with the stored one of its key. */
export const NEW = 0
export const REVISED = 1
export const UNCHANGED = 2

/** The last row of each key, `_what` it is, and of the stored row `_first_seen_at` and `_stored_month`. */
export const CLASSIFIED = "temp.main.classified"

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
  // In a replay an older response must not replace values that came after it.
  const since = table.mode === "slowly_changing" ? "t.valid_from" : "t._updated_at"
  return `(s._observed_at <= ${since} OR (${all}))`
}

/** The statements that fill `CLASSIFIED`; of one batch of the group, or of all at once. */
export const classification = (staged: Staged, batch: number | undefined): string => {
  const { table } = staged
  const current = table.mode === "slowly_changing" ? "t.is_current" : withinBounds(staged, "t")
  const firstSeen =
    table.mode === "history" || table.mode === "slowly_changing" ? "t._first_seen_at" : "NULL"
  const lastOfKey = `QUALIFY row_number() OVER (
    PARTITION BY ${identifiers(table.key)} ORDER BY rowid DESC) = 1`
  const ofBatch = batch === undefined ? "" : `WHERE _batch = ${batch}`
  return `CREATE OR REPLACE TEMP TABLE classified AS
    WITH s AS (SELECT * FROM ${STAGED} ${ofBatch} ${staged.distinct ? "" : lastOfKey})
    SELECT s.*, ${firstSeen} AS _first_seen_at, ${monthOf(table, "t")} AS _stored_month,
      CASE WHEN t.${identifier(table.key[0] ?? "")} IS NULL THEN ${NEW}
        WHEN ${sameContent(table)} THEN ${UNCHANGED} ELSE ${REVISED} END AS _what
    FROM s LEFT JOIN (SELECT * FROM ${qualified(table)} t WHERE ${current}) t
    ON ${sameKey(table, "s", "t")};
    ${excludeRetired(staged)}`
}

/** In a replay, a response that is older than the end of a key does not begin it again. */
const excludeRetired = (staged: Staged): string => {
  const { table } = staged
  const retired = retiredRows(staged)
  if (retired === undefined) return ""
  return `UPDATE ${CLASSIFIED} m
    SET _first_seen_at = e.seen_at,
      _what = CASE WHEN m._observed_at <= e.retired_at THEN ${UNCHANGED} ELSE ${NEW} END
    FROM (SELECT ${identifiers(table.key)}, max(${retired.at}) AS retired_at,
        min(_first_seen_at) AS seen_at
      FROM ${retired.table} t WHERE ${retired.condition} AND EXISTS (
        SELECT 1 FROM ${CLASSIFIED} n
        WHERE n._what = ${NEW} AND ${sameKey(table, "n", "t")})
      GROUP BY ALL) e
    WHERE m._what = ${NEW} AND ${sameKey(table, "m", "e")};`
}

/** Where the retired rows of a table are; `undefined` where none are ever retired. */
const retiredRows = (staged: Staged) => {
  const { table } = staged
  if (table.mode === "slowly_changing") {
    return { table: qualified(table), at: "valid_to", condition: "NOT t.is_current" }
  }
  if (table.mergeKey === undefined) return undefined
  const versions = qualified(versionsOf(table))
  return { table: versions, at: "_superseded_at", condition: withinBounds(staged, "t") }
}
