// Sets within a history: a member that a later response leaves out is gone from the table, kept in its versions with the
// time of that response, and found by every view of the past.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultTimeFields } from "../../../../src/domain/wire/timeFields.ts"
import { readChanges, spanOf } from "../../../../src/pipelines/readers/diff.ts"
import { prune } from "../../../../src/pipelines/archive/prune.ts"
import { openPublishedCopy } from "../../../../src/pipelines/readers/openPublishedCopy.ts"
import { replay } from "../../../../src/pipelines/archive/replay.ts"
import { readRunHistory } from "../../../../src/pipelines/readers/runs.ts"
import { trace } from "../../../../src/pipelines/readers/trace/trace.ts"
import { verify } from "../../../../src/pipelines/archive/verify.ts"
import { coreTables } from "../../../../src/pipelines/pipelines.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { sharedWarehouse } from "../../../support/sharedWarehouse.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"
import { fixedDay } from "../../../support/movableClock.ts"

const { now: started, live } = fixedDay("2026-06-01T12:00:00Z")

const vault = `0x${"ab".repeat(20)}`
const [one, other] = [`0x${"01".repeat(20)}`, `0x${"02".repeat(20)}`]
const publishing = { publish: { parquet: { marts: false } } }
const unpublished = { publish: undefined }

const today = new Date(started).toISOString().slice(0, 10)
const yesterday = new Date(started - 86_400_000).toISOString().slice(0, 10)

/** What the service has of today. */
interface Day {
  readonly allocations: Readonly<Record<string, number>>
  readonly subaccounts: ReadonlyArray<string>
  readonly positions: ReadonlyArray<string>
}

/** A platform of one vault, and runs that find it as it is on a day. */
const platform = Effect.fnUntraced(function* (dataDir: string) {
  let has: Day = { allocations: {}, subaccounts: [], positions: [] }
  const server = yield* scriptedServer(({ url }, response) => {
    const { allocations, subaccounts, positions } = has
    const { searchParams } = new URL(url, "http://x")
    const within = ({ date }: { readonly date: string }): boolean =>
      date >= (searchParams.get("startDate") ?? "") && date <= (searchParams.get("endDate") ?? "9")
    if (url.startsWith("/tokenized_vault?")) {
      return json(response, url.endsWith("active") ? [{ address: vault, chain: 1 }] : [])
    }
    if (url.includes("/historical_allocations/")) {
      const points = [
        { date: yesterday, allocations: { Aave: 20, Morpho: 80 } },
        { date: today, allocations },
      ]
      return json(response, { points: points.filter(within) })
    }
    if (url.includes("/positions/")) {
      return json(response, {
        snapshot_at: `${today}T00:00:00Z`,
        total_nav: 100,
        reported_tvl: 100,
        subaccounts: subaccounts.map((address) => ({ address, total_usd: 10 })),
      })
    }
    return json(response, {
      date: today,
      warnings: [],
      positions: positions.map((position) => ({ position, pricing_class: "Primary" })),
    })
  })
  return (day: Day, published: typeof publishing | typeof unpublished = unpublished) => {
    has = day
    return runOnce(server.url, dataDir, {
      pipelines: ["allocation_history", "positions", "oracle_classification"],
      ...published,
    })
  }
})

const morning: Day = {
  allocations: { Aave: 50, Morpho: 50 },
  subaccounts: [one, other],
  positions: ["Pool", "Loan"],
}
const evening: Day = { allocations: { Aave: 100 }, subaccounts: [one], positions: ["Pool"] }

/** Read with both members, then with one. */
const shrunk = sharedWarehouse(
  Effect.fnUntraced(function* (dataDir) {
    const sync = yield* platform(dataDir)
    yield* sync(morning)
    yield* sync(evening, publishing)
  }),
)

const allocations = (dataDir: string, table: string) =>
  query(
    dataDir,
    `select protocol, value from ${table} where date = date '${today}' order by protocol`,
  )

const members = (dataDir: string, suffix: string) =>
  query(
    dataDir,
    `select subaccount_address as member from core.position_subaccounts${suffix}
     union all select position from core.oracle_classification${suffix} order by 1`,
  )

const content = (dataDir: string) =>
  query(
    dataDir,
    ["allocation_history", "position_subaccounts", "oracle_classification"]
      .flatMap((table) => [table, `${table}_versions`])
      .map(
        (table) =>
          `select '${table}' as name, count(*) as n, sum(hash(t))::varchar as content from core.${table} t`,
      )
      .join(" union all "),
  )

const replayed = (dataDir: string) =>
  replay({
    dataDir,
    timeFields: defaultTimeFields,
    publish: undefined,
    onResponse: () => undefined,
  })

describe("tables of sets", () => {
  it("have a merge key that is part of their key and includes its time", () => {
    const found = coreTables.filter(({ mergeKey: setKey }) => setKey !== undefined)
    expect(found.map(({ name }) => name).toSorted()).toEqual([
      "allocation_history",
      "oracle_classification",
      "position_subaccounts",
    ])
    for (const { mode, key, mergeKey: setKey = [], time } of found) {
      expect(mode).toBe("history")
      expect(key).toEqual(expect.arrayContaining([...setKey]))
      expect(key.length).toBeGreaterThan(setKey.length)
      expect(setKey).toContain(time)
    }
  })
})

