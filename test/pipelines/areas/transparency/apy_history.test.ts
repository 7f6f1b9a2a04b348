// A service that cuts the APY series to `daysAgo` before it smooths it, so that the first values of each response are of too
// few days: none of them stays in place of a better one.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formatDay } from "../../../../src/domain/values/time.ts"
import { ahead, fixedDay } from "../../../support/movableClock.ts"
import type { RunSettings } from "../../../../src/pipelines/model/runSettings.ts"
import { replayQuarantine } from "../../../../src/pipelines/archive/replayQuarantine.ts"
import { expectReplays, replayOptions } from "../../../support/replays.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../../support/warehouseRun.ts"

const { now, live } = fixedDay("2026-06-01T12:00:00Z")
const DAY_MILLIS = 86_400_000
const HISTORY = 90
const PERIOD = 7

/** The service, and runs against it some days later. */
const reading = Effect.gen(function* () {
  let today = Math.floor(now / DAY_MILLIS)
  let name = "values"
  let broken: string | undefined
  let isStray = false
  let isEmpty = false
  let isTooSlow = false
  const asked: Array<number> = []
  const oldest = today - HISTORY + 1
  const { url } = yield* scriptedServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://service")
    const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
    response.sendDate = false
    if (!pathname.endsWith("/chart"))
      return json(response, searchParams.get("status") === "active" ? vaults : [])
    const daysAgo = Number(searchParams.get("daysAgo"))
    const first = daysAgo < 0 ? oldest : Math.max(oldest, today - daysAgo + 1)
    const days = Array.from({ length: today - first + 1 }, (_, at) => first + at)
    // Median and mean of fewer than seven days each.
    const isOfAll = (day: number) => day - first >= 2 * PERIOD || first === oldest
    const values = days.map((day) => (isOfAll(day) ? day / 1e6 : null))
    asked.push(daysAgo)
    if (isTooSlow && daysAgo < 0) return json(response, { detail: "timeout" }, 504)
    const labels = days.map(formatDay)
    if (broken !== undefined && daysAgo < 0) labels[HISTORY - 30] = broken
    if (isStray) {
      labels.push("2099-01-01")
      values.push(1)
    }
    json(response, isEmpty && daysAgo < 0 ? { labels: [], [name]: [] } : { labels, [name]: values })
  })
  const dataDir = yield* temporaryFolder
  const options = { pipelines: ["apy_history"], api: { retryBudgetSeconds: 0 } }
  const sync = runOnce(url, dataDir, options)
  const start = today
  return {
    /** `daysAgo` of each request. */
    days: asked,
    breakLabel: (label: string | undefined) => {
      broken = label
    },
    stray: () => {
      isStray = true
    },
    empty: (isIt: boolean) => {
      isEmpty = isIt
    },
    slow: (isIt: boolean) => {
      isTooSlow = isIt
    },
    full: runOnce(url, dataDir, { ...options, settings: { full: true } }),
    dataDir,
    sync,
    rename: (to: string) => {
      name = to
    },
    after: (days: number, settings: Partial<RunSettings> = {}) => {
      today = start + days
      const run = runOnce(url, dataDir, { ...options, settings })
      return ahead(now - Date.now() + days * DAY_MILLIS, run)
    },
    stored: query(
      dataDir,
      "select count(*)::int as n, count(apy)::int as whole from core.apy_history",
    ),
  }
})

const wholeAfter = (days: number) => {
  const n = 2 * (HISTORY + days)
  return [{ n, whole: n }]
}

live("what --full could not read is read by the next run, which then closes its entry", () =>
  Effect.gen(function* () {
    const { dataDir, sync, full, breakLabel, days } = yield* reading
    yield* sync
    const open = query(dataDir, "select 1 from ops.quarantine where closed_at is null")
    breakLabel("3 May")
    yield* full
    expect((yield* open).length).toBeGreaterThan(0)
    breakLabel(undefined)
    days.length = 0
    yield* sync
    expect(days).toEqual([-1, -1])
    expect(yield* open).toEqual([])
    days.length = 0
    yield* sync
    expect(Math.min(...days)).toBeGreaterThan(0)
  }),
)

