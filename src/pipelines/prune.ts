// Drops archived responses older than an age, except those that rows of the tables, or open quarantine, refer
// to. New segments are complete on the disk before the index points at them, and old ones go last: a kill
// leaves at most a file nobody refers to, which the next pruning removes.
import { existsSync, readdirSync, statSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { allColumns } from "../domain/table.ts"
import { formatInstant, microsFromMillis, MICROS_PER_DAY } from "../domain/time.ts"
import { rewriteSegment } from "../extract/rewriteSegment.ts"
import { storedTables } from "../load/ddl.ts"
import { responses } from "../load/tables/responses.ts"
import { Warehouse } from "../load/Warehouse.ts"
import { coreTables } from "../transform/tables/index.ts"
import { archiveDirectory, archiveError } from "./archived.ts"

export interface PruneOptions {
  readonly dataDir: string
  readonly olderThanDays: number
  /** Only tells what would go. */
  readonly dryRun: boolean
}

export interface PruneSummary {
  readonly dropped: number
  readonly kept: number
  readonly segmentsRemoved: number
  readonly segmentsRewritten: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

export const prune = (options: PruneOptions) =>
  pruned(options).pipe(
    Effect.provide(
      Warehouse.layer({ dataDir: options.dataDir, tables: coreTables, runId: "prune" }),
    ),
  )

/** Every response a stored row was read from, and those whose rows may still be made. */
const referred = coreTables
  .flatMap(storedTables)
  .filter((table) => allColumns(table).some(({ name }) => name === "_response_id"))
  .map(({ schema, name }) => `select _response_id as id from ${schema}.${name}`)
  .concat("select response_id from ops.quarantine where closed_at is null")
  .join(" union all ")

interface Segment {
  readonly file: string
  readonly goes: number
  readonly stays: number
}

const pruned = Effect.fnUntraced(function* (options: PruneOptions) {
  const warehouse = yield* Warehouse
  const directory = archiveDirectory(options.dataDir)
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const before = formatInstant(now - options.olderThanDays * MICROS_PER_DAY).replace("Z", "")
  yield* warehouse.execute([
    `create or replace temp table referred as (select distinct id from (${referred}))`,
    `create or replace temp table pruning as
     select response_id, run_id, archive_file, body_sha256,
       received_at < timestamp '${before}'
         and response_id not in (from temp.main.referred where id is not null) as goes
     from raw.responses`,
  ])
  const segments = yield* Effect.forEach(segmentFiles(directory), (file) =>
    Effect.map(
      ask(
        `select count(*) filter (goes and run_id = '${stemOf(file)}')::double as goes,
           count(*) filter (not goes and '${file}' in (archive_file, run_id || '${SUFFIX}'))::double as stays
         from temp.main.pruning`,
      ),
      ([row]): Segment => ({ file, goes: Number(row?.["goes"]), stays: Number(row?.["stays"]) }),
    ),
  )
  const [counts] = yield* ask(
    `select count(*) filter (goes)::double as dropped, count(*) filter (not goes)::double as kept
     from temp.main.pruning`,
  )
  const mixed = segments.filter(({ goes, stays }) => goes > 0 && stays > 0)
  const bytesBefore = bytesIn(directory)
  const summary = {
    dropped: Number(counts?.["dropped"]),
    kept: Number(counts?.["kept"]),
    segmentsRemoved: segments.filter(({ goes, stays }) => goes > 0 && stays === 0).length,
    segmentsRewritten: mixed.length,
    bytesBefore,
    bytesAfter: bytesBefore,
  } satisfies PruneSummary
  if (options.dryRun || summary.dropped === 0) return summary
  const rewritten = new Set<string>()
  for (const { file } of mixed) {
    yield* rewrite(directory, file)
    rewritten.add(file)
  }
  yield* warehouse.execute(
    [
      `delete from raw.responses where response_id in (
         select response_id from temp.main.pruning where goes)`,
    ],
    [responses],
  )
  yield* removeUnreferred(directory, rewritten)
  return { ...summary, bytesAfter: bytesIn(directory) }
})

const SUFFIX = ".ndjson.zst"

const stemOf = (file: string): string => file.split(".")[0] ?? file

const segmentFiles = (directory: string): ReadonlyArray<string> =>
  existsSync(directory) ? readdirSync(directory).filter((file) => file.endsWith(SUFFIX)) : []

/** Asks on the writer's connection, which alone sees the temporary tables. */
const ask = (sql: string) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.exclusively("Reading what stays", async ({ connection }) =>
      (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    ),
  )

/** What of a segment stays goes to a new one, at which the index points from then on. */
const rewrite = Effect.fnUntraced(function* (directory: string, file: string) {
  const warehouse = yield* Warehouse
  const stays = yield* ask(
    `select response_id, body_sha256, archive_file = '${file}' as is_here
     from temp.main.pruning
     where not goes and (archive_file = '${file}' or run_id = '${stemOf(file)}')`,
  )
  const moved = yield* Effect.tryPromise({
    try: () =>
      rewriteSegment(directory, file, {
        responseIds: new Set(stays.map((row) => String(row["response_id"]))),
        bodies: new Set(
          stays.filter((row) => row["is_here"] === true).map((row) => String(row["body_sha256"])),
        ),
      }),
    catch: archiveError,
  })
  if (moved.length === 0) return
  const values = moved.map(
    ({ sha256, place }) => `('${sha256}', '${place.file}', ${place.offset}, ${place.length})`,
  )
  yield* warehouse.execute(
    [
      `update raw.responses r
       set archive_file = m.file, archive_offset = m.place, archive_length = m.length
       from (values ${values.join(", ")}) m (sha256, file, place, length)
       where r.body_sha256 = m.sha256 and r.archive_file = '${file}'`,
    ],
    [responses],
  )
})

/** A segment stays while a body in it, or the line of a response that has its body elsewhere, is wanted. */
const removeUnreferred = Effect.fnUntraced(function* (
  directory: string,
  rewritten: ReadonlySet<string>,
) {
  const warehouse = yield* Warehouse
  const rows = yield* warehouse.rows(
    "select distinct archive_file as file, run_id from raw.responses",
  )
  const files = new Set(rows.map((row) => String(row["file"])))
  const runs = new Set(rows.map((row) => String(row["run_id"])))
  for (const file of segmentFiles(directory)) {
    if (files.has(file) || (runs.has(stemOf(file)) && !rewritten.has(file))) continue
    yield* Effect.tryPromise({ try: () => rm(join(directory, file)), catch: archiveError })
  }
})

const bytesIn = (directory: string): number =>
  segmentFiles(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0)
