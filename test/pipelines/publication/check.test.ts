// A warehouse that a real run made passes every check; broken by hand in each way, the row is named.
import {
  cpSync,
  openSync,
  closeSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { defaultWire } from "../../../src/extract/request.ts"
import { check, checkTouched } from "../../../src/pipelines/publication/check.ts"
import { compareWithArchive } from "../../../src/pipelines/archive/replay.ts"
import { existingWarehouse } from "../../../src/pipelines/publication/warehouse.ts"
import { publishAnyway } from "../../../src/pipelines/publication/publish.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { content } from "../../support/replays.ts"
import { sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

// The document does not show this path: without it there are no loans of subaccounts to check.
const paths = { subaccountLoans: "/subaccount/{address}/loans" }
const api = { ...asAdmin, wire: { ...defaultWire, paths } }

/** Two runs, between which the service restated some of its history. */
const restatedOf = Effect.fnUntraced(function* (dataDir: string, pipelines: ReadonlyArray<string>) {
  const simulator = yield* simulated({
    vaults: 2,
    days: 30,
    subaccounts: 3,
    now: "2026-06-01T00:00:00Z",
    start: "2026-05-01T00:00:00Z",
  })
  const first = yield* runOnce(simulator.url, dataDir, { api, pipelines })
  simulator.patch({ now: "2026-06-01T06:00:00Z", revision: 1 })
  const second = yield* runOnce(simulator.url, dataDir, { api, pipelines })
  for (const { summary } of [first, second]) {
    expect(summary.failedChecks.filter(({ severity }) => severity === "error")).toEqual([])
  }
})

const restated = sharedWarehouse((dataDir) => restatedOf(dataDir, []))

/** Of a few pipelines, which a comparison rebuilds in half the time, and published. */
const histories = sharedWarehouse((dataDir) =>
  Effect.andThen(
    restatedOf(dataDir, ["ratio_history", "pnl_history", "apy_history", "fees"]),
    publishAnyway({ dataDir, rebuildAll: false, parquet: { marts: false } }),
  ),
)

/** The same warehouse, changed by hand, in a folder of its own. */
const corrupted = Effect.fnUntraced(function* (dataDir: string, statements: ReadonlyArray<string>) {
  const copy = yield* temporaryFolder
  yield* Effect.sync(() => cpSync(dataDir, copy, { recursive: true, verbatimSymlinks: true }))
  yield* change(copy, ...statements)
  return copy
})

const compare = (dataDir: string) =>
  compareWithArchive({ dataDir, timeFields: defaultTimeFields, onResponse: () => undefined })

const first = "(select min(vault_address) from core.ratio_history)"
const oneRow = `vault_address = ${first} and observed_at = (select max(observed_at) from core.ratio_history where vault_address = ${first})`

const corruptions: ReadonlyArray<readonly [check: string, ...statements: ReadonlyArray<string>]> = [
  [
    "core.ratio_history.unique_key",
    `insert into core.ratio_history select * from core.ratio_history where ${oneRow}`,
  ],
  [
    "core.ratio_history.not_null",
    "alter table core.ratio_history alter _updated_at drop not null",
    `update core.ratio_history set _updated_at = null where ${oneRow}`,
  ],
  [
    "core.ratio_history.vault_known",
    `update core.ratio_history set vault_address = 'nobody' where ${oneRow}`,
  ],
  ["core.ratio_history.run_known", `update core.ratio_history set _run_id = 'x' where ${oneRow}`],
  [
    "core.ratio_history.response_known",
    "delete from raw.responses where response_id = (select min(_response_id) from core.ratio_history)",
  ],
  [
    "core.ratio_history.not_in_future",
    `update core.ratio_history set observed_at = timestamp '2100-01-01' where ${oneRow}`,
  ],
  [
    "core.vaults.one_current",
    "insert into core.vaults select * replace (valid_from + interval 1 second as valid_from) from core.vaults where is_current and vault_address = (select max(vault_address) from core.vaults)",
  ],
  [
    "core.vaults.intervals",
    "update core.vaults set valid_to = valid_from - interval 1 day, is_current = false where vault_address = (select min(vault_address) from core.vaults)",
  ],
  [
    "core.ratio_history_versions.superseded_later",
    "update core.ratio_history_versions set _superseded_at = _updated_at - interval 1 hour",
  ],
  ["buffer_identity", "update core.position_snapshots set buffer_usd = buffer_usd + 1000000"],
  [
    "buffer_identity",
    "delete from core.position_subaccounts where vault_address = (select min(vault_address) from core.position_subaccounts)",
  ],
]

/** One figure of each that can't be, or hardly is. */
const wrongFigures: ReadonlyArray<
  readonly [check: string, severity: "warn" | "error", statement: string]
> = [
  [
    "core.ratio_history.range",
    "error",
    `update core.ratio_history set adjusted_redeem_ratio = -1 where ${oneRow}`,
  ],
  [
    "ratio_identity",
    "warn",
    "update core.ratio_history set adjusted_redeem_ratio = 2 * actual_tvl / tvl_on_vault where tvl_on_vault > 0 and vault_address = (select max(vault_address) from core.ratio_history)",
  ],
  [
    "core.apy_history.plausible_range",
    "warn",
    "update core.apy_history set apy = 10.5 where date = date '2026-05-20'",
  ],
  ["apy_jump", "warn", "update core.apy_history set apy = 5 where date = date '2026-05-10'"],
  [
    "core.fees.range",
    "error",
    "update core.fees set performance_fee_pct = 1000 where is_current and vault_address = (select min(vault_address) from core.fees)",
  ],
  [
    "core.performance_fees.plausible_range",
    "warn",
    "update core.performance_fees set total_perf_fees_asset = -1 where is_current",
  ],
  ["core.loans.plausible_range", "warn", "update core.loans set apr = -0.05 where is_current"],
  [
    "core.otc_margin_requirements.plausible_range",
    "warn",
    "update core.otc_margin_requirements set posted = -1",
  ],
  [
    "core.allocation_history.plausible_range",
    "warn",
    "update core.allocation_history set value = -value - 1",
  ],
  [
    "reconciliation",
    "warn",
    "update core.withdrawal_summaries set total_withdrawals = 2 * total_withdrawals + 1",
  ],
  [
    "core.subaccount_loans.plausible_range",
    "warn",
    "update core.subaccount_loans set principal_amount = -1 where is_current",
  ],
  [
    "core.vault_summary_allocations.plausible_range",
    "warn",
    "update core.vault_summary_allocations set value = -value - 1, share = -share - 1 where is_current",
  ],
  [
    "timelock_request_order",
    "error",
    "update core.timelock_requests set executable_at = scheduled_at - interval 1 day where is_current",
  ],
  [
    "safe_threshold_range",
    "error",
    "update core.roles set is_safe = true, safe_threshold = 0 where is_current",
  ],
  [
    "timelock_order",
    "error",
    "update core.timelocks set executable_at = scheduled_at - interval 1 day where is_current",
  ],
  ["core.health_factors.range", "error", "update core.health_factors set health_factor = -0.5"],
]

describe("check", () => {
  it.live("passes what a run made, records it, and finds each way of breaking it", () =>
    Effect.gen(function* () {
      const dataDir = yield* restated
      const results = yield* check({ dataDir, names: [] })
      const failed = results.filter((each) => each.outcome === "failed")
      expect(failed.filter(({ severity }) => severity === "error")).toEqual([])
      const passed = results.filter(({ outcome }) => outcome === "passed").map(({ name }) => name)
      expect(passed).toEqual(
        expect.arrayContaining([...new Set(corruptions.map(([name]) => name))]),
      )
      const recorded = yield* query(
        dataDir,
        "select count(*)::int as n from ops.check_results where run_id like 'check-%'",
      )
      expect(recorded).toEqual([{ n: results.length }])
      // The run checked what it wrote, and recorded that.
      const ofRun = yield* query(
        dataDir,
        `select outcome, count(*)::int > 20 as many from ops.check_results
         where run_id = (select max(run_id) from ops.runs) and outcome = 'passed' group by all`,
      )
      expect(ofRun).toEqual([{ outcome: "passed", many: true }])
      // Another process that ends the run checks what the first one wrote.
      const [last] = yield* query(dataDir, "select max(run_id) as id from ops.runs")
      const place = { dataDir: yield* corrupted(dataDir, []), runId: String(last?.["id"]) }
      const continued = yield* Effect.provide(checkTouched(), existingWarehouse("Checking", place))
      expect(continued.filter(({ outcome }) => outcome === "passed").length).toBeGreaterThan(20)

      // The last two break the same check.
      for (const ways of [corruptions.slice(0, -1), corruptions.slice(-1)]) {
        const names = ways.map(([name]) => name)
        const broken = yield* corrupted(
          dataDir,
          ways.flatMap(([, ...statements]) => statements),
        )
        const found = yield* check({ dataDir: broken, names })
        for (const name of names) {
          const result = found.find((each) => each.name === name)
          expect(result, name).toMatchObject({ severity: "error", outcome: "failed" })
          expect(result?.failures, name).toBeGreaterThan(0)
          expect(result?.examples.length, name).toBeGreaterThan(0)
          const [row] = result?.examples ?? []
          expect(Object.keys(row ?? {}), name).toContain("vault_address")
        }
      }

      const names = wrongFigures.map(([name]) => name)
      const sound = results.filter(({ name }) => names.includes(name))
      expect(sound.map(({ name }) => name)).toHaveLength(names.length)
      expect(sound.filter(({ outcome }) => outcome !== "passed")).toEqual([])
      const wrong = yield* corrupted(
        dataDir,
        wrongFigures.map(([, , statement]) => statement),
      )
      const found = yield* check({ dataDir: wrong, names })
      for (const [name, severity] of wrongFigures) {
        const result = found.find((each) => each.name === name)
        expect(result, name).toMatchObject({ severity, outcome: "failed" })
        expect(result?.examples.length, name).toBeGreaterThan(0)
      }
    }),
  )

  it.live("is not applicable where there are no rows, which is not the same as passing", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 1, days: 5 })
      const dataDir = yield* temporaryFolder
      yield* runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
      const results = yield* check({ dataDir, names: ["core.ratio_history", "ratio_zero"] })
      expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["not_applicable"]))
      const none = yield* temporaryFolder
      const error = yield* Effect.flip(check({ dataDir: none, names: [] }))
      expect(error.message).toContain("there is no warehouse")
    }),
  )

  it.live("does not run at the end of a run that wrote nothing", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 5, now: "2026-06-01T00:00:00Z" })
      const dataDir = yield* temporaryFolder
      const pipelines = ["ratio_history"]
      yield* runOnce(simulator.url, dataDir, { pipelines })
      const again = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(again.summary.nothingNew).toBe(true)
      const recorded = yield* query(
        dataDir,
        `select 1 from ops.check_results where run_id = '${again.summary.runId}'`,
      )
      expect(recorded).toEqual([])
    }),
  )
})

