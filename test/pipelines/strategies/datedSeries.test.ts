// What a run reads of a series by date, given the cursor of the run before.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formatDay } from "../../../src/domain/values/time.ts"
import { defaultWire } from "../../../src/extract/request.ts"
import { defaultRunSettings } from "../../../src/pipelines/model/runSettings.ts"
import type { PartitionState } from "../../../src/pipelines/model/PartitionState.ts"
import { pipelines } from "../../../src/pipelines/pipelines.ts"
import { ahead, fixedDay } from "../../support/movableClock.ts"
import { expectReplays } from "../../support/replays.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

const { now, live } = fixedDay("2026-06-01T12:00:00Z")
const today = Math.floor(now / 86_400_000)

live("a service that reads the dates under other names is said to, and read whole with them", () =>
  Effect.gen(function* () {
    const hours = 200 * 24
    let requests = 0
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      if (!pathname.endsWith("unrealized_pnl")) {
        const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      requests += 1
      // No request is answered for ever.
      if (requests > 100) return void response.destroy()
      const from = searchParams.get("start_date") ?? ""
      const to = searchParams.get("end_date") ?? "9999"
      const points = Array.from({ length: hours }, (_, age) =>
        new Date(now - age * 3_600_000).toISOString(),
      )
        .filter((time) => time.slice(0, 10) >= from && time.slice(0, 10) <= to)
        .slice(0, 1000)
        .map((timestamp) => ({
          timestamp,
          actual_tvl: 100,
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        }))
      json(response, points)
    })
    const dataDir = yield* temporaryFolder
    const stored = Effect.map(
      query(dataDir, "select count(*)::int as points from core.ratio_history"),
      ([row]) => row?.["points"],
    )
    for (const run of [1, 2]) {
      requests = 0
      const { summary, events } = yield* runOnce(url, dataDir, { pipelines: ["ratio_history"] })
      expect(summary.outcome, `run ${run}`).toBe("complete")
      expect(requests, `run ${run}`).toBeLessThan(5)
      const warnings = events.flatMap((event) => (event.kind === "warning" ? [event.text] : []))
      expect(warnings).toEqual([expect.stringContaining("ignores startDate or endDate")])
      expect(warnings.join()).toContain("wire.names")
      expect(yield* stored).toBe(1000)
      expect(yield* query(dataDir, "select 1 from ops.gaps")).toEqual([])
    }
    const snake = { wire: { ...defaultWire, case: "snake" as const } }
    const { events } = yield* runOnce(url, dataDir, { pipelines: ["ratio_history"], api: snake })
    expect(events.filter(({ kind }) => kind === "warning")).toEqual([])
    expect(yield* stored).toBe(hours)
  }),
)

