// raw.responses as the index of the archive: which responses rows still refer to, and where bodies lie once
// segments were rewritten. What the archive's files themselves hold is not this module's business.
import { allColumns, type Table } from "../domain/table.ts"
import type { Session } from "./commitGroup.ts"
import { storedTables } from "./ddl.ts"
import { readRows } from "./readRows.ts"
import { CATALOG, instant, literal, qualified } from "./sql.ts"

/** Where a body lies: a segment's name, and bytes of it. */
export interface Place {
  readonly file: string
  readonly offset: number
  readonly length: number
}

export interface IndexedResponse {
  readonly responseId: string
  readonly sha256: string
  readonly file: string
  /** Old, and neither needed for a row that is stored nor for one that may still be made. */
  readonly goes: boolean
}

const REFERRED = "temp.main.referred"

/**
 * Every archived response, and whether it goes once those before `before` (microseconds) are dropped. A table at
 * a time, since all at once need more memory than the writer has.
 */
export const judgeResponses = async (
  { connection }: Session,
  tables: ReadonlyArray<Table>,
  before: number,
): Promise<ReadonlyArray<IndexedResponse>> => {
  await connection.run(`CREATE OR REPLACE TEMP TABLE referred (id VARCHAR)`)
  const sources = [
    ...tables.flatMap(storedTables).flatMap(needed),
    `SELECT response_id FROM ${CATALOG}.ops.quarantine WHERE closed_at IS NULL`,
    afterQuarantine,
    togetherWithReferred,
  ]
  for (const source of sources) {
    await connection.run(
      `INSERT INTO ${REFERRED} SELECT DISTINCT id FROM (${source}) t (id) WHERE id IS NOT NULL`,
    )
  }
  const rows = await readRows(
    connection,
    `SELECT response_id, body_sha256, archive_file, received_at < ${instant(before)}
       AND response_id NOT IN (SELECT id FROM ${REFERRED}) AS goes
     FROM ${CATALOG}.raw.responses`,
  )
  return rows.map((row) => ({
    responseId: String(row["response_id"]),
    sha256: String(row["body_sha256"]),
    file: String(row["archive_file"]),
    goes: row["goes"] === true,
  }))
}

/** Responses that rows were read from, and those that left rows out: no two came at the same instant. */
const needed = (table: Table): ReadonlyArray<string> => {
  const names = new Set(allColumns(table).map(({ name }) => name))
  const ends = ["valid_to", "_superseded_at"].filter((name) => names.has(name))
  return [
    ...(names.has("_response_id") ? [`SELECT _response_id FROM ${qualified(table)}`] : []),
    ...ends.map(
      (name) => `SELECT response_id FROM ${CATALOG}.raw.responses
        WHERE received_at IN (SELECT ${name} FROM ${qualified(table)})`,
    ),
  ]
}

/** What the service said after an answer that is set aside: without it that one would be the last word. */
const afterQuarantine = `SELECT r.response_id FROM ${CATALOG}.ops.quarantine q
  JOIN ${CATALOG}.raw.responses b ON b.response_id = q.response_id
  JOIN ${CATALOG}.raw.responses r ON r.pipeline = q.pipeline AND r.entity = q.entity
    AND r.is_landed AND r.received_at > b.received_at
  WHERE q.closed_at IS NULL`

/** Pages of one set: a page that is kept alone would say that the others' members are gone. */
const togetherWithReferred = `SELECT r.response_id FROM ${CATALOG}.raw.responses r
  WHERE r.is_landed AND EXISTS (
    SELECT 1 FROM ${CATALOG}.raw.responses o
    WHERE o.run_id = r.run_id AND o.pipeline = r.pipeline AND o.entity = r.entity
      AND o."window" = r."window" AND o.response_id IN (SELECT id FROM ${REFERRED}))`

/** Forgets what `judgeResponses` with the same `before` said goes, on the same connection. */
export const forgetting = (before: number): string =>
  `DELETE FROM ${CATALOG}.raw.responses WHERE received_at < ${instant(before)}
     AND response_id NOT IN (SELECT id FROM ${REFERRED})`

const PLACES_A_STATEMENT = 2000

/** Points the index at the new places of bodies that lay in `files`. */
export const moving = (
  files: ReadonlyArray<string>,
  moved: ReadonlyArray<{ readonly sha256: string; readonly place: Place }>,
): ReadonlyArray<string> => {
  const from = files.map(literal).join(", ")
  const statements: Array<string> = []
  for (let start = 0; start < moved.length; start += PLACES_A_STATEMENT) {
    const values = moved
      .slice(start, start + PLACES_A_STATEMENT)
      .map(
        ({ sha256, place }) =>
          `(${literal(sha256)}, ${literal(place.file)}, ${place.offset}, ${place.length})`,
      )
    statements.push(
      `UPDATE ${CATALOG}.raw.responses r
       SET archive_file = m.file, archive_offset = m.place, archive_length = m.length
       FROM (VALUES ${values.join(", ")}) m (sha256, file, place, length)
       WHERE r.body_sha256 = m.sha256 AND r.archive_file IN (${from})`,
    )
  }
  return statements
}
