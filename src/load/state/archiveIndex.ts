// raw.responses as the index of the archive: reads its rows, finds those still needed, and records where bodies are
// after segments were rewritten.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { allColumns, type Table, storedTables } from "../../domain/table/table.ts"
import { microsFromMillis } from "../../domain/values/time.ts"
import type { Session } from "../commit/session.ts"
import { boolean, decodeRow, number, text } from "../duckdb/decodeRow.ts"
import { readRows } from "../duckdb/readRows.ts"
import { CATALOG, instant, literal, qualified } from "../sql/sql.ts"
import { selectMonths } from "../tables/months.ts"
import { partitionChanges } from "../tables/ops/partition_changes.ts"
import { responses } from "../tables/raw/responses.ts"
import { Warehouse } from "../Warehouse.ts"

/** A row of raw.responses. */
export interface IndexedResponse {
  readonly responseId: string
  readonly runId: string
  readonly pipeline: string
  readonly entity: string
  readonly window: string
  /** Whether it was suspicious, so that its empty sets did not land. */
  readonly isSuspicious: boolean
  readonly inputs: string
  readonly subject: string
  /** Microseconds since 1970 UTC. */
  readonly receivedAt: number
  readonly sha256: string
  readonly file: string
  readonly offset: number
  readonly length: number
}

/** Reads the responses of tasks, in the order in which they were received; `condition` is SQL. */
export const indexedResponses = (condition: string) =>
  Effect.map(
    Effect.flatMap(Warehouse, (warehouse) =>
      warehouse.rows(
        `select response_id, run_id, pipeline, entity, "window",
           coalesce(is_suspicious, false) as is_suspicious, inputs::varchar as inputs,
           subject::varchar as subject, epoch_us(received_at)::double as received_at, body_sha256,
           archive_file, archive_offset::double as archive_offset, archive_length::double as archive_length
         from raw.responses where pipeline is not null and ${condition} order by received_at`,
      ),
    ),
    (rows): ReadonlyArray<IndexedResponse> => rows.map(indexedResponse),
  )

const indexedResponse = decodeRow({
  responseId: text("response_id"),
  runId: text("run_id"),
  pipeline: text("pipeline"),
  entity: text("entity"),
  window: text("window"),
  isSuspicious: boolean("is_suspicious"),
  inputs: text("inputs"),
  subject: text("subject"),
  receivedAt: number("received_at"),
  sha256: text("body_sha256"),
  file: text("archive_file"),
  offset: number("archive_offset"),
  length: number("archive_length"),
})

/**
 * Runs this warehouse knows: its own, killed ones included (ops.runs), and those of an earlier warehouse once they are
 * indexed (raw.responses). Whether the responses of any other run are needed is unknown.
 */
export const knownRuns = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  const rows = yield* warehouse.rows(
    "select run_id from ops.runs union select run_id from raw.responses",
  )
  return new Set(rows.map(text("run_id")))
})

/** A body that was moved, and where it is now. */
export interface MovedBody {
  readonly sha256: string
  readonly place: { readonly file: string; readonly offset: number; readonly length: number }
}

/** Updates the index with the new places of bodies that were in `files`; all or nothing. */
export const moveIndex = Effect.fnUntraced(function* (
  files: ReadonlyArray<string>,
  moved: ReadonlyArray<MovedBody>,
) {
  const { execute, rows } = yield* Warehouse
  const moves = movesOf(files, moved)
  const months = new Set<string>()
  for (const { matches } of moves) {
    const ofMoved = `(SELECT r.received_at FROM ${qualified(responses)} r ${matches})`
    for (const row of yield* rows(selectMonths(responses, ofMoved))) months.add(text("month")(row))
  }
  if (months.size === 0) return
  const news = yield* newPlaces
  yield* execute(
    [...moves.map(({ statement }) => statement), ...news],
    [{ table: responses, months: [...months] }],
  )
})