// §4.1 names no default of `startDate`.
live("a service that reads an absent start as 30 days ago is read to its beginning", () =>
  Effect.gen(function* () {
    // A hole at the first day of the third window; no point of the newest 100 days.
    const [holed, closed] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`)
    const ages = Array.from({ length: 1000 }, (_, age) => age)
    const of = new Map([
      [holed, ages.filter((age) => age !== 3 * 41 - 1)],
      [closed, ages.filter((age) => age >= 100)],
    ])
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      if (!pathname.endsWith("unrealized_pnl")) {
        const vaults = [holed, closed].map((address) => ({ address, chain: 1 }))
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      const from = searchParams.get("startDate") ?? formatDay(today - 30)
      const to = searchParams.get("endDate") ?? formatDay(today)
      const points = (of.get(searchParams.get("vault") ?? "") ?? [])
        .map((age) => formatDay(today - age))
        .filter((day) => day >= from && day <= to)
        .slice(0, 1000)
        .map((day) => ({
          timestamp: `${day}T00:00:00Z`,
          actual_tvl: 100,
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        }))
      json(response, points)
    })
    const dataDir = yield* temporaryFolder
    const { summary } = yield* runOnce(url, dataDir, { pipelines: ["ratio_history"] })
    expect(summary.outcome).toBe("complete")
    const stored = yield* query(
      dataDir,
      `select count(*)::int as points, min(observed_at)::date::varchar as first
       from core.ratio_history group by vault_address order by vault_address`,
    )
    const first = formatDay(today - 999)
    expect(stored).toEqual([
      { points: 999, first },
      { points: 900, first },
    ])
  }),
)

live("a first day that begins an hour late is read to its start", () =>
  Effect.gen(function* () {
    const hours = Array.from({ length: 110 }, (_, day) => (today - 109 + day) * 24).flatMap(
      (hour) => [hour, hour + 1],
    )
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      if (!pathname.endsWith("unrealized_pnl")) {
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      const from = searchParams.get("startDate") ?? ""
      const to = searchParams.get("endDate") ?? "9999"
      const points = hours
        .map((hour) => new Date(hour * 3_600_000).toISOString())
        .filter((time) => time.slice(0, 10) >= from && time.slice(0, 10) <= to)
        .map((timestamp) => ({
          timestamp,
          actual_tvl: 100,
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        }))
        .toReversed()
      // All but the oldest point of a window.
      json(response, from < "2016" || points.length < 10 ? points : points.slice(0, -1))
    })
    const dataDir = yield* temporaryFolder
    expect((yield* runOnce(url, dataDir, { pipelines: ["ratio_history"] })).summary.outcome).toBe(
      "complete",
    )
    const [stored] = yield* query(
      dataDir,
      "select count(*)::integer as points from core.ratio_history",
    )
    expect(stored).toEqual({ points: hours.length })
  }),
)

live("a series whose newest window failed and that had no older point is read whole again", () =>
  Effect.gen(function* () {
    let days: ReadonlyArray<number> | undefined
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      if (!pathname.endsWith("unrealized_pnl")) {
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      const from = searchParams.get("startDate") ?? ""
      // The request for everything before it does not fail: it shows that nothing is older.
      if (days === undefined) return json(response, from < "2016" ? [] : { items: "none" })
      const to = searchParams.get("endDate") ?? "9999"
      const points = days
        .map((day) => formatDay(day))
        .filter((day) => day >= from && day <= to)
        .map((day) => ({
          timestamp: `${day}T00:00:00Z`,
          actual_tvl: 100,
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        }))
      json(response, points.toReversed())
    })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(url, dataDir, { pipelines: ["ratio_history"] })
    const stored = Effect.map(
      query(
        dataDir,
        "select observed_at::date::varchar as day from core.ratio_history order by day",
      ),
      (found) => found.map(({ day }) => day),
    )
    const gaps = query(dataDir, "select 1 from ops.gaps where state = 'open'")
    expect((yield* sync).summary.outcome).toBe("partial")
    expect(yield* stored).toEqual([])
    expect(yield* gaps).toHaveLength(1)
    // Before the days of the gap: its first points may be of any day.
    days = [today - 130, today - 60, today - 59]
    expect((yield* sync).summary.outcome).toBe("complete")
    expect(yield* stored).toEqual(days.map((day) => formatDay(day)))
    expect(yield* gaps).toEqual([])
  }),
)

live("a service that is down for a while leaves as a gap what is missing, not what is stored", () =>
  Effect.gen(function* () {
    let isDown = false
    let newest = today - 1
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      if (!pathname.endsWith("unrealized_pnl")) {
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      if (isDown) return void response.destroy()
      const from = searchParams.get("startDate") ?? ""
      const to = searchParams.get("endDate") ?? "9999"
      const points = Array.from({ length: newest - today + 61 }, (_, age) =>
        formatDay(newest - age),
      )
        .filter((day) => day >= from && day <= to)
        .map((day) => ({
          timestamp: `${day}T00:00:00Z`,
          actual_tvl: revised.has(day) ? 7 : 100,
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        }))
      json(response, points)
    })
    const revised = new Set<string>()
    const dataDir = yield* temporaryFolder
    const sync = (full = false) =>
      Effect.map(
        runOnce(url, dataDir, {
          pipelines: ["ratio_history"],
          api: { retryBudgetSeconds: 0 },
          settings: { full },
        }),
        ({ summary }) => summary.outcome,
      )
    const gaps = query(
      dataDir,
      `select from_at::date::varchar as first, to_at::date::varchar as last from ops.gaps
       where state = 'open'`,
    )
    expect(yield* sync()).toBe("complete")
    expect(yield* gaps).toEqual([])
    newest = today
    isDown = true
    const missing = [{ first: formatDay(today - 1), last: formatDay(today) }]
    expect(yield* sync()).toBe("partial")
    expect(yield* gaps).toEqual(missing)
    // Nor does reading everything again record as missing what it could not read again.
    expect(yield* sync(true)).toBe("partial")
    expect(yield* gaps).toEqual(missing)
    isDown = false
    // Within the overlap before the gap, where it is still read again.
    revised.add(formatDay(today - 2))
    expect(yield* sync()).toBe("complete")
    expect(yield* gaps).toEqual([])
    const [stored] = yield* query(
      dataDir,
      `select count(*)::int as points, max(observed_at)::date::varchar as newest,
         count(*) filter (actual_tvl = 7)::int as revised from core.ratio_history`,
    )
    expect(stored).toEqual({ points: 61, newest: formatDay(today), revised: 1 })
  }),
)

live(
  "a point a day that is not as documented costs few requests, however many days there are",
  () =>
    Effect.gen(function* () {
      let [requests, isMended, last] = [0, false, today]
      const { url } = yield* scriptedServer(({ url: path }, response) => {
        const { pathname, searchParams } = new URL(path, "http://service")
        if (!pathname.endsWith("unrealized_pnl")) {
          const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
          return json(response, searchParams.get("status") === "active" ? vaults : [])
        }
        requests += 1
        const [from, to] = [searchParams.get("startDate") ?? "", searchParams.get("endDate") ?? "9"]
        const days = Array.from({ length: last - today + 31 }, (_, at) => last - at)
        const points = days
          .filter((day) => formatDay(day) >= from && formatDay(day) <= to)
          .flatMap((day) =>
            ["06", "00"].map((hour) => ({
              timestamp: `${formatDay(day)}T${hour}:00:00Z`,
              actual_tvl: isMended || day <= today || hour === "00" ? 100 : "broken",
              tvl_on_vault: 100,
              adjusted_redeem_ratio: 1,
            })),
          )
        json(response, points)
      })
      const dataDir = yield* temporaryFolder
      const runAt = Effect.fnUntraced(function* (day: number) {
        ;[requests, last] = [0, today + day]
        const sync = runOnce(url, dataDir, { pipelines: ["ratio_history"] })
        yield* ahead(now - Date.now() + day * 86_400_000, sync)
        const [found] = yield* query(
          dataDir,
          `select count(*) filter (state = 'open')::int as gaps,
           (select count(*)::int from core.ratio_history) as points,
           (select count(*)::int from ops.quarantine where closed_at is null) as quarantined from ops.gaps`,
        )
        const gaps = Number(found?.["gaps"])
        return { ...found, requests, gaps }
      })
      yield* runAt(0)
      const days: Array<Effect.Success<ReturnType<typeof runAt>>> = []
      for (let day = 1; day <= 9; day += 1) days.push(yield* runAt(day))
      expect(days.at(-1)).toMatchObject({ points: 31 * 2 + 9 })
      expect(Math.max(...days.map((each) => each.requests))).toBeLessThan(4)
      expect(Math.max(...days.map(({ gaps }) => gaps))).toBeLessThan(4)
      isMended = true
      expect(yield* runAt(10)).toMatchObject({ points: (31 + 10) * 2, gaps: 0, quarantined: 0 })
    }),
)

live("a window read in parts, of which several have a rejected point, stays a gap as a whole", () =>
  Effect.gen(function* () {
    let isMended = false
    const broken = new Set([today - 5, today - 25])
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      if (!pathname.endsWith("unrealized_pnl")) {
        const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      const [from, to] = [searchParams.get("startDate") ?? "", searchParams.get("endDate") ?? "9"]
      const points = Array.from({ length: 60 }, (_, ago) => today - ago)
        .filter((day) => formatDay(day) >= from && formatDay(day) <= to)
        .map((day) => ({
          timestamp: `${formatDay(day)}T00:00:00Z`,
          actual_tvl: isMended || !broken.has(day) ? 100 : "broken",
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        }))
      // At most so many at once, without saying so.
      json(response, points.slice(0, 15))
    })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(url, dataDir, { pipelines: ["ratio_history"] })
    const left = Effect.map(
      query(
        dataDir,
        `select (select count(*)::int from core.ratio_history) as points,
           (select count(*)::int from ops.gaps where state = 'open'
              and '${formatDay(today - 5)}' between from_at::date and to_at::date) as newer,
           (select count(*)::int from ops.gaps where state = 'open'
              and '${formatDay(today - 25)}' between from_at::date and to_at::date) as older`,
      ),
      ([row]) => ({ ...row, newer: Number(row?.["newer"]) > 0, older: Number(row?.["older"]) > 0 }),
    )
    for (const run of [1, 2, 3]) {
      expect((yield* sync).summary.outcome, `run ${run}`).toBe("partial")
      expect(yield* left).toEqual({ points: 58, newer: true, older: true })
    }
    isMended = true
    yield* sync
    yield* sync
    expect(yield* left).toEqual({ points: 60, newer: false, older: false })
  }),
)

live("a series without points costs one request until it has some, or a week has passed", () =>
  Effect.gen(function* () {
    const daily = `0x${"1".repeat(40)}`
    const backfilled = `0x${"2".repeat(40)}`
    const broken = `0x${"3".repeat(40)}`
    const points = new Map<string, ReadonlyArray<number>>()
    const windows = new Map<string, Array<string>>()
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      if (!pathname.endsWith("unrealized_pnl")) {
        const vaults = [daily, backfilled, broken].map((address) => ({ address, chain: 1 }))
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      const vault = searchParams.get("vault") ?? ""
      const [from, to] = [searchParams.get("startDate") ?? "", searchParams.get("endDate") ?? "9"]
      windows.set(vault, [...(windows.get(vault) ?? []), `${from}..${to}`])
      // A record that can't be read, as the only one.
      if (vault === broken) return json(response, from > "2026-03" ? [{ actual_tvl: "?" }] : [])
      const found = (points.get(vault) ?? [])
        .map((day) => formatDay(day))
        .filter((day) => day >= from && day <= to)
        .map((day) => ({
          timestamp: `${day}T00:00:00Z`,
          actual_tvl: 100,
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        }))
      json(response, found.toReversed())
    })
    const dataDir = yield* temporaryFolder
    const runAt = Effect.fnUntraced(function* (day: number) {
      windows.clear()
      const sync = runOnce(url, dataDir, { pipelines: ["ratio_history"] })
      yield* ahead(now - Date.now() + day * 86_400_000, sync)
      const stored = yield* query(
        dataDir,
        `select vault_address as vault, count(*)::int as n from core.ratio_history group by all`,
      )
      const of = (vault: string) => ({
        requests: windows.get(vault)?.length,
        points: Number(stored.find((row) => row["vault"] === vault)?.["n"] ?? 0),
      })
      return { daily: of(daily), backfilled: of(backfilled), broken: of(broken) }
    })
    const [all, one] = [3, 1].map((requests) => ({ requests, points: 0 }))
    // Its newest window fails, and another request shows that nothing is older.
    const failed = { requests: 2, points: 0 }
    expect(yield* runAt(0)).toEqual({ daily: all, backfilled: all, broken: failed })
    expect(yield* runAt(1)).toEqual({ daily: one, backfilled: one, broken: failed })
    expect(windows.get(daily)).toEqual([`${formatDay(today - 39)}..${formatDay(today + 1)}`])
    // The first new point, and older ones with it.
    points.set(daily, [today - 200, today - 100, today + 2])
    points.set(backfilled, [today - 200])
    const second = yield* runAt(2)
    expect(second.daily.points).toBe(3)
    expect(second.backfilled).toEqual(one)
    const seventh = yield* runAt(7)
    expect(seventh.backfilled.points).toBe(1)
    expect(seventh.daily.requests).toBe(1)
    expect((yield* runAt(8)).backfilled).toMatchObject({ points: 1 })
    // What had points is suspicious once it has none.
    points.set(daily, [])
    expect((yield* runAt(8)).daily).toEqual({ requests: 1, points: 3 })
    const newest = yield* query(
      dataDir,
      `select arg_max(outcome, finished_at) as outcome from ops.tasks where entity like '${daily}%'`,
    )
    expect(newest).toEqual([{ outcome: "suspicious_empty" }])
  }),
)

live("a point dated in the future hides none that arrive before that date", () =>
  Effect.gen(function* () {
    let [newest, requests] = [today, 0]
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      response.sendDate = false
      if (!pathname.endsWith("unrealized_pnl")) {
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      requests += 1
      const [from, to] = [searchParams.get("startDate") ?? "", searchParams.get("endDate") ?? "9"]
      const days = Array.from({ length: newest - today + 50 }, (_, age) => formatDay(newest - age))
      const points = ["2099-01-01", ...days.filter((day) => day >= from && day <= to)]
      json(
        response,
        points.map((day) => ({
          timestamp: `${day}T00:00:00Z`,
          actual_tvl: 100,
          tvl_on_vault: 100,
          adjusted_redeem_ratio: 1,
        })),
      )
    })
    const dataDir = yield* temporaryFolder
    const syncAfter = Effect.fnUntraced(function* (days: number) {
      ;[newest, requests] = [today + days, 0]
      const sync = runOnce(url, dataDir, { pipelines: ["ratio_history"] })
      expect((yield* ahead(now - Date.now() + days * 86_400_000, sync)).summary.outcome).toBe(
        "complete",
      )
      const [row] = yield* query(dataDir, "select count(*)::int as n from core.ratio_history")
      return { points: row?.["n"], requests }
    })
    expect((yield* syncAfter(0)).points).toBe(1 + 50)
    expect(yield* syncAfter(10)).toEqual({ points: 1 + 60, requests: 1 })
    // A cursor that an earlier version left: since when it requested nothing is unknown.
    const ahead2099 = `'{"through": "2099-01-01", "newest": "2099-01-01"}'`
    yield* change(
      dataDir,
      `update ops.cursors set cursor = json_merge_patch(cursor, ${ahead2099})
       where pipeline = 'ratio_history'`,
      "checkpoint",
    )
    const again = yield* syncAfter(20)
    expect(again.points).toBe(1 + 70)
    expect(again.requests).toBeGreaterThan(1)
    expect((yield* syncAfter(20)).requests).toBe(1)
  }),
)

live("days without an allocation are read, so that they are not requested again for ever", () =>
  Effect.gen(function* () {
    const [empty, emptied] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`)
    const requested: Array<string> = []
    let last = today
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      if (!pathname.includes("/historical_allocations/")) {
        const vaults = [empty, emptied].map((address) => ({ address, chain: 1 }))
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      const [from, to] = [searchParams.get("startDate") ?? "", searchParams.get("endDate") ?? "9"]
      const vault = pathname.includes(`${emptied}`) ? "emptied" : "empty"
      requested.push(`${vault} ${from}..${to}`)
      const points = Array.from({ length: 60 + last - today }, (_, at) => today - 59 + at)
        .map((day) => ({
          date: formatDay(day),
          allocations:
            vault === "emptied" && (day < today - 40 || day > today) ? { Aave: 100 } : [],
        }))
        .filter(({ date }) => date >= from && date <= to)
      json(response, { points })
    })
    const dataDir = yield* temporaryFolder
    const runOn = Effect.fnUntraced(function* (day: number, settings = {}) {
      requested.length = 0
      last = day
      const sync = runOnce(url, dataDir, { pipelines: ["allocation_history"], settings })
      const { summary } = yield* ahead(now - Date.now() + (day - today) * 86_400_000, sync)
      expect(summary.outcome).toBe("complete")
      return requested.toSorted()
    })
    yield* runOn(today)
    // One request each, of the days since and the overlap.
    for (const day of [today + 1, today + 30]) {
      const through = day === today + 1 ? today : today + 1
      const from = formatDay(through - defaultRunSettings.overlapDays)
      const days = `${from}..${formatDay(day)}`
      expect(yield* runOn(day)).toEqual([`emptied ${days}`, `empty ${days}`])
    }
    const [stored] = yield* query(
      dataDir,
      "select count(*)::int as days, max(date)::varchar as newest from core.allocation_history",
    )
    expect(stored).toEqual({ days: 19 + 30, newest: formatDay(today + 30) })
    // They are not given up as days that the service lacks.
    expect(yield* runOn(today + 30, { fillGaps: true })).toHaveLength(2 + 1)
    expect(yield* query(dataDir, "select * from ops.gaps")).toEqual([])
    yield* expectReplays(dataDir)
  }),
)

