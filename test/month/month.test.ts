// A month of scheduled runs under a simulated clock, with faults, two restarts and one kill a day: no hole that could
// have been filled, nothing twice, disk that grows with what is new, a log that a person can read. `make test` runs
// one day with all of that, of a pipeline for each way of reading, `make test-month` all thirty, of others too.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vaulthouse } from "../cli/command.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { query } from "../support/warehouseRun.ts"
import { filesIn } from "./bytes.ts"
import { wrongPoints, wrongVersions } from "./differences.ts"
import { allWays, Month, someWays } from "./month.ts"
import { broken, type Day, mixed, outage, quiet, rateLimits, sleep } from "./weather.ts"

const isWhole = process.env["WHOLE_MONTH"] !== undefined
const cycle = [rateLimits, outage, sleep, broken, quiet]
const wholeMonth = Array.from({ length: 30 }, (_, day) => cycle[day % cycle.length] as Day)
const days = isWhole ? wholeMonth : [mixed]

// Of the archive and of Parquet, per row that is new or revised. Each response also has the days that are read again.
const MAX_BYTES_PER_ROW = 1500
// DuckDB's file grows by blocks of 256 KiB, some for each table that is written, and for the metadata of tables and marts.
const DUCKDB_SLACK = 6_000_000
const DUCKDB_BYTES_PER_ROW = 1500
const LONGEST_LINE = 400
const LINES_PER_RUN = 40

describe("scheduled runs", () => {
  it.live(
    `keep a warehouse whole for ${days.length} days`,
    () =>
      Effect.gen(function* () {
        const cwd = yield* temporaryFolder
        const month = yield* Effect.acquireRelease(
          Effect.promise(() => Month.of(cwd, days, isWhole ? allWays : someWays)),
          (lived) => Effect.promise(() => lived.simulator.close()),
        )
        const { dataDir, given } = month
        expect(month.counts).toEqual({
          kill: days.length,
          restart: days.length,
          stop: days.length,
        })

        yield* Effect.promise(() => given.addOffered())
        expect(yield* wrongPoints(dataDir, given)).toEqual([])
        expect(yield* wrongVersions(dataDir, given)).toEqual([])
        const gaps = yield* query(dataDir, "select * from ops.gaps where state <> 'closed'")
        expect(gaps).toEqual([])
        // There was something to be wrong about.
        const [met] = yield* query(
          dataDir,
          `select (select count(*)::integer from ops.gaps) as gaps,
            (select count(*)::integer from ops.tasks where outcome = 'failed') as failed,
            (select count(*)::integer from ops.tasks where outcome = 'quarantined') as quarantined`,
        )
        const restated = [...given.values.values()].filter((values) => values.length > 1).length
        for (const [what, count] of Object.entries({ ...met, restated }))
          expect(count, what).toBeGreaterThan(0)
        for (const args of [["verify"], ["check", "--against-archive"]]) {
          expect(yield* Effect.promise(() => vaulthouse(args, { cwd }))).toMatchObject({ code: 0 })
        }

        const [ends] = yield* query(
          dataDir,
          `select count(*) filter (outcome = 'killed')::integer as killed,
            count(*) filter (outcome = 'stopped')::integer as stopped,
            count(*) filter (outcome is null or finished_at is null)::integer as without_end
          from ops.runs`,
        )
        const { kill: killed, stop: stopped } = month.counts
        expect(ends).toEqual({ killed, stopped, without_end: 0 })

        // Nothing is left behind by runs that were killed.
        expect(filesIn(dataDir).filter((file) => /tmp|\.wal$/.test(file))).toEqual([])
        const byDay = yield* query(
          dataDir,
          `select sum(rows_inserted + rows_revised)::integer as rows
          from ops.runs group by started_at::date order by started_at::date`,
        )
        const rowsOn = (day: number): number => Number(byDay[day]?.["rows"])
        for (const [day, { bytes }] of month.days.entries()) {
          const before = month.days[day - 1]?.bytes ?? { raw: 0, parquet: 0 }
          const grown = bytes.raw + bytes.parquet - before.raw - before.parquet
          expect(grown / rowsOn(day), `bytes per row on day ${day}`).toBeLessThan(MAX_BYTES_PER_ROW)
        }
        const [first, last] = [month.first, month.days.at(-1)?.bytes]
        const [later] = yield* query(
          dataDir,
          `select sum(rows_inserted + rows_revised)::integer as rows from ops.runs
          where run_id > (select min(run_id) from ops.runs)`,
        )
        for (const part of ["warehouse", "published"] as const) {
          const grown = (last?.[part] ?? NaN) - (first?.[part] ?? NaN)
          expect(grown, part).toBeGreaterThan(0)
          const most = DUCKDB_SLACK + Number(later?.["rows"]) * DUCKDB_BYTES_PER_ROW
          expect(grown, part).toBeLessThan(most)
        }

        for (const [day, { log }] of month.days.entries()) {
          const lines = log.split("\n")
          const odd = lines.filter(
            (line) => line.length > LONGEST_LINE || /^\s+at |^[{[]/.test(line),
          )
          expect(odd, `lines on day ${day}`).toEqual([])
          const runs = lines.filter((line) => line.includes("next run at")).length
          expect(lines.length / runs, `lines per run on day ${day}`).toBeLessThan(LINES_PER_RUN)
        }
      }).pipe(Effect.scoped),
    3_600_000,
  )
})
