// An entry of the quarantine stays open until its record is read again and found whole, and no longer.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formatDay } from "../../../../src/domain/values/time.ts"
import { json, type Script, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { asAdmin } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, type Overrides, query, runOnce } from "../../../support/warehouseRun.ts"
import { fixedDay, movableClock } from "../../../support/movableClock.ts"

const { now: started, live } = fixedDay("2026-06-01T12:00:00Z")

const DAY = 86_400_000
const today = Math.floor(started / DAY)

/** A service with one vault, whose history `respond` returns. */
const oneVault = (path: string, respond: (inputs: URLSearchParams) => unknown) => {
  const script: Script = ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://service")
    const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
    if (pathname.endsWith(path)) return json(response, respond(searchParams))
    json(response, searchParams.get("status") === "active" ? vaults : [])
  }
  return scriptedServer(script)
}

/** Hourly ratio points of so many days; those at 05:00 of the broken days can't be read. */
const ratioService = (days: number, broken: ReadonlySet<number>) =>
  oneVault("unrealized_pnl", (inputs) => {
    const day = (name: string) => Math.floor(Date.parse(inputs.get(name) ?? "") / DAY)
    const from = inputs.has("startDate") ? day("startDate") : 0
    const to = inputs.has("endDate") ? day("endDate") : today
    return Array.from({ length: days * 24 }, (_, hour) => (today - days) * 24 + hour)
      .filter((hour) => hour >= from * 24 && hour < (to + 1) * 24)
      .toReversed()
      .map((hour) => ({
        timestamp: new Date(hour * 3_600_000).toISOString(),
        actual_tvl: hour % 24 === 5 && broken.has(Math.floor(hour / 24)) ? "n/a" : 100,
        tvl_on_vault: 100,
        adjusted_redeem_ratio: 1,
      }))
  })

const syncs = (url: string, dataDir: string, pipeline: string) => (overrides: Overrides) =>
  Effect.map(
    runOnce(url, dataDir, { pipelines: [pipeline], ...overrides }),
    ({ summary }) => summary.outcome,
  )

const openIn = (dataDir: string) =>
  query(
    dataDir,
    `select count(*)::int as entries,
       (select count(*)::int from ops.gaps where state = 'open') as gaps
     from ops.quarantine where closed_at is null`,
  )

live("a run that reads other days leaves it open; the window it is in is read again", () =>
  Effect.gen(function* () {
    const broken = new Set([today - 20])
    const { url } = yield* ratioService(30, broken)
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "ratio_history")({})
    for (const run of [1, 2, 3]) {
      expect(yield* sync, `run ${run}, ${formatDay(today - 20)}`).toBe("partial")
      expect(yield* openIn(dataDir), `run ${run}`).toEqual([{ entries: 1, gaps: 1 }])
    }
    broken.clear()
    expect(yield* sync).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
    const [found] = yield* query(dataDir, "select count(*)::int as points from core.ratio_history")
    expect(found).toEqual({ points: 30 * 24 })
  }),
)

live("is closed with its gap, whatever else of the vault fails and whichever run closed that", () =>
  Effect.gen(function* () {
    const broken = new Set([today - 20, today - 60])
    const { url } = yield* ratioService(70, broken)
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "ratio_history")({})
    expect(yield* sync).toBe("partial")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 2, gaps: 2 }])
    broken.delete(today - 60)
    expect(yield* sync).toBe("partial")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 1, gaps: 1 }])
    // As a run leaves them that is killed after the windows have landed.
    yield* change(dataDir, "update ops.quarantine set closed_at = null", "checkpoint")
    expect(yield* sync).toBe("partial")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 1, gaps: 1 }])
    broken.clear()
    expect(yield* sync).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
    yield* change(dataDir, "update ops.quarantine set closed_at = null", "checkpoint")
    expect(yield* sync).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
  }),
)