describe("check --against-archive", () => {
  it.live("finds a changed value, a deleted row and a lost response, and changes nothing", () =>
    Effect.gen(function* () {
      const dataDir = yield* histories
      const same = yield* compare(dataDir)
      expect(same.lost).toEqual([])
      expect(same.tables.filter(({ isSame }) => !isSame)).toEqual([])

      const changed = yield* corrupted(dataDir, [
        `update core.ratio_history set actual_tvl = actual_tvl + 1 where ${oneRow}`,
        `delete from core.apy_history where date = date '2026-05-20'`,
      ])
      const rules = yield* check({
        dataDir: changed,
        names: ["core.ratio_history", "core.apy_history"],
      })
      expect(rules.length).toBeGreaterThan(10)
      const errors = rules.filter((each) => each.outcome === "failed" && each.severity === "error")
      expect(errors).toEqual([])
      const before = yield* content(changed)
      const found = yield* compare(changed)
      const differing = found.tables.filter(({ isSame }) => !isSame)
      expect(differing.map(({ table }) => table).toSorted()).toEqual([
        "core.apy_history",
        "core.ratio_history",
      ])
      const ratio = differing.find(({ table }) => table === "core.ratio_history")
      expect(ratio?.onlyHere).toHaveLength(1)
      expect(ratio?.onlyThere).toHaveLength(1)
      const value = (row: Readonly<Record<string, unknown>> | undefined) =>
        Number(row?.["actual_tvl"])
      expect(value(ratio?.onlyHere[0]) - value(ratio?.onlyThere[0])).toBeCloseTo(1, 3)
      const apy = differing.find(({ table }) => table === "core.apy_history")
      expect(apy?.onlyHere).toEqual([])
      expect(apy?.onlyThere[0]).toMatchObject({ date: "2026-05-20" })
      expect(yield* content(changed)).toEqual(before)

      const lost = yield* corrupted(dataDir, [
        "delete from raw.responses where endpoint = 'unrealized_pnl' and pipeline = 'pnl_history'",
      ])
      const missing = yield* compare(lost)
      expect(missing.lost).toContainEqual(expect.objectContaining({ table: "core.pnl_history" }))
      const pnl = missing.tables.find(({ table }) => table === "core.pnl_history")
      expect(pnl).toMatchObject({ isSame: false, rowsAfter: 0 })
    }),
  )
})

