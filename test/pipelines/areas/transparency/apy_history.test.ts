// A service that cuts the APY series to `daysAgo` before it smooths it, so that the first values of each response are of too
// few days: none of them stays in place of a better one.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formatDay } from "../../../../src/domain/values/time.ts"
import { ahead, fixedDay } from "../../../support/movableClock.ts"
import { expectReplays } from "../../../support/replays.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

const { now, live } = fixedDay("2026-06-01T12:00:00Z")
const DAY_MILLIS = 86_400_000
const HISTORY = 90
const PERIOD = 7

live("the first values of a response that was cut before it was smoothed are not stored", () =>
  Effect.gen(function* () {
    let today = Math.floor(now / DAY_MILLIS)
    const oldest = today - HISTORY + 1
    const { url } = yield* scriptedServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url, "http://service")
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      if (!pathname.endsWith("/chart"))
        return json(response, searchParams.get("status") === "active" ? vaults : [])
      const daysAgo = Number(searchParams.get("daysAgo"))
      const first = daysAgo < 0 ? oldest : Math.max(oldest, today - daysAgo + 1)
      const days = Array.from({ length: today - first + 1 }, (_, at) => first + at)
      // Median and mean of fewer than seven days each.
      const isOfAll = (day: number) => day - first >= 2 * PERIOD || first === oldest
      const values = days.map((day) => (isOfAll(day) ? day / 1e6 : null))
      json(response, { labels: days.map(formatDay), values })
    })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(url, dataDir, { pipelines: ["apy_history"] })
    yield* sync
    for (let later = 1; later <= 3; later += 1) {
      today += 1
      yield* ahead(now - Date.now() + later * DAY_MILLIS, sync)
    }
    const found = `select count(*)::int as n, count(apy)::int as whole from core.apy_history`
    const all = [{ n: 2 * (HISTORY + 3), whole: 2 * (HISTORY + 3) }]
    expect(yield* query(dataDir, found)).toEqual(all)
    yield* expectReplays(dataDir)
  }),
)