describe("a set that is read again", () => {
  live("has only the members it was last read with", () =>
    Effect.gen(function* () {
      const dataDir = yield* shrunk
      expect(yield* allocations(dataDir, "core.allocation_history")).toEqual([
        { protocol: "Aave", value: 100 },
      ])
      expect(
        yield* query(
          dataDir,
          `select day::varchar as day, sum(value) as value from mart.allocation_daily
           group by all order by 1`,
        ),
      ).toEqual([
        { day: yesterday, value: 100 },
        { day: today, value: 100 },
      ])
      expect(yield* members(dataDir, "")).toEqual([{ member: one }, { member: "Pool" }])
      expect(yield* members(dataDir, "_versions")).toEqual([{ member: other }, { member: "Loan" }])
      const revised = yield* query(
        dataDir,
        `select pipeline, sum(rows_revised)::integer as rows from ops.tasks
         where run_id = (select max(run_id) from ops.runs)
           and pipeline in ('allocation_history', 'oracle_classification') group by all order by all`,
      )
      expect(revised).toEqual([
        { pipeline: "allocation_history", rows: 2 },
        { pipeline: "oracle_classification", rows: 1 },
      ])
      expect(yield* verify({ dataDir })).toEqual([])
    }),
  )

  live("keeps a retired member with the time of the response that left it out", () =>
    Effect.gen(function* () {
      const dataDir = yield* shrunk
      const [gone] = yield* query(
        dataDir,
        `select v._superseded_at::varchar as at, r.received_at::varchar as received_at,
           (v._superseded_at - interval 1 microsecond)::varchar as before
         from core.allocation_history_versions v, raw.responses r
         where v.protocol = 'Morpho' and r.run_id = v._superseded_by_run_id
           and r.endpoint = 'historical_allocations'`,
      )
      expect(gone?.["at"]).toBe(gone?.["received_at"])
      const asOf = (at: unknown) =>
        allocations(dataDir, `mart.allocation_history_as_of(timestamp '${String(at)}')`)
      expect(yield* asOf(gone?.["before"])).toEqual([
        { protocol: "Aave", value: 50 },
        { protocol: "Morpho", value: 50 },
      ])
      expect(yield* asOf(gone?.["at"])).toEqual([{ protocol: "Aave", value: 100 }])
    }),
  )

  live("shows in diff, and trace says where a member went", () =>
    Effect.gen(function* () {
      const dataDir = yield* shrunk
      yield* Effect.scoped(
        Effect.gen(function* () {
          const copy = yield* openPublishedCopy(dataDir)
          const history = yield* readRunHistory(copy, dataDir)
          const [newest] = history.runs
          if (newest === undefined) throw new Error("no run")
          const span = spanOf(history, newest, undefined)
          const changed = yield* readChanges(copy, span, { table: "allocation_history", vault }, 10)
          expect(changed).toMatchObject([
            { change: "ended", key: { protocol: "Morpho", date: today }, before: { value: 50 } },
            { change: "revised", before: { value: 50 }, after: { value: 100 } },
          ])
        }),
      )
      const error = yield* Effect.flip(
        Effect.scoped(
          Effect.flatMap(openPublishedCopy(dataDir), (copy) =>
            trace(
              copy,
              { dataDir },
              {
                table: "allocation_history",
                vault,
                moment: undefined,
                key: { protocol: "Morpho", date: today },
                named: (column) => column,
                column: undefined,
                maxRows: 5,
                withBody: false,
              },
            ),
          ),
        ),
      )
      expect(error.message).toContain("no longer has such a row")
    }),
  )

  live("is made again by a replay, from the warehouse, without it, and after pruning", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const sync = yield* platform(dataDir)
      yield* sync(morning)
      yield* sync(evening)
      // Nothing but an absence, then it is back.
      yield* sync({ ...evening, subaccounts: [] })
      yield* sync({ ...evening, subaccounts: [one], allocations: {} })
      yield* sync(morning)
      yield* sync(evening)
      const before = yield* content(dataDir)
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      const pruned = yield* replayed(dataDir)
      expect(pruned.tables.filter(({ isSame }) => !isSame)).toEqual([])
      rmSync(join(dataDir, "vaulthouse.duckdb"))
      rmSync(join(dataDir, "vaulthouse.duckdb.wal"), { force: true })
      yield* replayed(dataDir)
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

  live("may be empty where a response names it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const sync = yield* platform(dataDir)
      yield* sync(morning, publishing)
      yield* sync({ ...morning, allocations: {}, subaccounts: [] }, publishing)
      expect(yield* allocations(dataDir, "core.allocation_history")).toEqual([])
      expect(yield* allocations(dataDir, "core.allocation_history_versions")).toHaveLength(2)
      expect(yield* members(dataDir, "")).toEqual([{ member: "Loan" }, { member: "Pool" }])
      expect(yield* verify({ dataDir })).toEqual([])
    }),
  )
})