/** Overwrites bytes in the middle of a file. */
const harm = (file: string, ...offsets: ReadonlyArray<number>) =>
  Effect.sync(() => {
    const handle = openSync(file, "r+")
    for (const offset of offsets) writeSync(handle, Buffer.alloc(16, 0xa5), 0, 16, offset)
    closeSync(handle)
  })

describe("a damaged archive and a damaged copy", () => {
  it.live("are reported at every place, by verify and by the comparison", () =>
    Effect.gen(function* () {
      const dataDir = yield* histories
      expect(yield* verify({ dataDir })).toEqual([])
      const [segment = "", second = ""] = readdirSync(join(dataDir, "raw")).toSorted()
      const frames = (yield* query(
        dataDir,
        `select archive_offset::int as at, max(archive_length)::int as bytes,
           count(*) filter (is_landed)::int as landed
         from raw.responses where archive_file = '${segment}' group by all order by 1`,
      )).map((row) => ({
        at: Number(row["at"]),
        bytes: Number(row["bytes"]),
        landed: Number(row["landed"]),
      }))
      expect(frames.length).toBeGreaterThan(6)

      // Two frames, one at its first byte, where nothing says any more that a frame begins.
      const damaged = yield* corrupted(dataDir, [])
      // Of those that rows were made from: a comparison reads no others.
      const [, one, , other] = frames.filter(({ landed }) => landed > 0)
      if (one === undefined || other === undefined) throw new Error("there are too few frames")
      yield* harm(join(damaged, "raw", segment), one.at + Math.floor(one.bytes / 2), other.at)
      const found = yield* verify({ dataDir: damaged })
      expect(found.map(({ kind, path }) => `${kind} ${path}`)).toEqual(
        Array.from({ length: 2 }, () => `unreadable raw/${segment}`),
      )
      for (const [index, { at }] of [one, other].entries()) {
        expect(found[index]?.detail).toContain(`frame at byte ${at}`)
      }
      const compared = yield* compare(damaged)
      const read = new Set(compared.unreadable.map(({ file }) => file))
      expect([...read]).toEqual([segment])
      expect(compared.unreadable.every(({ why }) => why.includes("damaged"))).toBe(true)
      expect(new Set(compared.unreadable.map(({ why }) => why)).size).toBeGreaterThan(1)
      expect(compared.tables.some(({ isSame }) => !isSame)).toBe(true)

      // The end of a segment and the whole of another.
      const cut = yield* corrupted(dataDir, [])
      rmSync(join(cut, "raw", second))
      const last = frames.at(-1)
      truncateSync(join(cut, "raw", segment), (last?.at ?? 0) + 10)
      const lacking = (yield* verify({ dataDir: cut })).map(({ kind, path }) => `${kind} ${path}`)
      expect(lacking.toSorted()).toEqual([`missing raw/${segment}`, `missing raw/${second}`])
      const without = yield* compare(cut)
      expect(new Set(without.unreadable.map(({ file }) => file))).toEqual(
        new Set([segment, second]),
      )

      const copy = yield* corrupted(dataDir, [])
      const file = join(copy, "published/vaulthouse.duckdb")
      const { size } = statSync(file)
      yield* harm(
        file,
        ...Array.from({ length: 40 }, (_, at) => Math.floor((size * (at + 1)) / 41)),
      )
      const faults = yield* verify({ dataDir: copy })
      expect(faults.length).toBeGreaterThan(0)
      expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(["unreadable"]))
      for (const { path } of faults) expect(path).toContain("published/vaulthouse.duckdb")
    }),
  )
})
