// The audit log, whole: every entry of vaults whose pages end in the middle of ties, in few requests.
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, queries, query, runOnce } from "../../../support/warehouseRun.ts"
import { ahead, fixedDay } from "../../../support/movableClock.ts"

const { now: started, live } = fixedDay("2026-06-01T12:00:00Z")

const pipelines = ["audit_log"]
const start = "2024-06-01T00:00:00Z"
const now = "2026-06-01T12:00:00Z"

type Running = Effect.Success<ReturnType<typeof simulated>>

const expectEveryEntry = Effect.fnUntraced(function* (simulator: Running, dataDir: string) {
  const rows = yield* query(
    dataDir,
    "select vault_address, chain_id, count(*) as n from core.audit_log group by all",
  )
  const stored = new Map(
    rows.map((row) => [`${String(row["vault_address"])}@${String(row["chain_id"])}`, row["n"]]),
  )
  for (const { address, chainId, auditEntries, kind } of simulator.truth.vaults) {
    if (kind !== "evm") continue
    const key = `${address.toLowerCase()}@${chainId}`
    expect(Number(stored.get(key) ?? 0), key).toBe(auditEntries.n)
  }
})

describe("audit_log", () => {
  live("loses no tie, and requests one page a vault the second time", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ start, now, vaults: 4 })
      const dataDir = yield* temporaryFolder
      const governed = simulator.truth.vaults.filter(({ kind }) => kind === "evm")
      // What makes this a test: a client that passes the last timestamp back loses entries here.
      expect(governed.some(({ auditEntries }) => auditEntries.inPagesOf200 < auditEntries.n)).toBe(
        true,
      )
      const first = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(first.summary.outcome).toBe("complete")
      yield* expectEveryEntry(simulator, dataDir)
      expect(yield* query(dataDir, "select * from ops.gaps")).toEqual([])
      const second = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(second.summary).toMatchObject({ outcome: "complete", nothingNew: true })
      const audited = second.summary.pipelines.find(({ name }) => name === "audit_log")
      expect(audited?.requests).toBe(governed.length)
      simulator.patch({ now: "2026-06-20T12:00:00Z" })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      yield* expectEveryEntry(simulator, dataDir)
    }),
  )

  live("scans again from the start when a scan was cut short", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        start,
        now,
        vaults: 4,
        faults: [{ kind: "status", status: 400, match: "before=2025" }],
      })
      const dataDir = yield* temporaryFolder
      const cut = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(cut.summary.outcome).toBe("partial")
      simulator.patch({ faults: [] })
      const whole = yield* runOnce(simulator.url, dataDir, { pipelines })
      expect(whole.summary.outcome).toBe("complete")
      yield* expectEveryEntry(simulator, dataDir)
    }),
  )

  const address = "0x00000000000000000000000000000000000000aa"
  interface Entry {
    readonly timestamp: string
    readonly type: string
    readonly summary: string
  }
  const entry = (timestamp: string, summary: string): Entry => ({ timestamp, type: "t", summary })

  /** A service with one vault and this log, which may grow; the cursor is that of §4.1. */
  const service = (log: Array<Entry>, most = 200, isBroken = (_page: string) => false) =>
    scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service")
      if (!pathname.endsWith("/audit_log")) {
        json(response, searchParams.get("status") === "active" ? [{ address, chain: 1 }] : [])
        return
      }
      const limit = Math.min(most, Number(searchParams.get("limit") ?? 50))
      const before = searchParams.get("before") ?? "9999"
      if (isBroken(before)) return json(response, {})
      const rest = log
        .filter(({ timestamp }) => timestamp < before)
        .toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0))
      json(response, { events: rest.slice(0, limit), has_more: rest.length > limit })
    })

  const ago = (days: number): string =>
    new Date(started - days * 86_400_000).toISOString().slice(0, 19)

  live("finds entries dated back by a full scan when one is due", () =>
    Effect.gen(function* () {
      const log = Array.from({ length: 30 }, (_, day) => entry(ago(day + 1), `day ${day}`))
      const server = yield* service(log, 6)
      const dataDir = yield* temporaryFolder
      const run = (auditFullScanDays: number) =>
        Effect.map(
          runOnce(server.url, dataDir, { pipelines, settings: { auditFullScanDays } }),
          ({ summary }) => summary.pipelines.find(({ name }) => name === "audit_log")?.requests,
        )
      const stored = () =>
        Effect.map(query(dataDir, "select count(*) as n from core.audit_log"), ([row]) =>
          Number(row?.["n"]),
        )
      // Pages of 6, each repeating the last of the one before.
      expect(yield* run(7)).toBe(6)
      log.push(entry(ago(20.5), "dated back"), entry(ago(0.5), "new"), entry(ago(2.5), "late"))
      expect(yield* run(7)).toBe(1)
      expect(yield* stored()).toBe(32)
      expect(yield* run(0)).toBe(7)
      expect(yield* stored()).toBe(33)
      const [cursor] = yield* query(
        dataDir,
        "select cursor from ops.cursors where pipeline = 'audit_log'",
      )
      const scan = JSON.parse(String(cursor?.["cursor"])) as object
      expect(scan).toMatchObject({ pages: 7 })
      expect(scan).not.toHaveProperty("scannedFrom")
    }),
  )

  live("reads a page that the warehouse refused again in the next full scan", () =>
    Effect.gen(function* () {
      const log = Array.from({ length: 30 }, (_, day) => entry(ago(day + 1), `day ${day}`))
      const server = yield* service(log, 6)
      const dataDir = yield* temporaryFolder
      const run = (auditFullScanDays = 7) =>
        runOnce(server.url, dataDir, { pipelines, settings: { auditFullScanDays } })
      const found = [
        "select count(*)::integer as n from core.audit_log",
        "select count(*)::integer as n from ops.quarantine where closed_at is null",
      ]
      yield* runOnce(server.url, dataDir, { pipelines: ["vaults"] })
      // Stands for values of the third page that only the database finds out about.
      yield* change(
        dataDir,
        `create unique index one on core.audit_log
           ((case when summary in ('day 12', 'day 13') then 1 end))`,
        "checkpoint",
      )
      expect((yield* run()).summary.outcome).toBe("partial")
      expect(yield* queries(dataDir, found)).toEqual([[{ n: 26 }], [{ n: 1 }]])
      yield* change(dataDir, "drop index core.one", "checkpoint")
      expect((yield* run()).summary.outcome).toBe("complete")
      expect(yield* queries(dataDir, found)).toEqual([[{ n: 26 }], [{ n: 1 }]])
      expect((yield* run(0)).summary.outcome).toBe("complete")
      expect(yield* queries(dataDir, found)).toEqual([[{ n: 30 }], [{ n: 0 }]])
    }),
  )

  live("reads what --full could not read in the next run, which then closes its entry", () =>
    Effect.gen(function* () {
      const log = Array.from({ length: 30 }, (_, day) => entry(ago(day + 1), `day ${day}`))
      let broken: (page: string) => boolean = () => false
      const server = yield* service(log, 6, (page) => broken(page))
      const dataDir = yield* temporaryFolder
      const run = (full = false) =>
        Effect.map(
          runOnce(server.url, dataDir, { pipelines, settings: { full } }),
          ({ summary }) => summary,
        )
      const found = [
        "select count(*)::integer as n from core.audit_log",
        "select count(*)::integer as n from ops.quarantine where closed_at is null",
      ]
      yield* run()
      // On the first page, and on a later one.
      for (const isLater of [false, true]) {
        log.push(entry(ago(20), `dated back ${log.length}`))
        broken = (page) => page < "9999" === isLater
        expect((yield* run(true)).outcome).toBe("partial")
        expect((yield* queries(dataDir, found))[1]).toEqual([{ n: 1 }])
        broken = () => false
        yield* run()
        expect(yield* queries(dataDir, found)).toEqual([[{ n: log.length }], [{ n: 0 }]])
      }
      expect((yield* run()).pipelines.find(({ name }) => name === "audit_log")?.requests).toBe(1)
    }),
  )

  live("is not held up by an entry dated into the future", () =>
    Effect.gen(function* () {
      const log = [entry("2199-01-01T00:00:00", "future"), entry(ago(3), "old")]
      const server = yield* service(log, 2)
      const dataDir = yield* temporaryFolder
      const after = (days: number) =>
        ahead(started - Date.now() + days * 86_400_000, runOnce(server.url, dataDir, { pipelines }))
      const stored = Effect.map(
        query(dataDir, "select count(*)::integer as n from core.audit_log"),
        ([row]) => row?.["n"],
      )
      yield* after(0)
      // Longer than the overlap.
      for (let day = 1; day <= 6; day += 1) log.push(entry(ago(-day * 0.8), `new ${day}`))
      yield* after(5)
      expect(yield* stored).toBe(8)
      // A mark that an earlier version left.
      const mark = `'{"through": "2199-01-01T00:00:00.000000Z"}'`
      yield* change(
        dataDir,
        `update ops.cursors set cursor = json_merge_patch(cursor, ${mark})
         where pipeline = 'audit_log'`,
        "checkpoint",
      )
      for (let day = 1; day <= 5; day += 1) log.push(entry(ago(-5 - day * 0.9), `newer ${day}`))
      yield* after(9.9)
      expect(yield* stored).toBe(13)
    }),
  )

  live("reads no less of what is new for --since", () =>
    Effect.gen(function* () {
      const log = [entry(ago(1), "old")]
      const server = yield* service(log, 3)
      const dataDir = yield* temporaryFolder
      yield* runOnce(server.url, dataDir, { pipelines })
      for (let at = 1; at <= 12; at += 1) log.push(entry(ago(-at / 3), `new ${at}`))
      const later = (settings: { since?: number }) =>
        ahead(
          started - Date.now() + 5 * 86_400_000,
          runOnce(server.url, dataDir, { pipelines, settings }),
        )
      yield* later({ since: Math.floor(started / 86_400_000) + 4 })
      yield* later({})
      const [row] = yield* query(dataDir, "select count(*)::integer as n from core.audit_log")
      expect(row).toEqual({ n: 13 })
    }),
  )

  live("goes back to --since only, and further when it is lifted", () =>
    Effect.gen(function* () {
      const log = Array.from({ length: 12 }, (_, day) => entry(ago(day + 1), `day ${day}`))
      const server = yield* service(log, 3)
      const dataDir = yield* temporaryFolder
      const since = Math.floor(started / 86_400_000) - 4
      const stored = () =>
        Effect.map(query(dataDir, "select count(*) as n from core.audit_log"), ([row]) =>
          Number(row?.["n"]),
        )
      yield* runOnce(server.url, dataDir, { pipelines, settings: { since } })
      expect(yield* stored()).toBeLessThan(8)
      yield* runOnce(server.url, dataDir, { pipelines })
      expect(yield* stored()).toBe(12)
    }),
  )

  live("records as a gap what one instant holds beyond a page", () =>
    Effect.gen(function* () {
      const instant = "2026-01-02T03:04:05.000006"
      const log = [
        entry("2026-02-01T00:00:00", "newer"),
        ...Array.from({ length: 205 }, (_, index) => entry(instant, `of many ${index}`)),
        entry("2025-12-01T00:00:00", "older"),
      ]
      const server = yield* service(log)
      const dataDir = yield* temporaryFolder
      const { summary, events } = yield* runOnce(server.url, dataDir, { pipelines })
      expect(summary.outcome).toBe("complete")
      const [row] = yield* query(
        dataDir,
        "select count(*) as n, count(*) filter (where summary = 'older') as older from core.audit_log",
      )
      expect([Number(row?.["n"]), Number(row?.["older"])]).toEqual([202, 1])
      const gaps = yield* query(dataDir, "select reason, state, from_at, to_at from ops.gaps")
      const at = instant.replace("T", " ")
      expect(gaps).toEqual([{ reason: "tie", state: "permanent", from_at: at, to_at: at }])
      expect(events.filter(({ kind }) => kind === "warning")).toHaveLength(1)
    }),
  )

  live("sets aside alone what is no entry or has no time", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(({ url }, response) => {
        const isLog = url.includes("/audit_log")
        const vaults = url.includes("status=active") ? [{ address, chain: 1 }] : []
        const broken = [null, { ...entry("", "b"), timestamp: { toString: 0 } }]
        const entries = [entry("2026-01-02T00:00:00", "a"), ...broken]
        json(response, isLog ? { entries, has_more: false } : vaults)
      })
      const dataDir = yield* temporaryFolder
      const { summary } = yield* runOnce(server.url, dataDir, { pipelines })
      expect(summary.outcome).toBe("partial")
      expect(
        yield* queries(dataDir, [
          "select summary from core.audit_log",
          "select json_path from ops.quarantine order by all",
        ]),
      ).toEqual([
        [{ summary: "a" }],
        [{ json_path: "$.entries[1]" }, { json_path: "$.entries[1].timestamp" }],
      ])
    }),
  )

  live("sets aside the page of a service that does not advance", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(({ url }, response) => {
        const isLog = url.includes("/audit_log")
        const vaults = url.includes("status=active") ? [{ address, chain: 1 }] : []
        const entries = [entry("2026-01-02T00:00:00", "b"), entry("2026-01-01T00:00:00", "a")]
        json(response, isLog ? { entries, has_more: true } : vaults)
      })
      const dataDir = yield* temporaryFolder
      const { summary } = yield* runOnce(server.url, dataDir, { pipelines })
      expect(summary.outcome).toBe("partial")
      const quarantined = yield* query(dataDir, "select json_path, detail from ops.quarantine")
      expect(quarantined).toHaveLength(1)
      expect(quarantined[0]?.["detail"]).toContain("leads no further back")
      const [row] = yield* query(dataDir, "select count(*) as n from core.audit_log")
      expect(Number(row?.["n"])).toBe(2)
      expect(
        yield* query(dataDir, "select * from ops.cursors where pipeline = 'audit_log'"),
      ).toEqual([])
    }),
  )
})
