// What needs attention after a run, and what does not: read from what the run left, at the present time.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { check } from "../../../../src/pipelines/publication/check.ts"
import { readHealth } from "../../../../src/pipelines/publication/health.ts"
import { freshnessOf } from "../../../../src/pipelines/readers/problems/freshness.ts"
import { stale } from "../../../../src/pipelines/readers/problems/problemTexts.ts"
import { problemsOf, readProblems } from "../../../../src/pipelines/readers/problems/problems.ts"
import { readLastRun } from "../../../../src/pipelines/run/lastRun.ts"
import { asAdmin, simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../../support/warehouseRun.ts"
import type { Problem } from "../../../../src/domain/run/problem.ts"

const HOUR = 3_600_000
const small = { days: 10, vaults: 3, slowReadMs: 0, serverCaches: false }
const pipelines = ["ratio_history", "pnl_history", "roles"]

const namesOf = (problems: ReadonlyArray<Problem>) =>
  problems.map(({ kind, subject }) => `${kind} ${subject}`)

const problemNames = (dataDir: string) => Effect.map(readProblems(dataDir), namesOf)

/** As they will be so many hours from now, if nothing runs. */
const problemsIn = Effect.fnUntraced(function* (dataDir: string, hours: number) {
  return problemsOf(
    yield* readHealth(dataDir),
    yield* readLastRun(dataDir),
    Date.now() + hours * HOUR,
  )
})

describe("problems", () => {
  it.live("there are none before the first run, and none after one that landed", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      expect(yield* readProblems(dataDir)).toEqual([])
      // Without a key, most pipelines are skipped and two are refused.
      yield* runOnce(simulator.url, dataDir)
      expect(yield* readProblems(dataDir)).toEqual([])
    }),
  )

  it.live("late series are one problem each, however many vaults, once nothing runs", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines })
      const problems = yield* problemsIn(dataDir, 5)
      expect(namesOf(problems)).toEqual(["stale pnl", "stale ratio"])
      expect(problems[1]?.text).toMatch(
        /^ratio is stale for \d of \d vaults: [56](\.\d)? h old, target 3 h\.$/,
      )
      const days = yield* problemsIn(dataDir, 60)
      expect(namesOf(days)).toContain("stale roles")
    }),
  )

  it("a late series counts the vaults that its row in the table counts, with and without facts", () => {
    const at = { newest_at: "2026-06-01T10:00:00.000Z", target_hours: 3, example: "Harbor" }
    const ratio = { subject: "ratio", pipeline: "ratio_history" }
    const now = Date.parse("2026-06-01T15:00:00Z")
    const [row] = freshnessOf(
      [
        { ...ratio, ...at, entities: 5 },
        { ...ratio, target_hours: 3, entities: 2, newest_at: undefined, example: "New" },
      ],
      now,
    )
    expect(row).toMatchObject({ entities: 7, stale: 5 })
    expect(row === undefined ? [] : stale(row, now).map(({ text }) => text)).toEqual([
      "ratio is stale for 5 of 7 vaults: 5 h old, target 3 h.",
    ])
  })

  it.live("freshness is that of the marts, which read every task there ever was", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { api: asAdmin })
      const rows = yield* query(
        dataDir,
        `select series as subject, newest_at, target_hours, count(*)::integer as entities
         from mart.freshness
         where not is_closed and last_outcome <> 'unsupported'
         group by all
         union all
         select pipeline, newest_at, target_hours, entities
         from mart.pipeline_freshness where pipeline not in (select pipeline from mart.series)`,
      )
      const health = yield* readHealth(dataDir)
      const line = (of: Readonly<Record<string, unknown>>): string =>
        ["subject", "newest_at", "target_hours", "entities"]
          .map((name) => String(of[name]))
          .join(" ")
      const ofMarts = rows.map((row) => {
        const at = row["newest_at"]
        return line({
          ...row,
          newest_at: at === null ? undefined : new Date(`${String(at)}Z`).toISOString(),
        })
      })
      expect(ofMarts.length).toBeGreaterThan(20)
      const ours = health?.freshness.map((row) =>
        line({
          ...row,
          newest_at:
            row.newest_at === undefined ? undefined : new Date(row.newest_at).toISOString(),
        }),
      )
      expect(ours?.toSorted()).toEqual(ofMarts.toSorted())
    }),
  )

  it.live("a series that the runs no longer read is not late", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines })
      yield* change(
        dataDir,
        "update ops.tasks set finished_at = finished_at - interval 3 days where pipeline = 'pnl_history'",
        "checkpoint",
      )
      yield* runOnce(simulator.url, dataDir, { pipelines: ["ratio_history"] })
      expect(namesOf(yield* problemsIn(dataDir, 5))).toEqual(["stale ratio"])
    }),
  )

  it.live("failures, gaps and quarantine stay until a run mends them", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
      const victim = simulator.truth.vaults[0]?.address ?? ""
      simulator.patch({
        faults: [
          { kind: "status", status: 418, match: `${victim}&startDate=202` },
          { kind: "contract-break", match: "roles", count: 1 },
        ],
      })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      const broken = yield* readProblems(dataDir)
      expect(namesOf(broken)).toEqual([
        "run_partial ratio_history",
        "quarantine roles",
        "gap ratio_history",
      ])
      expect(broken[0]?.text).toContain("HTTP 418")
      // What is missing of the vault, not of the years that other vaults have.
      const [gap] = yield* query(
        dataDir,
        "select min(from_at)::date as from_day, max(to_at)::date as to_day from ops.gaps where state = 'open'",
      )
      expect(broken[2]?.text).toMatch(
        new RegExp(
          `^ratio_history has 1 open gap: .+ ${String(gap?.["from_day"])} to ${String(gap?.["to_day"])}: `,
        ),
      )
      // A run of other pipelines mends nothing, and hides nothing.
      yield* runOnce(simulator.url, dataDir, { pipelines: ["fees"] })
      expect(yield* problemNames(dataDir)).toEqual(namesOf(broken))
      simulator.patch({ faults: [] })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(yield* problemNames(dataDir)).toEqual([])
    }),
  )

  it.live("gaps and quarantine of what the runs have not read for ten days are no problem", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
      const victim = simulator.truth.vaults[0]?.address ?? ""
      simulator.patch({
        faults: [
          { kind: "status", status: 418, match: `${victim}&startDate=202` },
          { kind: "contract-break", match: "roles", count: 1 },
        ],
      })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      simulator.patch({ faults: [] })
      const lost = Effect.map(problemNames(dataDir), (names) =>
        names.filter((name) => /^(gap|quarantine) /.test(name)),
      )
      // The vault is excluded, and the other pipeline is not among `pipelines` any more.
      const withoutThem = {
        pipelines: ["ratio_history"],
        vaults: { include: [], exclude: [victim] },
      }
      const later = Effect.fnUntraced(function* (days: number) {
        yield* change(
          dataDir,
          `update ops.tasks set finished_at = finished_at - interval ${days} day`,
          "checkpoint",
        )
        yield* runOnce(simulator.url, dataDir, withoutThem)
      })
      yield* later(5)
      expect(yield* lost).toEqual(["quarantine roles", "gap ratio_history"])
      // Skipped for want of a key or a path: that is why the entry was not read again.
      yield* later(6)
      yield* later(5)
      yield* change(
        dataDir,
        `insert into ops.tasks select * replace ('-' as entity, 'roles' as pipeline, 'skipped' as outcome)
         from ops.tasks where entity <> '-' order by finished_at desc limit 1`,
        "checkpoint",
      )
      yield* runOnce(simulator.url, dataDir, withoutThem)
      expect(yield* lost).toEqual(["quarantine roles"])
      yield* later(11)
      yield* later(2)
      expect(yield* lost).toEqual([])
      // They are read again, and what is there counts until then.
      simulator.patch({
        faults: [{ kind: "status", status: 418, match: `${victim}&startDate=202` }],
      })
      yield* runOnce(simulator.url, dataDir, { pipelines: ["ratio_history"] })
      expect(yield* lost).toEqual(["gap ratio_history"])
      // After a pause, runs of a part on the first day say nothing of the rest.
      yield* later(11)
      yield* runOnce(simulator.url, dataDir, withoutThem)
      expect(yield* lost).toEqual(["gap ratio_history"])
    }),
  )

  it.live("failures of a pipeline that the runs have not read for ten days are no problem", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const keyed = { pipelines: ["vaults", "subaccounts", "timelock_requests"], api: asAdmin }
      yield* runOnce(simulator.url, dataDir, keyed)
      simulator.patch({
        faults: [
          { kind: "status", status: 418, match: "subaccount" },
          { kind: "status", status: 403, match: "timelock" },
        ],
      })
      yield* runOnce(simulator.url, dataDir, keyed)
      simulator.patch({ faults: [] })
      const failing = ["key_rejected key", "run_partial my_subaccounts", "run_partial subaccounts"]
      const later = Effect.fnUntraced(function* (days: number) {
        yield* change(
          dataDir,
          `update ops.tasks set finished_at = finished_at - interval ${days} day`,
          "checkpoint",
        )
        yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"], api: asAdmin })
        return yield* problemNames(dataDir)
      })
      expect(yield* problemNames(dataDir)).toEqual(failing)
      // Nothing was read meanwhile, so nothing shows that they are no longer selected.
      expect(yield* later(40)).toEqual(failing)
      yield* later(11)
      expect(yield* later(2)).toEqual([])
    }),
  )

  it.live("gaps of many vaults are one problem, which names the longest", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ ...small, vaults: 12 })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
      simulator.patch({ faults: [{ kind: "status", status: 418, match: "fields=ratio" }] })
      yield* runOnce(simulator.url, dataDir, { pipelines: ["ratio_history"] })
      const gaps = (yield* readProblems(dataDir)).filter(({ kind }) => kind === "gap")
      expect(gaps).toHaveLength(1)
      expect(gaps[0]?.text).toMatch(
        /^ratio_history has \d+ open gaps: ([^,]+ \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d(, )?){3} and of \d+ more: /,
      )
      expect(gaps[0]?.text.length).toBeLessThan(400)
    }),
  )

  it.live("the pieces that a vault misses are named, and not what lies between them", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines: ["fees"] })
      const gapsText = Effect.fnUntraced(function* (entity: string, spans: ReadonlyArray<string>) {
        yield* change(
          dataDir,
          ...spans.map(
            (span) =>
              `insert into ops.gaps (pipeline, entity, from_at, to_at, reason, state, detail, run_id, updated_at)
               select 'ratio_history', '${entity}', '${span.slice(0, 10)}'::timestamp,
                   '${span.slice(-10)}'::timestamp + interval 23 hour, 'failed', 'open', 'it broke', 'r', '2026-11-24'::timestamp`,
          ),
          `insert into ops.tasks select * replace (uuid()::varchar as run_id, 'ratio_history' as pipeline, '${entity}' as entity)
           from ops.tasks limit 1`,
          "checkpoint",
        )
        yield* runOnce(simulator.url, dataDir, { pipelines: ["fees"] })
        return (yield* readProblems(dataDir)).find(({ kind }) => kind === "gap")?.text
      })
      const apart = ["2026-11-20 2026-11-23", "2025-11-24 2025-12-10"]
      expect(yield* gapsText("one", apart)).toBe(
        "ratio_history has 2 open gaps: one 2025-11-24 to 2025-12-10 and 2026-11-20 to 2026-11-23: it broke.",
      )
      // The first ends where another begins, and a day of its own lies between the two.
      expect(yield* gapsText("one", ["2025-12-11 2025-12-31", "2026-03-01 2026-03-01"])).toBe(
        "ratio_history has 4 open gaps: one 2025-11-24 to 2025-12-31 and 2026-11-20 to 2026-11-23 and 1 more: it broke.",
      )
      // First whoever misses most, and not whose gaps are the furthest apart.
      expect(yield* gapsText("two", ["2026-01-01 2026-06-30"])).toMatch(
        /^ratio_history has 5 open gaps: two 2026-01-01 to 2026-06-30, one 2025/,
      )
    }),
  )

  it.live("a run without any response is one problem, not one for each pipeline", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines })
      simulator.patch({ faults: [{ kind: "status", status: 418 }] })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      const problems = yield* readProblems(dataDir)
      expect(namesOf(problems)).toEqual(["run_failed sync", "gap ratio_history"])
      expect(problems[0]?.text).toContain("HTTP 418")
    }),
  )

  it.live("a key is rejected where the service does not know it, or refuses what was read", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const api = { apiKey: Redacted.make("nobody-s-key") }
      const keyed = { pipelines: ["loans", "subaccounts"] }
      yield* runOnce(simulator.url, dataDir, { ...keyed, api })
      expect((yield* problemNames(dataDir))[0]).toBe("key_rejected key")
      yield* runOnce(simulator.url, dataDir, { ...keyed, api: asAdmin })
      expect(yield* problemNames(dataDir)).toEqual([])
      yield* runOnce(simulator.url, dataDir, { ...keyed, api })
      const [rejected] = yield* readProblems(dataDir)
      expect(rejected?.text).toMatch(/^The service rejects the API key \(HTTP 401\); not read: /)
      // A run that needs no key says nothing about it, so what the one before found stays.
      yield* runOnce(simulator.url, dataDir, { pipelines: ["fees"], api })
      expect((yield* readProblems(dataDir))[0]).toEqual(rejected)
      // The key was replaced, and what is read once a day has not been read with it yet.
      yield* runOnce(simulator.url, dataDir, { pipelines: ["timelock_requests"], api: asAdmin })
      expect((yield* readProblems(dataDir))[0]).toMatchObject({
        kind: "key_rejected",
        text: "Not read since the service denied the API key access: subaccounts.",
        advice:
          "`vaulthouse sync subaccounts` reads it now; `vaulthouse doctor` shows what the key has access to.",
      })
      simulator.patch({ faults: [{ kind: "status", status: 403, pathPrefix: "/" }] })
      yield* runOnce(simulator.url, dataDir, { ...keyed, api: asAdmin })
      const [everywhere] = yield* readProblems(dataDir)
      expect(everywhere?.text).toMatch(
        /^The service denied the API key everything it was used for \(HTTP 403\); not read: /,
      )
      simulator.patch({
        faults: [{ kind: "status", status: 403, pathPrefix: "/subaccount" }],
      })
      yield* runOnce(simulator.url, dataDir, { ...keyed, api: asAdmin, settings: { full: true } })
      const [refused] = yield* readProblems(dataDir)
      expect(refused?.text).toBe("The service no longer gives the API key access to subaccounts.")
    }),
  )

  it.live(
    "a run without a key is refused what earlier runs read: the key is missing, not rejected",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated(small)
        const dataDir = yield* temporaryFolder
        const read = { pipelines: ["timelock_requests"] }
        yield* runOnce(simulator.url, dataDir, { ...read, api: asAdmin })
        yield* runOnce(simulator.url, dataDir, read)
        const [missing] = yield* readProblems(dataDir)
        expect(missing).toMatchObject({
          kind: "key_rejected",
          text: "Without an API key, the service refused what earlier runs had read with one: timelock_requests.",
          advice: "Set VAULTHOUSE_API_KEY or VAULTHOUSE_API_KEY_FILE where `vaulthouse sync` runs.",
        })
        yield* runOnce(simulator.url, dataDir, { ...read, api: asAdmin })
        expect(yield* problemNames(dataDir)).toEqual([])
      }),
  )

  it.live("a failed check stays until all rows pass, not only those of the next run", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ ...small, now: "2026-06-01T00:00:00Z" })
      const dataDir = yield* temporaryFolder
      const read = { pipelines: ["ratio_history"] }
      yield* runOnce(simulator.url, dataDir, read)
      const ratioOfOldest = (ratio: number) =>
        change(
          dataDir,
          `update core.ratio_history set adjusted_redeem_ratio = ${ratio}
           where observed_at = (select min(observed_at) from core.ratio_history)`,
          "checkpoint",
        )
      yield* ratioOfOldest(-1)
      const name = "core.ratio_history.range"
      yield* check({ dataDir, names: [name] })
      const [found] = yield* readProblems(dataDir)
      expect(found).toMatchObject({ kind: "failed_check", subject: name })
      simulator.patch({ now: "2026-06-01T06:00:00Z" })
      const { summary } = yield* runOnce(simulator.url, dataDir, read)
      // The run wrote only good rows, so it did not fail.
      expect(summary.rowsInserted).toBeGreaterThan(0)
      expect(summary.failedChecks).toEqual([])
      const failed = (yield* readProblems(dataDir)).filter(({ kind }) => kind === "failed_check")
      expect(failed).toEqual([found])
      yield* ratioOfOldest(1)
      yield* runOnce(simulator.url, dataDir, { pipelines: ["fees"] })
      expect(yield* problemNames(dataDir)).not.toContain(`failed_check ${name}`)
    }),
  )

  it.live("a failure of a check that there is no longer ends with the next run, or check", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const fees = { pipelines: ["fees"] }
      yield* runOnce(simulator.url, dataDir, fees)
      const failed = (run: string) =>
        change(
          dataDir,
          `insert into ops.check_results (run_id, check_name, severity, outcome, failures, checked_at)
           values ('${run}', 'core.fees.contract', 'error', 'failed', 2, now()::timestamp)`,
          "checkpoint",
        )
      yield* failed("r")
      yield* runOnce(simulator.url, dataDir, fees)
      expect(yield* readProblems(dataDir)).toEqual([])
      yield* failed("s")
      yield* check({ dataDir, names: ["core.fees.range"] })
      expect(yield* readProblems(dataDir)).toEqual([])
    }),
  )

  it.live("a run that was killed is a failed one", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ ...small, latencyMs: 200 })
      const dataDir = yield* temporaryFolder
      yield* Effect.promise(async () => {
        const script = join(import.meta.dirname, "../../../support/processes/syncProcess.ts")
        const child = spawn(process.execPath, [script, simulator.url, dataDir])
        while (!existsSync(join(dataDir, "last-run.json"))) {
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
        child.kill("SIGKILL")
        await once(child, "exit")
      })
      expect(yield* problemNames(dataDir)).toEqual(["run_failed sync"])
    }),
  )
})