live("what --full got an empty response for is read by the next run", () =>
  Effect.gen(function* () {
    const { sync, full, empty, days } = yield* reading
    yield* sync
    empty(true)
    yield* full
    empty(false)
    days.length = 0
    yield* sync
    expect(days).toEqual([-1, -1])
    days.length = 0
    yield* sync
    expect(Math.min(...days)).toBeGreaterThan(0)
  }),
)

live("a whole history that keeps failing keeps back no new day, and is requested until read", () =>
  Effect.gen(function* () {
    const { sync, full, slow, after, stored, days } = yield* reading
    yield* sync
    slow(true)
    yield* full
    for (const later of [1, 2]) {
      days.length = 0
      const { summary } = yield* after(later)
      expect(summary.outcome).toBe("partial")
      expect(yield* stored).toEqual(wholeAfter(later))
      expect(days.filter((daysAgo) => daysAgo === -1)).toHaveLength(2)
    }
    slow(false)
    days.length = 0
    expect((yield* after(2)).summary.outcome).toBe("complete")
    expect(days).toEqual([-1, -1])
    days.length = 0
    yield* after(2)
    expect(Math.min(...days)).toBeGreaterThan(0)
  }),
)

live("what --full --since leaves out behind the newest day stored is read by the next run", () =>
  Effect.gen(function* () {
    const { sync, after, stored, days } = yield* reading
    yield* sync
    const today = Math.floor(now / DAY_MILLIS) + 50
    yield* after(50, { full: true, since: today - 10 })
    yield* after(50)
    expect(yield* stored).toEqual(wholeAfter(50))
    // Where it leaves out nothing new, there is nothing to read again.
    yield* after(50, { full: true, since: today - 60 })
    days.length = 0
    yield* after(50)
    expect(Math.min(...days)).toBeGreaterThan(0)
  }),
)

live("the first values of a response that was cut before it was smoothed are not stored", () =>
  Effect.gen(function* () {
    const { dataDir, sync, after, stored } = yield* reading
    yield* sync
    for (let days = 1; days <= 3; days += 1) yield* after(days)
    expect(yield* stored).toEqual(wholeAfter(3))
    yield* expectReplays(dataDir)
  }),
)

live("nor are they once a response in quarantine can be read", () =>
  Effect.gen(function* () {
    const { dataDir, sync, after, stored, rename } = yield* reading
    yield* sync
    rename("returns")
    yield* after(3)
    expect(yield* stored).toEqual(wholeAfter(0))
    const fields = { "apy_history.apy": "returns" }
    const loaded = yield* replayQuarantine({ ...replayOptions(dataDir), fields })
    expect(loaded).toMatchObject({ stillBroken: [] })
    expect(yield* stored).toEqual(wholeAfter(3))
  }),
)

live("the others are, also where earlier rows are dated ahead", () =>
  Effect.gen(function* () {
    const { dataDir, sync, after, stored } = yield* reading
    yield* sync
    const later = formatDay(Math.floor(now / DAY_MILLIS) + 20)
    yield* change(dataDir, `update raw.responses set received_at = '${later}'`, "checkpoint")
    yield* after(3)
    expect(yield* stored).toEqual(wholeAfter(3))
  }),
)

live("a value dated in the future hides none that arrive before that date", () =>
  Effect.gen(function* () {
    const { dataDir, sync, after, stored, stray, days } = yield* reading
    stray()
    yield* sync
    const wholeAndStray = (later: number) =>
      wholeAfter(later).map(({ n }) => ({ n: n + 2, whole: n + 2 }))
    yield* after(3)
    expect(yield* stored).toEqual(wholeAndStray(3))
    // A mark that an earlier version left: since when it stored no other value is unknown.
    yield* change(
      dataDir,
      `update ops.cursors set cursor = json_merge_patch(cursor, '{"through": "2099-01-01"}')`,
      "checkpoint",
    )
    days.length = 0
    yield* after(5)
    expect(days).toEqual([-1, -1])
    expect(yield* stored).toEqual(wholeAndStray(5))
    days.length = 0
    yield* after(5)
    expect(Math.min(...days)).toBeGreaterThan(0)
  }),
)
