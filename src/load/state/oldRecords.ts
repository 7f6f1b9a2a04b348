// Which records of earlier runs nothing needs any more, and their removal: tasks, results of checks, responses, runs.
import * as Effect from "effect/Effect"
import { allColumns, storedTables, type Table } from "../../domain/table/table.ts"
import { MICROS_PER_DAY } from "../../domain/values/time.ts"
import type { Session } from "../commit/session.ts"
import { number } from "../duckdb/decodeRow.ts"
import { readRows } from "../duckdb/readRows.ts"
import { CATALOG, instant, literal, qualified } from "../sql/sql.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import { checkResults } from "../tables/ops/check_results.ts"
import { runs } from "../tables/ops/runs.ts"
import { tasks } from "../tables/ops/tasks.ts"
import { responses } from "../tables/raw/responses.ts"
import { Warehouse } from "../Warehouse.ts"
import { newPlaces } from "./archiveIndex.ts"
import { isPrunable } from "./neededResponses.ts"

export interface Ages {
  /** What nothing needs goes if it is from before this; microseconds since 1970. */
  readonly before: number
  /** The same for failures. */
  readonly failuresBefore: number
}

const OLD_TASKS = "temp.main.old_tasks"
const OLD_RESULTS = "temp.main.old_check_results"

/**
 * Finds the tasks and results of checks that `forget` removes; how many there are. `withFixedWindows`: pipelines whose windows
 * are the same in every run.
 */
export const findOldRecords = async (
  { connection }: Session,
  { before, failuresBefore }: Ages,
  withFixedWindows: ReadonlyArray<string>,
): Promise<number> => {
  const ages = [instant(before), instant(failuresBefore)]
  const fixed = withFixedWindows.map(literal).join(", ")
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE old_tasks AS ${filled("old_tasks", ...ages, `[${fixed}]::VARCHAR[]`)}`,
  )
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE old_check_results AS ${filled("old_check_results", ...ages)}`,
  )
  const [row = {}] = await readRows(
    connection,
    `SELECT ((SELECT count(*) FROM ${OLD_TASKS}) + (SELECT count(*) FROM ${OLD_RESULTS}))::DOUBLE AS n`,
  )
  return number("n")(row)
}

/** A query of warehouse/state with its parameters filled in: a statement that creates a table has none. */
const filled = (name: string, ...values: ReadonlyArray<string>): string =>
  values.reduce(
    (sql, value, at) => sql.replaceAll(`$${at + 1}`, () => value),
    sqlFile("state", name),
  )

const withoutOldRecords = [
  `DELETE FROM ${CATALOG}.ops.tasks
   WHERE (run_id, pipeline, entity, "window")
     IN (SELECT (run_id, pipeline, entity, "window") FROM ${OLD_TASKS})`,
  `DELETE FROM ${CATALOG}.ops.check_results
   WHERE (run_id, check_name) IN (SELECT (run_id, check_name) FROM ${OLD_RESULTS})`,
]

/** Removes what `findOldRecords` has found. */
export const forgetTasks = Effect.flatMap(Warehouse, ({ execute }) =>
  execute(withoutOldRecords, [tasks, checkResults]),
)

/** As `forgetTasks`, and the responses before `before` that `findReferenced` has not found; all or nothing. */
export const forget = Effect.fnUntraced(function* (before: number) {
  const { execute } = yield* Warehouse
  const oldResponses = `DELETE FROM ${CATALOG}.raw.responses WHERE ${isPrunable(before)}`
  yield* execute(
    [oldResponses, ...(yield* newPlaces), ...withoutOldRecords],
    [responses, tasks, checkResults],
  )
})

/**
 * Removes the records of runs that nothing names: call it once nothing of them is in the archive either, since a run that
 * the archive has and the warehouse does not is indexed anew (`rebuildIndex`). A run that was killed may have archived
 * responses after its end, the time of its last task: so runs stay a day longer.
 */
export const forgetRuns = Effect.fnUntraced(function* (
  { before, failuresBefore }: Ages,
  tables: ReadonlyArray<Table>,
) {
  const { execute } = yield* Warehouse
  // One subquery: each takes more than a megabyte, and the sources are a hundred.
  const named = tables
    .filter((table) => table !== runs)
    .flatMap(storedTables)
    .flatMap((table) => runColumns(table).map((name) => `SELECT ${name} FROM ${qualified(table)}`))
  yield* execute(
    [
      `DELETE FROM ${CATALOG}.ops.runs
       WHERE finished_at < ${instant(before - MICROS_PER_DAY)}
         AND (outcome = 'complete' OR finished_at < ${instant(failuresBefore)})
         AND run_id <> (SELECT max_by(run_id, started_at) FROM ${CATALOG}.ops.runs)
         AND run_id NOT IN (
           SELECT DISTINCT id FROM (${named.join(" UNION ALL ")}) t (id) WHERE id IS NOT NULL
         )`,
    ],
    [runs],
  )
})

const runColumns = (table: Table): ReadonlyArray<string> =>
  allColumns(table)
    .map(({ name }) => name)
    .filter((name) => ["run_id", "_run_id", "_superseded_by_run_id"].includes(name))
