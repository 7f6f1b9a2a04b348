// Which responses of the index are still needed, by themselves or for others, and which can be dropped.
import { allColumns, type Table, storedTables } from "../../domain/table/table.ts"
import type { Session } from "../commit/session.ts"
import { boolean, decodeRow, number, text } from "../duckdb/decodeRow.ts"
import { readRows } from "../duckdb/readRows.ts"
import { CATALOG, instant, literal, qualified } from "../sql/sql.ts"
import { isUnread } from "./archiveIndex.ts"

const REFERENCED = "temp.main.referenced"

/** SQL: whether a response can be dropped with those before `before` (microseconds), once `findReferenced` has been called. */
export const isPrunable = (before: number): string =>
  `(received_at < ${instant(before)} AND response_id NOT IN (SELECT id FROM ${REFERENCED}))`

/** Responses that no row names, and that a later version may read: those of `pipelines` from `since` on (microseconds). */
export interface MayBeRead {
  readonly pipelines: ReadonlyArray<string>
  readonly since: number
}

/**
 * Finds the responses that are needed for a stored row, for one that may still be made, or with one of `before` or later. Reads
 * one table at a time: all at once need more memory than the writer has.
 */
export const findReferenced = async (
  { connection }: Session,
  tables: ReadonlyArray<Table>,
  before: number,
  mayBeRead: MayBeRead,
): Promise<void> => {
  await connection.run(`CREATE OR REPLACE TEMP TABLE referenced (id VARCHAR)`)
  const sources = [
    ...tables.flatMap(storedTables).flatMap(neededBy),
    `SELECT response_id FROM ${CATALOG}.ops.quarantine WHERE closed_at IS NULL`,
    afterQuarantine,
    ...unreadAndNext(mayBeRead),
    togetherWithKept(before),
  ]
  for (const source of sources) {
    await connection.run(
      `INSERT INTO ${REFERENCED} SELECT DISTINCT id FROM (${source}) t (id) WHERE id IS NOT NULL`,
    )
  }
}

/** How many responses the index has, and how many of them can be dropped with those before `before`. */
export const countPrunable = async ({ connection }: Session, before: number) => {
  const [row = {}] = await readRows(
    connection,
    `SELECT count(*)::DOUBLE AS indexed, (count(*) FILTER (${isPrunable(before)}))::DOUBLE AS prunable
     FROM ${CATALOG}.raw.responses`,
  )
  return { indexed: number("indexed")(row), prunable: number("prunable")(row) }
}

/** SHA-256 hashes of the bodies that stay, although the index has them in none of the `stored` segments. */
export const retainedAstray = async (
  { connection }: Session,
  stored: ReadonlyArray<string>,
  before: number,
): Promise<ReadonlySet<string>> => {
  const rows = await readRows(
    connection,
    `SELECT DISTINCT body_sha256 FROM ${CATALOG}.raw.responses
     WHERE archive_file NOT IN (${["", ...stored].map(literal).join(", ")}) AND NOT ${isPrunable(before)}`,
  )
  return new Set(rows.map(text("body_sha256")))
}

export interface RetainedResponse {
  readonly responseId: string
  readonly sha256: string
  readonly file: string
  /** Old, and not needed for a stored row or for one that may still be made. */
  readonly isPrunable: boolean
}

/** The indexed responses of these runs, and those whose body is in `file`. */
export const retainedIn = async (
  { connection }: Session,
  file: string,
  runIds: ReadonlyArray<string>,
  before: number,
): Promise<ReadonlyArray<RetainedResponse>> => {
  const rows = await readRows(
    connection,
    `SELECT response_id, body_sha256, archive_file, ${isPrunable(before)} AS is_prunable
     FROM ${CATALOG}.raw.responses
     WHERE archive_file = ${literal(file)} OR run_id IN (${["", ...runIds].map(literal).join(", ")})`,
  )
  return rows.map(
    decodeRow({
      responseId: text("response_id"),
      sha256: text("body_sha256"),
      file: text("archive_file"),
      isPrunable: boolean("is_prunable"),
    }),
  )
}

const columnsAmong = (table: Table, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const columns = new Set(allColumns(table).map(({ name }) => name))
  return names.filter((name) => columns.has(name))
}

/** The columns that hold when a row ended: the time of the response that left it out or revised it. */
export const endColumns = (table: Table): ReadonlyArray<string> =>
  columnsAmong(table, ["valid_to", "_superseded_at"])

/**
 * Responses that rows were read from or name as their own, as the journal of swaps does, and those that ended rows by leaving
 * them out: found by their time, which is unique.
 */
const neededBy = (table: Table): ReadonlyArray<string> => {
  return [
    ...columnsAmong(table, ["_response_id", "response_id"]).map(
      (name) => `SELECT ${name} FROM ${qualified(table)}`,
    ),
    ...endColumns(table).map(
      (name) => `SELECT response_id FROM ${CATALOG}.raw.responses
        WHERE received_at IN (SELECT ${name} FROM ${qualified(table)})`,
    ),
  ]
}

/** Responses after a quarantined one: without them it would become the newest once it can be read. */
const afterQuarantine = `SELECT r.response_id FROM ${CATALOG}.ops.quarantine q
  JOIN ${CATALOG}.raw.responses b ON b.response_id = q.response_id
  JOIN ${CATALOG}.raw.responses r ON r.pipeline = q.pipeline AND r.entity = q.entity
    AND r.is_landed AND r.received_at > b.received_at
  WHERE q.closed_at IS NULL`

/** Those that may be read later, and the next that landed after each: it says what held from then on. */
const unreadAndNext = ({ pipelines, since }: MayBeRead): ReadonlyArray<string> => {
  const unread = `SELECT * FROM ${CATALOG}.raw.responses
    WHERE ${isUnread(pipelines)} AND received_at >= ${instant(since)}`
  return [
    `SELECT response_id FROM (${unread})`,
    `SELECT r.response_id FROM (${unread}) u
      ASOF JOIN (SELECT * FROM ${CATALOG}.raw.responses WHERE is_landed) r
        ON r.pipeline = u.pipeline AND r.entity = u.entity AND r.received_at > u.received_at`,
  ]
}

/** Older pages of a set of which a page stays: kept alone, it would retire the members on the others. */
const togetherWithKept = (before: number): string => `SELECT r.response_id
  FROM ${CATALOG}.raw.responses r
  WHERE r.is_landed AND r.received_at < ${instant(before)} AND EXISTS (
    SELECT 1 FROM ${CATALOG}.raw.responses o
    WHERE o.run_id = r.run_id AND o.pipeline = r.pipeline AND o.entity = r.entity
      AND o."window" = r."window"
      AND (o.received_at >= ${instant(before)} OR o.response_id IN (SELECT id FROM ${REFERENCED})))`