live("is closed where reading ended at it, once the next run has read on", () =>
  Effect.gen(function* () {
    let isBroken = true
    const snapshots = Array.from({ length: 48 }, (_, hour) => ({
      timestamp: new Date(started - hour * 3_600_000).toISOString(),
      unrealizedPnl: hour,
      unrealizedPnlInAsset: hour,
    }))
    const { url } = yield* oneVault("unrealized_pnl", () =>
      isBroken ? { items: "none" } : snapshots,
    )
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "pnl_history")({})
    expect(yield* sync).toBe("partial")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 1, gaps: 0 }])
    isBroken = false
    expect(yield* sync).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
  }),
)

live("is closed by a run that begins after it, if an earlier one read it and was killed", () =>
  Effect.gen(function* () {
    let broken: unknown = "n/a"
    const { url } = yield* oneVault("unrealized_pnl", (inputs) =>
      Array.from({ length: Math.min(900, Number(inputs.get("limit"))) }, (_, hour) => ({
        timestamp: new Date(started - hour * 3_600_000).toISOString(),
        unrealizedPnl: hour === 800 ? broken : hour,
        unrealizedPnlInAsset: hour,
      })),
    )
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "pnl_history")({})
    for (const run of [1, 2]) {
      expect(yield* sync, `run ${run}`).toBe("partial")
      expect(yield* openIn(dataDir), `run ${run}`).toEqual([{ entries: 1, gaps: 0 }])
    }
    broken = 800
    expect(yield* sync).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
    yield* change(dataDir, "update ops.quarantine set closed_at = null", "checkpoint")
    expect(yield* sync).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
  }),
)

live(
  "is closed where the service sends the oldest first, and the rest of the page lies between",
  () =>
    Effect.gen(function* () {
      let broken = [800, 400]
      const { url } = yield* oneVault("unrealized_pnl", (inputs) =>
        Array.from({ length: Math.min(900, Number(inputs.get("limit"))) }, (_, hour) => ({
          timestamp: new Date(started - hour * 3_600_000).toISOString(),
          unrealizedPnl: broken.includes(hour) ? "n/a" : hour,
          unrealizedPnlInAsset: hour,
        })).toReversed(),
      )
      const dataDir = yield* temporaryFolder
      const sync = syncs(url, dataDir, "pnl_history")({})
      expect(yield* sync).toBe("partial")
      expect(yield* openIn(dataDir)).toEqual([{ entries: 2, gaps: 0 }])
      broken = []
      expect(yield* sync).toBe("complete")
      expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
      expect(yield* query(dataDir, "select count(*)::int as n from core.pnl_history")).toEqual([
        { n: 900 },
      ])
    }),
)

live("is not closed by an empty response where there were rows", () =>
  Effect.gen(function* () {
    const snapshots = [0, 1, 2].map((hour) => ({
      timestamp: new Date(started - hour * 3_600_000).toISOString(),
      unrealizedPnl: hour,
      unrealizedPnlInAsset: hour,
    }))
    let sent: ReadonlyArray<object> = snapshots.map((each, at) =>
      at === 1 ? { ...each, unrealizedPnl: "n/a" } : each,
    )
    const { url } = yield* oneVault("unrealized_pnl", () => sent)
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "pnl_history")({})
    expect(yield* sync).toBe("partial")
    sent = []
    yield* sync
    expect(yield* openIn(dataDir)).toEqual([{ entries: 1, gaps: 0 }])
    sent = snapshots
    expect(yield* sync).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
  }),
)

live("in a log whose pages shift, is closed by a run that reads all of it again", () =>
  Effect.gen(function* () {
    const ago = (days: number) => new Date(started - days * DAY).toISOString().slice(0, 19)
    const entry = (days: number) => ({ timestamp: ago(days), type: "t", summary: `day ${days}` })
    const log: Array<object> = Array.from({ length: 30 }, (_, day) => entry(day + 1))
    const { url } = yield* oneVault("/audit_log", (inputs) => {
      const before = inputs.get("before") ?? "9999"
      const rest = log.filter((each) => String(Reflect.get(each, "timestamp")) < before)
      return { events: rest.slice(0, 6), has_more: rest.length > 6 }
    })
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "audit_log")
    for (const settings of [{ auditFullScanDays: 0 }, { full: true }]) {
      const whole = log[22] ?? {}
      log[22] = { ...whole, type: 5 }
      expect(yield* sync({ settings: { full: true } })).toBe("partial")
      expect(yield* openIn(dataDir)).toEqual([{ entries: 1, gaps: 0 }])
      log[22] = whole
      log.unshift(entry(0.5))
      // Reads the newest page alone.
      expect(yield* sync({})).toBe("complete")
      expect(yield* openIn(dataDir)).toEqual([{ entries: 1, gaps: 0 }])
      expect(yield* sync({ settings })).toBe("complete")
      expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
    }
  }),
)