/**
 * SQL that records that the index names other places than before, or fewer: readers have the old ones until the next
 * publication, which this makes news (warehouse/publication/state.sql).
 */
export const newPlaces = Effect.gen(function* () {
  const { runId } = yield* Warehouse
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const changes = qualified(partitionChanges)
  return [
    `DELETE FROM ${changes} WHERE table_schema = 'raw' AND table_name = 'places'`,
    `INSERT INTO ${changes} (table_schema, table_name, month, run_id, changed_at)
     VALUES ('raw', 'places', '-', ${literal(runId)}, ${instant(now)})`,
  ]
})

/** The segments that the index names, whether or not they are there. */
export const indexedFiles = Effect.map(
  Effect.flatMap(Warehouse, ({ rows }) =>
    rows(`SELECT DISTINCT archive_file FROM ${qualified(responses)}`),
  ),
  (rows) => new Set(rows.map(text("archive_file"))),
)

/** SQL that records that these landed. */
export const landedInIndex = (responseIds: ReadonlyArray<string>) => ({
  statements: [
    `UPDATE ${qualified(responses)} SET is_landed = true
     WHERE response_id IN (${responseIds.map(literal).join(", ")})`,
  ],
  changed: [responses],
})

const REFERENCED = "temp.main.referenced"

/** SQL: whether a response can be dropped with those before `before` (microseconds), once `findReferenced` has been called. */
export const isPrunable = (before: number): string =>
  `(received_at < ${instant(before)} AND response_id NOT IN (SELECT id FROM ${REFERENCED}))`

/**
 * Finds the responses that are needed for a stored row, for one that may still be made, or with one of `before` or later. Reads
 * one table at a time: all at once need more memory than the writer has.
 */
export const findReferenced = async (
  { connection }: Session,
  tables: ReadonlyArray<Table>,
  before: number,
): Promise<void> => {
  await connection.run(`CREATE OR REPLACE TEMP TABLE referenced (id VARCHAR)`)
  const sources = [
    ...tables.flatMap(storedTables).flatMap(neededBy),
    `SELECT response_id FROM ${CATALOG}.ops.quarantine WHERE closed_at IS NULL`,
    afterQuarantine,
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

/** Older pages of a set of which a page stays: kept alone, it would retire the members on the others. */
const togetherWithKept = (before: number): string => `SELECT r.response_id
  FROM ${CATALOG}.raw.responses r
  WHERE r.is_landed AND r.received_at < ${instant(before)} AND EXISTS (
    SELECT 1 FROM ${CATALOG}.raw.responses o
    WHERE o.run_id = r.run_id AND o.pipeline = r.pipeline AND o.entity = r.entity
      AND o."window" = r."window"
      AND (o.received_at >= ${instant(before)} OR o.response_id IN (SELECT id FROM ${REFERENCED})))`

const PLACES_PER_STATEMENT = 2000

/** The moves in parts: SQL that joins rows `r` of the index to their new places `m`, and the statement that records these. */
const movesOf = (files: ReadonlyArray<string>, moved: ReadonlyArray<MovedBody>) => {
  const from = files.map(literal).join(", ")
  const moves: Array<{ readonly matches: string; readonly statement: string }> = []
  for (let start = 0; start < moved.length; start += PLACES_PER_STATEMENT) {
    const values = moved
      .slice(start, start + PLACES_PER_STATEMENT)
      .map(
        ({ sha256, place }) =>
          `(${literal(sha256)}, ${literal(place.file)}, ${place.offset}, ${place.length})`,
      )
    const places = `(VALUES ${values.join(", ")}) m (sha256, file, place, length)`
    const areOfFiles = `r.body_sha256 = m.sha256 AND r.archive_file IN (${from})`
    moves.push({
      matches: `JOIN ${places} ON ${areOfFiles}`,
      statement: `UPDATE ${qualified(responses)} r
       SET archive_file = m.file, archive_offset = m.place, archive_length = m.length
       FROM ${places} WHERE ${areOfFiles}`,
    })
  }
  return moves
}
