// raw.responses as the index of the archive: reads its rows, and records what landed, and where bodies are after segments
// were rewritten.
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { microsFromMillis } from "../../domain/values/time.ts"
import { boolean, decodeRow, number, text } from "../duckdb/decodeRow.ts"
import { instant, literal, qualified } from "../sql/sql.ts"
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

/** SQL: whether a response of these pipelines has content of which nothing landed. */
export const isUnread = (pipelines: ReadonlyArray<string>): string =>
  `(NOT is_landed AND status BETWEEN 200 AND 299 AND pipeline IN (${pipelines.map(literal).join(", ")}))`

const PLACES_PER_STATEMENT = 2000

/** The moves in parts: SQL that joins rows `r` of the index to their new places `m`, and the statement that records these. */
const movesOf = (files: ReadonlyArray<string>, moved: ReadonlyArray<MovedBody>) => {
  const from = files.map(literal).join(", ")
  return Arr.chunksOf(moved, PLACES_PER_STATEMENT).map((some) => {
    const values = some.map(
      ({ sha256, place }) =>
        `(${literal(sha256)}, ${literal(place.file)}, ${place.offset}, ${place.length})`,
    )
    const places = `(VALUES ${values.join(", ")}) m (sha256, file, place, length)`
    const areOfFiles = `r.body_sha256 = m.sha256 AND r.archive_file IN (${from})`
    return {
      matches: `JOIN ${places} ON ${areOfFiles}`,
      statement: `UPDATE ${qualified(responses)} r
       SET archive_file = m.file, archive_offset = m.place, archive_length = m.length
       FROM ${places} WHERE ${areOfFiles}`,
    }
  })
}