live("in a log, stays open when newer entries push it off the newest page", () =>
  Effect.gen(function* () {
    const entry = (days: number, type: unknown = "t") => ({
      timestamp: new Date(started - days * DAY).toISOString().slice(0, 19),
      type,
      summary: `day ${days}`,
    })
    const last = entry(0.1)
    let log: ReadonlyArray<object> = [last, entry(10), entry(20, 5), entry(30)]
    const { url } = yield* oneVault("/audit_log", (inputs) => {
      const before = inputs.get("before") ?? "9999"
      const rest = log.filter((each) => String(Reflect.get(each, "timestamp")) < before)
      return { events: rest.slice(0, 4), has_more: rest.length > 4 }
    })
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "audit_log")
    expect(yield* sync({})).toBe("partial")
    // The newest page reaches back beyond the overlap without the entry.
    log = [last, ...[3, 3.1, 3.2].map((days) => entry(days)), ...log.slice(1)]
    for (const run of [1, 2]) {
      expect(yield* sync({})).toBe("complete")
      expect(yield* openIn(dataDir), `run ${run}`).toEqual([{ entries: 1, gaps: 0 }])
    }
    // Another one is rejected, on another newest page.
    log = [entry(0.05, 6), ...log]
    expect(yield* sync({})).toBe("partial")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 2, gaps: 0 }])
    log = log.map((each) => ({ ...each, type: "t" }))
    expect(yield* sync({})).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 2, gaps: 0 }])
    expect(yield* sync({ settings: { auditFullScanDays: 0 } })).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
  }),
)

live("in transactions, stays open until a run reads all of them again", () =>
  Effect.gen(function* () {
    const transaction = (days: number, chain: unknown = 1) => ({
      id: `day ${days}`,
      executed_at: new Date(started - days * DAY).toISOString(),
      chain_id: chain,
    })
    let log: ReadonlyArray<ReturnType<typeof transaction>> = []
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      const isFirst = pathname === "/subaccount" && Number(searchParams.get("offset") ?? 0) === 0
      if (isFirst) {
        return json(response, [{ address: `0x${"ab".repeat(20)}`, status: "active", label: "a" }])
      }
      if (!pathname.startsWith("/transactions")) return json(response, [])
      const [from = "", to = "~"] = [
        searchParams.get("startTime"),
        searchParams.get("endTime"),
      ].map((each) => each ?? undefined)
      json(
        response,
        log.filter(({ executed_at: at }) => at >= from && at <= to),
      )
    })
    const dataDir = yield* temporaryFolder
    const sync = (settings: Overrides["settings"] = {}) =>
      Effect.map(
        runOnce(url, dataDir, {
          pipelines: ["subaccounts", "transactions"],
          api: asAdmin,
          settings,
        }),
        ({ summary }) => summary.outcome,
      )
    log = [transaction(0.1), transaction(10), { ...transaction(20), executed_at: "soon" }]
    expect(yield* sync()).toBe("partial")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 1, gaps: 0 }])
    // It is right from now on, but before the days that a run reads again.
    log = [transaction(0.05), transaction(0.1), transaction(10), transaction(20)]
    for (const run of [1, 2]) {
      expect(yield* sync(), `run ${run}`).toBe("complete")
      expect(yield* openIn(dataDir), `run ${run}`).toEqual([{ entries: 1, gaps: 0 }])
    }
    expect(yield* sync({ full: true })).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
  }),
)

