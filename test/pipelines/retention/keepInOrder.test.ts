// What retention removes of archive and records, and that everything a row, a gap, quarantine or a mart needs is there.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { runOfSegment, segmentOfRun } from "../../../src/archive/segments.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { compact } from "../../../src/pipelines/archive/compact.ts"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { existingWarehouse } from "../../../src/pipelines/publication/warehouse.ts"
import { keepInOrder } from "../../../src/pipelines/retention/keepInOrder.ts"
import { ahead } from "../../support/movableClock.ts"
import { content, replayed, segments } from "../../support/replays.ts"
import { sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { change, queries, query, runOnce } from "../../support/warehouseRun.ts"

const pipelines = ["ratio_history", "withdrawals", "performance_fees"]
const DAY_MILLIS = 86_400_000
const COPIES = 60

/** In the middle of a month. The clock is never ahead of the service's, which is the machine's. */
const BEGIN = Date.parse("2025-06-10T12:00:00Z")
const daysAfter = <A, E, R>(days: number, work: Effect.Effect<A, E, R>) =>
  ahead(BEGIN + days * DAY_MILLIS - Date.now(), work)

/** What is logged while it is provided. */
const logs = () => {
  const logged: Array<string> = []
  const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
  return { logged, log }
}

const aTable = (table: string, times: ReadonlyArray<string>): string =>
  `insert into ${table} by name
   select * exclude (n) replace (concat(run_id, '-', n) as run_id,
     ${times.map((time) => `${time} - to_hours(n) as ${time}`).join(", ")})
   from ${table}, range(1, ${COPIES + 1}) t (n)`

interface Life {
  /** Days of the runs, after `BEGIN`. */
  readonly days: readonly [number, number]
  /** Of the service: where its histories begin, and its time in each run. */
  readonly start: string
  readonly times: readonly [string, string]
}

/** Two runs, the second with a response in quarantine, and as many records as 60 more of each, an hour apart, would have left. */
const livedAs = ({ days, start, times }: Life) =>
  sharedWarehouse(
    Effect.fnUntraced(function* (dataDir) {
      const simulator = yield* simulated({ vaults: 2, days: 3, now: times[0], start })
      yield* daysAfter(days[0], runOnce(simulator.url, dataDir, { pipelines, api: asAdmin }))
      simulator.patch({
        now: times[1],
        faults: [{ kind: "contract-break", match: "fields=ratio", count: 1 }],
      })
      // Creates the marts too.
      yield* daysAfter(
        days[1],
        runOnce(simulator.url, dataDir, { pipelines, api: asAdmin, settings: { fillGaps: true } }),
      )
      yield* change(
        dataDir,
        aTable("ops.tasks", ["finished_at"]),
        aTable("ops.runs", ["started_at", "finished_at"]),
        aTable("ops.check_results", ["checked_at"]),
        "checkpoint",
      )
    }),
  )

const lived = livedAs({
  days: [0, 0],
  start: "2026-05-29T00:00:00Z",
  times: ["2026-06-01T00:00:00Z", "2026-06-02T06:00:00Z"],
})

/** Whose marts have rows: the clock is the service's, and the records reach into two months. */
const livedInTwoMonths = livedAs({
  days: [-11, -8],
  start: "2025-05-29T00:00:00Z",
  times: ["2025-05-30T12:00:00Z", "2025-06-02T06:00:00Z"],
})

/** As if this month's runs had left so many segments, here as workers of one. */
const fillMonth = (dataDir: string, count: number): void => {
  const [first = ""] = segments(dataDir)
  for (let at = segments(dataDir).length; at < count; at += 1) {
    const name = segmentOfRun(runOfSegment(first), `worker-${at}`)
    copyFileSync(join(dataDir, "raw", first), join(dataDir, "raw", name))
  }
}

/** The marts that read tasks, without what depends on the time of the query. */
const martContent = [
  "select * from mart.completeness where expected_at < timestamp '2025-06-02'",
  "select * exclude (age_hours) from mart.freshness",
  "select * from mart.last_read",
  "select * from mart.performance_fees_monthly",
  "select * from mart.series",
  "select * from mart.withdrawal_queue_daily",
]
  .map(
    (sql, at) =>
      `select ${at} as mart, count(*)::integer as n, sum(hash(t))::varchar as content from (${sql}) t`,
  )
  .join(" union all ")

const failures = "outcome in ('failed', 'quarantined', 'deferred', 'suspicious_empty')"

describe("retention", () => {
  it.live("keeps the newest record of each subject, and every mart and row as they were", () =>
    Effect.gen(function* () {
      const dataDir = yield* livedInTwoMonths
      const counts = `select (select count(*) from ops.tasks where not ${failures})::integer as tasks,
        (select count(*) from ops.tasks where ${failures})::integer as failures,
        (select count(*) from ops.check_results)::integer as results, (select count(*) from ops.runs)::integer as runs`
      const [[before] = [], marts] = yield* queries(dataDir, [counts, martContent])
      expect(marts?.filter(({ n }) => n === 0)).toEqual([])
      const rows = yield* content(dataDir)
      const pruneAfter = (days: number) =>
        daysAfter(days, prune({ dataDir, olderThanDays: 10, dryRun: false }))

      const { recordsDropped } = yield* pruneAfter(100)
      const [[after] = [], martsAfter, repeated, unknown] = yield* queries(dataDir, [
        counts,
        martContent,
        `select pipeline, entity from ops.tasks where not ${failures}
         group by pipeline, entity, case when pipeline = 'performance_fees' then "window" end, covers_from, covers_to,
           outcome, case when pipeline <> 'ratio_history' then finished_at::date end
         having count(*) > 1
         union all select check_name, outcome from ops.check_results where outcome <> 'failed'
         group by all having count(*) > 1`,
        `select run_id from ops.tasks union select run_id from ops.check_results
         union select run_id from ops.quarantine union select run_id from ops.gaps union select run_id from raw.responses
         union select _run_id from core.ratio_history except select run_id from ops.runs`,
      ])
      expect(martsAfter).toEqual(marts)
      expect([repeated, unknown]).toEqual([[], []])
      expect(recordsDropped).toBeGreaterThan(Number(before?.["tasks"]) * 0.8)
      expect(after?.["failures"]).toBe(before?.["failures"])
      expect(Number(after?.["results"])).toBeLessThan(Number(before?.["results"]) / 10)

      // Failures go after a year, but for what quarantine names.
      yield* pruneAfter(500)
      const [kept, [later] = [], [named] = []] = yield* queries(dataDir, [
        martContent,
        counts,
        `select count(*)::integer as n from ops.tasks semi join ops.quarantine using (run_id, pipeline, entity, "window")`,
      ])
      expect(kept).toEqual(marts)
      expect(Number(later?.["failures"])).toBeLessThan(Number(before?.["failures"]) / 10)
      expect(Number(later?.["runs"])).toBeLessThan(Number(before?.["runs"]) / 2)
      expect(Number(named?.["n"])).toBeGreaterThan(0)
      expect(yield* content(dataDir)).toEqual(rows)
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
    }),
  )

  it.live("keeps the oldest empty reading of what was granted since", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      // Nothing in January, one of each granted in February and revoked in March, and nothing again.
      yield* change(
        dataDir,
        `insert into ops.tasks by name
         select task.* replace (
           'day-' || n as run_id, read.pipeline as pipeline, 'a@1' as entity, 'all' as "window", 'a' as vault_address,
           1 as chain_id, case when n = 40 then 'loaded' else 'empty' end as outcome,
           case when n = 0 then 'NotFound' end as error_tag, timestamp '2020-01-01' + to_days(n::integer) as finished_at)
         from (from ops.tasks where pipeline = 'withdrawals' limit 1) task,
           (select n, pipeline from range(0, 90) t (n), (values ('roles'), ('permissions')) p (pipeline)) read`,
        ...[
          "core.permissions by name select 'Aave' as integration, 'deposit' as function_name",
          "core.roles by name select 'owner' as role, 'h' as holder_address",
        ].map(
          (into) =>
            `insert into ${into}, 1 as chain_id, 'a' as vault_address, 1 as occurrence, timestamp '2020-02-10' as valid_from,
               timestamp '2020-03-01' as valid_to, false as is_current, columns('^_')
             from core.withdrawal_summaries limit 1`,
        ),
        "checkpoint",
      )
      const events =
        "select kind from mart.governance_timeline where vault_address = 'a' order by kind"
      const [before] = yield* queries(dataDir, [events])
      expect(before?.map(({ kind }) => kind)).toEqual([
        "permission_granted",
        "permission_revoked",
        "role_granted",
        "role_revoked",
      ])
      yield* daysAfter(100, prune({ dataDir, olderThanDays: 10, dryRun: false }))
      const [after, left] = yield* queries(dataDir, [
        events,
        `select pipeline, count(*)::integer as tasks, (min(finished_at)::date)::varchar as oldest
         from ops.tasks where vault_address = 'a' and outcome = 'empty' group by pipeline order by pipeline`,
      ])
      expect(after).toEqual(before)
      expect(left).toEqual(
        ["permissions", "roles"].map((pipeline) => ({ pipeline, tasks: 2, oldest: "2020-01-02" })),
      )
    }),
  )

  it.live("keeps the last whole list of a request that was late", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const at = (hour: number): string => `timestamp '2020-01-01' + to_hours(${hour})`
      const summary = (vault: string, from: number, until: number | null, unread: number | null) =>
        `insert into core.withdrawal_summaries by name
         select * replace ('${vault}' as vault_address, 1 as chain_id, 0 as pending_requests,
           ${unread} as unread_requests, ${at(from)} as valid_from,
           ${until === null ? null : at(until)} as valid_to, ${until === null} as is_current)
         from core.withdrawal_summaries limit 1`
      yield* change(
        dataDir,
        // Each hour of two days, of which the last of each day stays anyway.
        `insert into ops.tasks by name
         select task.* replace (
           'hour-' || n as run_id, vault || '@1' as entity, 'all' as "window", vault as vault_address, 1 as chain_id,
           'unchanged' as outcome, null as error_tag, timestamp '2020-01-01' + to_hours(n::integer) as finished_at)
         from (from ops.tasks where pipeline = 'withdrawals' limit 1) task,
           (select n, vault from range(0, 48) t (n), (values ('a'), ('b')) v (vault)) read`,
        // Due at 10 o'clock, and not in the list of 15 o'clock.
        ...["a", "b"].map(
          (vault) =>
            `insert into core.withdrawal_requests by name
             select * replace ('${vault}' as vault_address, 1 as chain_id, 'r' as request_id,
               ${at(10)} as estimated_completion_at, ${at(8)} as valid_from, ${at(15)} as valid_to,
               false as is_current)
             from core.withdrawal_requests limit 1`,
        ),
        summary("a", 8, null, null),
        // From 12 to 14 o'clock its lists could not be read whole.
        summary("b", 8, 12, null),
        summary("b", 12, 15, 1),
        summary("b", 15, null, null),
        "checkpoint",
      )
      const late =
        "select vault_address, was_late from mart.withdrawal_history where request_id = 'r' order by vault_address"
      const [before] = yield* queries(dataDir, [late])
      expect(before?.map((row) => row["was_late"])).toEqual([true, true])
      yield* daysAfter(100, prune({ dataDir, olderThanDays: 10, dryRun: false }))
      const [after, left] = yield* queries(dataDir, [
        late,
        `select vault_address, list(hour(finished_at)::integer order by finished_at) as hours
         from ops.tasks where run_id like 'hour-%' group by vault_address order by vault_address`,
      ])
      expect(after).toEqual(before)
      expect(left).toEqual([
        { vault_address: "a", hours: [14, 23, 23] },
        { vault_address: "b", hours: [11, 23, 23] },
      ])
    }),
  )

  it.live("is what a run does besides, once a month is old enough", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 3, now: "2026-06-02T06:00:00Z" })
      const dataDir = yield* lived
      const old =
        "select count(*)::integer as n from ops.tasks where run_id like '%-%-%' and outcome = 'loaded'"
      const run = (days: number) =>
        daysAfter(days, runOnce(simulator.url, dataDir, { pipelines: ["fees"], keepDays: 90 }))
      const count = Effect.map(query(dataDir, old), ([row]) => Number(row?.["n"]))
      const before = yield* count
      yield* run(32)
      // The two runs are of a month that is over.
      expect(segments(dataDir)).toHaveLength(2)
      expect(yield* count).toBe(before)
      yield* run(200)
      expect(yield* count).toBeLessThan(before / 5)
      const findings = yield* verify({ dataDir })
      expect(findings.filter(({ path }) => !path.startsWith("published/"))).toEqual([])
    }),
  )

  it.live("a failed run or a swap earlier that day does not keep a run from it", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 3, now: "2026-06-02T06:00:00Z" })
      const dataDir = yield* lived
      const old = Effect.map(
        query(dataDir, "select count(*)::integer as n from ops.tasks where run_id like '%-%-%'"),
        ([row]) => Number(row?.["n"]),
      )
      const before = yield* old
      const fees = { pipelines: ["fees"], keepDays: 90 }
      simulator.patch({ faults: [{ kind: "status", status: 418 }] })
      const { summary } = yield* daysAfter(200, runOnce(simulator.url, dataDir, fees))
      expect(summary.outcome).toBe("failed")
      yield* change(
        dataDir,
        `insert into ops.runs by name
         select * replace ('swapping' as run_id, 'swap' as command, 'complete' as outcome)
         from ops.runs where run_id = (select max(run_id) from ops.runs)`,
        "checkpoint",
      )
      expect(yield* old).toBe(before)
      simulator.patch({ faults: [] })
      yield* daysAfter(200.1, runOnce(simulator.url, dataDir, fees))
      expect(yield* old).toBeLessThan(before / 5)
    }),
  )

  it.live("joins and prunes a month in one run, and removes each file once", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 3, now: "2026-06-02T06:00:00Z" })
      const dataDir = yield* lived
      const month = segments(dataDir)[0]?.slice(0, 6) ?? ""
      const ofMonth = () => segments(dataDir).filter((file) => file.startsWith(month))
      const runs = Effect.map(
        query(dataDir, "select count(*)::integer as n from ops.runs"),
        ([row]) => Number(row?.["n"]),
      )
      const before = yield* runs
      const run = (days: number) =>
        daysAfter(days, runOnce(simulator.url, dataDir, { pipelines: ["fees"], keepDays: 90 }))
      const { logged, log } = logs()
      yield* Effect.provide(run(500), log)
      expect(logged).toEqual([])
      // The joined one, pruned.
      expect(ofMonth()).toEqual([expect.stringMatching(/^\d{6}\.\w+\.r\w+\.ndjson\.zst$/)])
      expect(yield* runs).toBeLessThan(before)
      const pruned = ofMonth()
      yield* run(501)
      expect(ofMonth()).toEqual(pruned)
      const findings = yield* verify({ dataDir })
      expect(findings.filter(({ path }) => !path.startsWith("published/"))).toEqual([])
    }),
  )

  it.live("a segment that can't be read is the subject of a warning, and of no failure", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 3, now: "2026-06-02T06:00:00Z" })
      const dataDir = yield* lived
      const [first = ""] = segments(dataDir)
      const file = join(dataDir, "raw", first)
      const whole = readFileSync(file)
      writeFileSync(
        file,
        whole.map((byte, at) => (at > whole.length / 2 ? byte ^ 0xff : byte)),
      )
      const run = (days: number) =>
        daysAfter(days, runOnce(simulator.url, dataDir, { pipelines: ["fees"], keepDays: 90 }))
      const { logged, log } = logs()
      const { summary } = yield* Effect.provide(run(500), log)
      expect(summary.outcome).toBe("complete")
      expect(logged).toEqual([
        expect.stringMatching(
          new RegExp(
            `^old records stay for now: Reading the response archive: .*${first}.*\\. Nothing was changed; \`vaulthouse verify\` lists`,
          ),
        ),
      ])
      expect(segments(dataDir)).toContain(first)
      // Once it is back, the next run does what is left.
      writeFileSync(file, whole)
      const again = logs()
      yield* Effect.provide(run(501), again.log)
      expect(again.logged).toEqual([])
      expect(segments(dataDir)).not.toContain(first)
    }),
  )

  it.live("joins the segments of 32 runs of this month", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 3, now: "2026-06-02T06:00:00Z" })
      const dataDir = yield* lived
      const run = daysAfter(0, runOnce(simulator.url, dataDir, { pipelines: ["fees"] }))
      fillMonth(dataDir, 31)
      yield* run
      const before = segments(dataDir)
      expect(before).toHaveLength(32)
      // Readers of the copy before know no other place until there is the next one.
      let whilePublishing: ReadonlyArray<string> = []
      const publishing = runOnce(simulator.url, dataDir, {
        pipelines: ["fees"],
        publish: { parquet: undefined },
        onProgress: ({ kind }) => {
          if (kind === "stage") whilePublishing = segments(dataDir)
        },
      })
      yield* daysAfter(0, publishing)
      expect(whilePublishing).toEqual(expect.arrayContaining([...before]))
      expect(segments(dataDir)).toHaveLength(2)
      expect(yield* verify({ dataDir })).toEqual([])
      // Once the month is over, what is joined and what is not become one.
      const month = segments(dataDir)[0]?.slice(0, 6) ?? ""
      yield* daysAfter(40, runOnce(simulator.url, dataDir, { pipelines: ["fees"] }))
      expect(segments(dataDir).filter((file) => file.startsWith(month))).toHaveLength(1)
    }),
  )

  it.live("reads the index in a later run of a day only where there is something to join", () =>
    Effect.gen(function* () {
      const dataDir = yield* lived
      const reads = Effect.gen(function* () {
        const warehouse = yield* Warehouse
        const statements: Array<string> = []
        const rows: typeof warehouse.rows = (sql, ...more) => {
          statements.push(sql)
          return warehouse.rows(sql, ...more)
        }
        const work = Effect.flatten(keepInOrder({ dataDir }, 90, false))
        yield* Effect.provideService(work, Warehouse, { ...warehouse, rows })
        return statements.filter((sql) => sql.includes("raw.responses"))
      }).pipe(Effect.provide(existingWarehouse("Retention", { dataDir, runId: "retention" })))
      expect(yield* daysAfter(0, reads)).toEqual([])
      fillMonth(dataDir, 32)
      expect(yield* daysAfter(0, reads)).not.toEqual([])
    }),
  )

  it.live.each([
    ["a run", (url: string, dataDir: string) => runOnce(url, dataDir, { pipelines: ["fees"] })],
    ["compact", (_: string, dataDir: string) => compact({ dataDir })],
  ] as const)("%s leaves alone what another warehouse writes to the same archive", ([, joining]) =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 3, now: "2026-06-02T06:00:00Z" })
      const dataDir = yield* lived
      fillMonth(dataDir, 32)
      const [first = ""] = segments(dataDir)
      const frames = readFileSync(join(dataDir, "raw", first))
      const file = segmentOfRun(`${first.slice(0, 8)}T235959999Z-aaaaaa`)
      const other = folderStore(join(dataDir, "raw")).write(file)
      yield* Effect.promise(() => other.append(frames))
      yield* daysAfter(0, Effect.asVoid<unknown, unknown, never>(joining(simulator.url, dataDir)))
      expect(segments(dataDir)).not.toContain(first)
      yield* Effect.promise(async () => {
        await other.append(frames)
        await other.close()
      })
      expect(readFileSync(join(dataDir, "raw", file))).toEqual(Buffer.concat([frames, frames]))
    }),
  )

  it.live("joins nothing again until readers know where the last join has put it", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 3, now: "2026-06-02T06:00:00Z" })
      const dataDir = yield* lived
      fillMonth(dataDir, 32)
      const run = daysAfter(
        0,
        runOnce(simulator.url, dataDir, {
          pipelines: ["fees"],
          publish: { parquet: undefined },
        }),
      )
      const joined = () => segments(dataDir).filter((file) => /^\d{6}\./.test(file))
      // No folder can be made there.
      writeFileSync(join(dataDir, "published"), "")
      for (let at = 0; at < 3; at += 1) {
        expect(yield* Effect.flip(run)).toMatchObject({ reason: "Files" })
        expect(joined()).toHaveLength(1)
        expect(segments(dataDir)).toHaveLength(34 + at)
      }
      rmSync(join(dataDir, "published"))
      yield* run
      expect(joined()).toHaveLength(1)
      yield* run
      // What two joins made, and the segment of the run itself.
      expect(segments(dataDir)).toHaveLength(3)
      expect(yield* verify({ dataDir })).toEqual([])
    }),
  )
})