live("a history with a day for each day requested ends where no day has an allocation", () =>
  Effect.gen(function* () {
    const [whole, emptied] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`)
    const requested: Array<string> = []
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      if (!pathname.includes("/historical_allocations/")) {
        const vaults = [whole, emptied].map((address) => ({ address, chain: 1 }))
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      }
      const dayAt = (name: string, other: number) =>
        searchParams.has(name) ? Date.parse(searchParams.get(name) ?? "") / 86_400_000 : other
      const to = dayAt("endDate", today)
      const from = dayAt("startDate", to - 29)
      requested.push(pathname)
      if (from < today - 4200) return void response.writeHead(422).end("{}")
      const end = pathname.includes(`${emptied}`) ? today - 40 : today
      const points = Array.from({ length: to - from + 1 }, (_, at) => from + at).map((day) => ({
        date: formatDay(day),
        allocations: day > today - 500 && day <= end ? { Aave: 100 } : [],
      }))
      json(response, { points })
    })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(url, dataDir, { pipelines: ["allocation_history"] })
    expect((yield* sync).summary.outcome).toBe("complete")
    // Two windows with allocations, one without, and one for anything before.
    expect(requested).toHaveLength(2 * 4)
    const cursors = query(
      dataDir,
      `select cursor ->> 'complete' as complete, cursor ->> 'through' as through
       from ops.cursors where pipeline = 'allocation_history'`,
    )
    const found = { complete: "true", through: formatDay(today) }
    expect(yield* cursors).toEqual([found, found])
    const [stored] = yield* query(
      dataDir,
      "select count(*)::int as days, min(date)::varchar as oldest from core.allocation_history",
    )
    expect(stored).toEqual({ days: 500 + 460, oldest: formatDay(today - 499) })
    requested.length = 0
    yield* sync
    expect(requested).toHaveLength(2)
  }),
)

it("a history that was cut short is expected to cost what is left of it, and two to find its beginning", () => {
  const ratio = pipelines.find(({ name }) => name === "ratio_history")
  const startedOn = today - 200
  const expected = (
    cursor: object | undefined,
    settings: { full?: boolean; since?: number; until?: number } = {},
    of: { subject?: object; openGaps?: PartitionState["openGaps"] } = {},
  ) =>
    ratio?.expectedRequests(
      { entity: "a", subject: of.subject ?? { startedOn } },
      { cursor: () => cursor, openGaps: of.openGaps ?? [], isSkipped: () => false },
      { ...defaultRunSettings, now: now * 1000, today, ...settings },
    )
  const cursor = (days: number, complete: boolean) => {
    const through = formatDay(today)
    return { through, newest: through, from: formatDay(today - days), complete }
  }
  // The newest days, 200 - 118 older ones in two windows, and those that show the beginning.
  expect(expected(cursor(118, false))).toBe(1 + 2 + 2)
  expect(expected(cursor(119, false))).toBe(1 + 2 + 2)
  expect(expected(cursor(117, false))).toBe(1 + 3 + 2)
  expect(expected(cursor(118, true))).toBe(1)
  expect(expected(cursor(200, false))).toBe(1)
  expect(expected(undefined)).toBe(5 + 2)
  // All of it again: where it began is known, and anything before is looked for once.
  expect(expected(cursor(200, true), { full: true })).toBe(5 + 1)
  expect(expected(cursor(118, true), { full: true })).toBe(3 + 1)
  expect(expected(cursor(118, false), { full: true })).toBe(5 + 2)
  // Named days alone, of which none may be newer than what was read.
  expect(expected(undefined, { since: today - 40 })).toBe(1 + 2)
  expect(expected(undefined, { since: today - 41 })).toBe(2 + 2)
  expect(expected(undefined, { until: today - 160 })).toBe(1 + 2)
  expect(expected(undefined, { until: today - 159 })).toBe(2 + 2)
  expect(expected(undefined, { until: today + 100 })).toBe(5 + 2)
  expect(expected(cursor(118, true), { until: today - 119 })).toBe(0)
  const { overlapDays } = defaultRunSettings
  expect(expected(cursor(118, true), { until: today - overlapDays })).toBe(1)
  expect(expected(cursor(118, true), { until: today - overlapDays - 1 })).toBe(0)
  expect(expected(cursor(0, true), { until: today - 1 })).toBe(0)
  // Since when an earlier version requested nothing is unknown: all of it again. Clocks may be a day apart.
  const dated = (through: number) => ({ ...cursor(200, true), through: formatDay(through) })
  expect(expected(dated(today + 2))).toBe(5 + 1)
  expect(expected(dated(today + 1))).toBe(1)
  expect(expected(dated(today + 1), { until: today - overlapDays })).toBe(1)
  // A year of days where it is unknown when the vault began.
  expect(expected(undefined, {}, { subject: {} })).toBe(9 + 2)
  // A gap is read again.
  const [fromAt, toAt] = [(today - 30) * 86_400_000_000, (today - 29) * 86_400_000_000 - 1]
  expect(expected(cursor(118, true), {}, { openGaps: [{ fromAt, toAt }] })).toBe(1 + 1)
  // No point of any day was found not long ago.
  expect(expected({ ...cursor(0, true), newest: null })).toBe(1)
})
