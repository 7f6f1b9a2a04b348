// Traces a figure back to its source: the rows it is made from, their earlier versions, the run that wrote each and
// the archived response it was read from.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { didYouMean } from "../../../config/read/nearest.ts"
import { parseBody } from "../../../domain/values/json.ts"
import { storedKey, type Table, tableName } from "../../../domain/table/table.ts"
import { UsageError } from "../../../domain/UsageError.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"
import type { PublishedCopy } from "../../../load/published/read/PublishedCopy.ts"
import { supersededVersions } from "./tracedRows.ts"
import { ArchiveReader } from "../../../archive/segments.ts"
import { archiveOf, inArchive } from "../../publication/archiveOf.ts"
import type { Place } from "../../publication/warehouse.ts"
import { findFragment, type Fragment } from "./fragment.ts"
import { type Columns, fieldsOf, rowsOfMart, type SourceRows } from "./martRows.ts"
import type { Row } from "../runs.ts"
import { findTarget, type Target, type TraceOptions } from "./traceTarget.ts"

export interface TracedFact {
  readonly key: Row
  /** The columns the figures come from. */
  readonly values: Row
  readonly first_seen_at: unknown
  readonly updated_at: unknown
  /** Earlier versions of the row, the newest first. */
  readonly superseded: ReadonlyArray<Row>
  /** Absent if the run's record is gone. */
  readonly run: Row | undefined
  /** Absent if no response is archived under the row's id. */
  readonly response: Row | undefined
  readonly fragment: Fragment | undefined
}

export interface Origins {
  readonly table: string
  readonly columns: Columns
  readonly facts: ReadonlyArray<TracedFact>
  /** Further rows the figure is made of. */
  readonly more: number
}

export interface Trace {
  readonly table: string
  readonly key: Row
  /** The figures traced. */
  readonly values: Row
  readonly origins: ReadonlyArray<Origins>
}

export interface TraceRequest extends TraceOptions {
  readonly column: string | undefined
  /** How many rows of one origin are followed to their responses. */
  readonly maxRows: number
  /** Whether to look the rows up in the bodies they were read from. */
  readonly withBody: boolean
}

const pick = (row: Row, names: Iterable<string>): Row =>
  Object.fromEntries([...new Set(names)].map((name) => [name, row[name] ?? null]))

/** Fails with `UsageError`, `ReadError`, or `LoadError` where the archive can't be read. */
export const trace = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  place: Place,
  request: TraceRequest,
) {
  const target = yield* findTarget(copy, request)
  const columns = yield* tracedColumns(target, request.column)
  const found =
    target.table === undefined
      ? yield* rowsOfMart(copy, target, columns)
      : [ownRow(target.table, target.row, columns)]
  const origins = yield* Effect.forEach(found, (each) => follow(copy, place, each, request))
  return {
    table: target.name,
    key: pick(target.row, target.key),
    values: pick(target.row, columns),
    origins,
  } satisfies Trace
})

/** The column that was named, or all outside the key. */
const tracedColumns = (
  { name, mart, table, key, columns }: Target,
  typed: string | undefined,
): Effect.Effect<ReadonlyArray<string>, UsageError> => {
  const traceable =
    table === undefined
      ? new Set((mart?.from ?? []).flatMap((source) => Object.keys(source.columns)))
      : new Set(columns)
  if (typed === undefined) {
    return Effect.succeed(
      columns.filter((column) => traceable.has(column) && !key.includes(column)),
    )
  }
  if (traceable.has(typed)) return Effect.succeed([typed])
  return Effect.fail(
    new UsageError({
      why: key.includes(typed)
        ? `\`${typed}\` is part of the key of ${name}: it is in every row the others come from.`
        : `${name} has no figure \`${typed}\`${didYouMean(typed, [...traceable]) || "."}`,
      advice: `Those that can be traced: ${[...traceable].join(", ")}.`,
    }),
  )
}

const ownRow = (table: Table, row: Row, columns: ReadonlyArray<string>): SourceRows => ({
  table,
  columns: Object.fromEntries(columns.map((column) => [column, column])),
  rows: [row],
})

/** Follows rows to their runs, responses and earlier versions. */
const follow = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  place: Place,
  { table, columns, rows }: SourceRows,
  { maxRows, withBody }: TraceRequest,
) {
  const shown = rows.slice(0, maxRows)
  const responses = yield* byId(copy, "responses", "response_id", shown, "_response_id")
  const runs = yield* byId(copy, "runs", "run_id", shown, "_run_id")
  const store = archiveOf(place)
  const reader = new ArchiveReader(store)
  const facts: Array<TracedFact> = []
  for (const row of shown) {
    const response = responses.get(String(row["_response_id"]))
    const body =
      withBody && response !== undefined
        ? yield* inArchive(() => bodyOf(reader, response))
        : undefined
    // A slowly changing table keeps earlier versions as rows of its own.
    const superseded = table.mode === "history" ? yield* supersededVersions(copy, table, row) : []
    facts.push({
      key: pick(row, storedKey(table)),
      values: pick(row, Object.values(columns).flatMap(fieldsOf)),
      first_seen_at: row["_first_seen_at"],
      updated_at: row["_updated_at"],
      superseded: superseded.map((version) =>
        pick(version, [
          ...Object.values(columns).flatMap(fieldsOf),
          "_updated_at",
          "_superseded_at",
          "_run_id",
          "_superseded_by_run_id",
          "_response_id",
        ]),
      ),
      run: runs.get(String(row["_run_id"])),
      response,
      fragment: body === undefined ? undefined : findFragment(body, table, row),
    })
  }
  return {
    table: tableName(table),
    columns,
    facts,
    more: rows.length - shown.length,
  } satisfies Origins
})

const byId = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  part: "responses" | "runs",
  id: string,
  rows: ReadonlyArray<Row>,
  column: string,
) {
  const ids = [...new Set(rows.map((row) => String(row[column])))].join(" ")
  const found = yield* copy.rows(sqlFile("trace", part), { ids })
  return new Map<string, Row>(found.map((each) => [String(each[id]), each]))
})

const bodyOf = async (reader: ArchiveReader, response: Row): Promise<unknown> => {
  const place = {
    file: String(response["archive_file"]),
    offset: Number(response["archive_offset"]),
    length: Number(response["archive_length"]),
  }
  const parsed = parseBody(await reader.body(place, String(response["body_sha256"])))
  return Result.isSuccess(parsed) ? parsed.success.lossless : undefined
}
