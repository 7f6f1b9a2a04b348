// Measures what a commit to a lake costs under its lock, by a fit to the commits of a sync. Needs a lake: the
// environment variables LAKE (what `make test-lake` installed) and LAKE_POSTGRES (the URL of an empty database).
import { join } from "node:path"
import { runChild } from "../child.ts"
import { type CommitConstants, readConstants } from "./constants.ts"

interface Commit {
  readonly millis: number
  readonly tasks: number
}

// Too little to show in commits of some thousand rows: `move` of 20 million rows into a lake took 12 s.
const MILLIS_PER_THOUSAND_ROWS = 0.6

export const measureCommits = async (folder: string, url: string): Promise<CommitConstants> => {
  const { LAKE: lake, LAKE_POSTGRES: postgres } = process.env
  if (lake === undefined || postgres === undefined) {
    console.log("Without LAKE and LAKE_POSTGRES the recorded cost of commits is kept.")
    return readConstants().commits
  }
  const commits = await runChild<ReadonlyArray<Commit>>(
    "scale/lakeSync.ts",
    url,
    join(folder, "lake"),
    postgres,
    join(lake, "extensions"),
  )
  const [each = 0, task = 0] = leastSquares(
    commits.map(({ tasks }) => [1, tasks]),
    commits.map(({ millis }) => millis),
  )
  return {
    store: `${commits.length} commits of a sync into a lake, PostgreSQL on the same machine, files in a folder`,
    millis: rounded(each),
    millisPerTask: rounded(task),
    millisPerThousandRows: MILLIS_PER_THOUSAND_ROWS,
  }
}

const rounded = (value: number): number => Number(Math.max(0, value).toPrecision(2))

/** The factors for which the weighted sum of the columns is closest to `values` (normal equations, Gauss-Jordan). */
const leastSquares = (
  columns: ReadonlyArray<ReadonlyArray<number>>,
  values: ReadonlyArray<number>,
): ReadonlyArray<number> => {
  const size = columns[0]?.length ?? 0
  const rows = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (_each, j) =>
      columns.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0),
    ),
    columns.reduce((sum, row, at) => sum + (row[i] ?? 0) * (values[at] ?? 0), 0),
  ])
  for (const [i, row] of rows.entries()) {
    const pivot = row[i] ?? 1
    for (let j = 0; j <= size; j += 1) row[j] = (row[j] ?? 0) / pivot
    for (const [k, other] of rows.entries()) {
      const factor = other[i] ?? 0
      if (k !== i)
        for (let j = 0; j <= size; j += 1) other[j] = (other[j] ?? 0) - factor * (row[j] ?? 0)
    }
  }
  return rows.map((row) => row[size] ?? 0)
}