live("stays open, with a permanent gap, where the service no longer sends its snapshot", () =>
  Effect.gen(function* () {
    const HOUR = 3_600_000
    const first = Math.floor(started / HOUR) - 3000
    // Snapshots are numbered by their hour; 1,200 of them are there at first.
    let newest = 1200
    const broken = 1200 - 990
    const { url } = yield* oneVault("unrealized_pnl", (inputs) =>
      Array.from({ length: Math.min(1000, Number(inputs.get("limit"))) }, (_, age) => newest - age)
        .filter((hour) => hour >= 0)
        .map((hour) => ({
          timestamp: new Date((first + hour) * HOUR).toISOString(),
          unrealizedPnl: hour === broken ? "n/a" : hour,
          unrealizedPnlInAsset: hour,
        })),
    )
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "pnl_history")
    const gaps = query(
      dataDir,
      `select (epoch_us(from_at) // 3600000000)::int - ${first} as from_hour,
         (epoch_us(to_at) // 3600000000)::int - ${first} as to_hour, reason, state from ops.gaps`,
    )
    const open = [{ entries: 1, gaps: 0 }]
    expect(yield* sync({})).toBe("partial")
    // Within reach, last of all, then no more.
    newest += 5
    expect(yield* sync({})).toBe("partial")
    newest += 4
    expect(yield* sync({})).toBe("partial")
    expect([yield* gaps, yield* openIn(dataDir)]).toEqual([[], open])
    newest += 1
    const lost = [
      { from_hour: broken - 1, to_hour: broken + 1, reason: "unreachable", state: "permanent" },
    ]
    for (const run of [1, 2, 3]) {
      expect(yield* sync(run === 2 ? { settings: { full: true } } : {})).toBe("complete")
      expect([yield* gaps, yield* openIn(dataDir)], `run ${run}`).toEqual([lost, open])
      newest += 1
    }
  }),
)

live("is not closed by an earlier one of a run whose clock was ahead", () =>
  Effect.gen(function* () {
    const { url } = yield* oneVault("nothing", () => [])
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "vaults")({})
    yield* sync
    const entry = (runId: string, at: string, closedAt: string) =>
      `insert into ops.quarantine by name
       select 'r' || '${runId}' as response_id, 'fees' as endpoint, 'fees' as pipeline, '-' as entity,
         'all' as "window", '$.' || '${runId}' as json_path, 'x' as detail, '${runId}' as run_id,
         timestamp '2026-06-01 ${at}' as quarantined_at, ${closedAt} as closed_at`
    yield* change(
      dataDir,
      entry("20260601T104000000Z-a", "10:40", "timestamp '2026-06-01 10:41'"),
      // The clock was set back, so that its id sorts before.
      entry("20260601T102000000Z-b", "10:42", "null"),
      "checkpoint",
    )
    yield* sync
    const open = query(dataDir, "select run_id from ops.quarantine where closed_at is null")
    expect(yield* open).toEqual([{ run_id: "20260601T102000000Z-b" }])
    yield* change(dataDir, entry("20260601T101000000Z-c", "10:43", "null"), "checkpoint")
    yield* sync
    expect(yield* open).toEqual([{ run_id: "20260601T101000000Z-c" }])
  }),
)

it.live("is not closed by an earlier one once the clock is set back", () => {
  const clock = movableClock({ aheadMillis: started - Date.now() })
  const quarantine = Effect.gen(function* () {
    const whole = { management_fee_pct: 1, performance_fee_pct: 10 }
    let sent: object = { ...whole, management_fee_pct: "n/a" }
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      if (pathname.includes("/fees/")) return json(response, sent)
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      json(response, searchParams.get("status") === "active" ? vaults : [])
    })
    const dataDir = yield* temporaryFolder
    const sync = syncs(url, dataDir, "fees")({})
    const readOthers = syncs(url, dataDir, "vaults")({})
    expect(yield* sync).toBe("partial")
    sent = whole
    expect(yield* sync).toBe("complete")
    expect(yield* openIn(dataDir)).toEqual([{ entries: 0, gaps: 0 }])
    clock.advance(-40 * 60_000)
    sent = { ...whole, performance_fee_pct: "n/a" }
    expect(yield* sync).toBe("partial")
    yield* readOthers
    expect(yield* openIn(dataDir)).toEqual([{ entries: 1, gaps: 0 }])
  })
  return clock.under(quarantine)
})
