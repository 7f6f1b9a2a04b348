// Before which instant nothing may be dated: rows are dated after all that is stored. What brought nothing while the clock was far
// ahead, as nobody could say so, is dated again instead.
import type { Table } from "../../domain/table/table.ts"
import { MAX_CLOCK_SECONDS_OFF } from "../../domain/run/clockTolerance.ts"
import { MICROS_PER_SECOND } from "../../domain/values/time.ts"
import { number } from "../duckdb/decodeRow.ts"
import type { Row } from "../duckdb/readRows.ts"
import { instant, qualified } from "../sql/sql.ts"
import { sqlFile } from "../sql/sqlFile.ts"
import { operationTable } from "../tables/index.ts"
import { executeAll } from "./executeAll.ts"
import type { Session } from "./session.ts"

const FAR_AHEAD = MAX_CLOCK_SECONDS_OFF * MICROS_PER_SECOND

type Read = (
  sql: string,
  values: ReadonlyArray<string>,
  tables: ReadonlyArray<string>,
) => Promise<ReadonlyArray<Row>>

/** Microseconds since 1970, as `now` is. */
export const earliestInstant = async (
  session: Session,
  read: Read,
  now: number,
): Promise<number> => {
  // Whatever writes rows records that there.
  const instantIn = async (name: string): Promise<number> => {
    const [row] = await read(sqlFile("state", name), [], ["ops.partition_changes"])
    return row === undefined ? 0 : number("latest")(row)
  }
  const latest = await instantIn("latest_instant")
  if (latest <= now + FAR_AHEAD) return latest
  const landedAt = await instantIn("landed_instant")
  // The clock is behind now; whether it was ahead then can't be known.
  if (landedAt > now + FAR_AHEAD) return latest
  const landed = Math.max(now, landedAt)
  if (latest <= landed + FAR_AHEAD) return latest
  await executeAll(session, notAfter(landed), [...attemptTimes.keys()])
  return landed
}

/** Where attempts are recorded, whether or not they bring something. */
const attemptTimes: ReadonlyMap<Table, ReadonlyArray<string>> = new Map([
  [operationTable.runs, ["started_at", "finished_at"]],
  [operationTable.tasks, ["finished_at"]],
  [operationTable.gaps, ["updated_at"]],
  [operationTable.cursors, ["updated_at"]],
  [operationTable.checkResults, ["checked_at"]],
  [operationTable.partitionChanges, ["changed_at"]],
])

/** Statements that date what is dated later at an instant, microseconds since 1970. */
const notAfter = (latest: number): ReadonlyArray<string> =>
  [...attemptTimes].flatMap(([table, columns]) =>
    columns.map(
      (column) =>
        `UPDATE ${qualified(table)} SET ${column} = ${instant(latest)} WHERE ${column} > ${instant(latest)}`,
    ),
  )
