// Compares what the web page, its API and the reports show with what is worked out from the archive.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { writeReport } from "../../../src/serve/report/writeReport.ts"
import { startServer } from "../../serve/support.ts"
import { concentration, dailyBars, dayOf, shifted } from "../independent.ts"
import { archivedIn } from "./archive.ts"
import {
  money,
  newestTexts,
  percent,
  periodFigures,
  periodTexts,
  ratio,
  whole,
  wholePercent,
  hasRatio,
} from "./figures.ts"
import { figureIn, listsIn, previousIn, tableIn, totalsIn } from "./html.ts"
import { type KnownVault, knownFrom } from "./known.ts"

const pageOf = async (url: string): Promise<string> => {
  const response = await fetch(url)
  const text = await response.text()
  expect([response.status, url, /class="error"[^<]*<?[^<]*/.exec(text)?.[0]]).toEqual([
    200,
    url,
    undefined,
  ])
  return text
}

type Columns = Readonly<Record<string, ReadonlyArray<unknown>>>

const near = (found: unknown, expected: number | undefined, what: string): void => {
  if (expected === undefined) return expect(found ?? null, what).toBeNull()
  expect(
    Math.abs(Number(found) - expected),
    `${what}: ${String(found)}, not ${expected}`,
  ).toBeLessThan(1e-9 * Math.max(1, Math.abs(expected)))
}

/** The rows of a series, by the text of an instant or day without what differs between formats. */
const bySlot = ({ columns }: { readonly columns: Columns }, slot: string, digits: number) =>
  new Map(
    (columns[slot] ?? []).map((at, row) => [
      String(at).slice(0, digits).replace(" ", "T"),
      Object.fromEntries(Object.entries(columns).map(([name, all]) => [name, all[row]])),
    ]),
  )

/** Every point of a vault's charts, as the API has them. Resolves to how many were compared. */
const checkSeries = async (url: string, vault: KnownVault, search: string): Promise<number> => {
  const read = async (name: string) =>
    (await (
      await fetch(
        `${url}/api/vault/${vault.chain}/${vault.address}/series/${name}?buckets=5000&${search}`,
      )
    ).json()) as { readonly columns: Columns }
  const found = Object.fromEntries(
    await Promise.all(
      ["ratio", "pnl", "buffer", "apy", "allocation"].map(
        async (name) => [name, await read(name)] as const,
      ),
    ),
  )
  const hours = (points: Iterable<string>): ReadonlySet<string> =>
    new Set([...points].map((at) => at.slice(0, 13)))
  let compared = 0
  const ratios = bySlot(found["ratio"] ?? { columns: {} }, "bucket_at", 13)
  expect([...ratios.keys()].toSorted()).toEqual([...hours(vault.ratios.keys())].toSorted())
  for (const point of vault.ratios.values()) {
    const expected = hasRatio(point) ? point.adjusted_redeem_ratio : undefined
    near(ratios.get(point.timestamp.slice(0, 13))?.["close"], expected, `ratio ${point.timestamp}`)
    compared += 1
  }
  const pnl = bySlot(found["pnl"] ?? { columns: {} }, "bucket_at", 13)
  expect(pnl.size).toBe(hours(vault.pnl.keys()).size)
  for (const { timestamp, unrealizedPnl } of vault.pnl.values()) {
    near(pnl.get(timestamp.slice(0, 13))?.["close"], unrealizedPnl, `PnL ${timestamp}`)
    compared += 1
  }
  const buffers = bySlot(found["buffer"] ?? { columns: {} }, "bucket_at", 13)
  expect(buffers.size).toBe(vault.positions.size)
  for (const { at, nav, buffer } of vault.positions.values()) {
    near(buffers.get(at.slice(0, 13))?.["nav_usd"], nav, `net value ${at}`)
    near(buffers.get(at.slice(0, 13))?.["buffer_usd"], buffer, `buffer ${at}`)
    compared += 2
  }
  const yields = bySlot(found["apy"] ?? { columns: {} }, "day", 10)
  for (const [day, row] of yields) {
    near(row["apy_smoothed"], vault.smoothed.get(day), `smoothed APY ${day}`)
    near(row["apy_unsmoothed"], vault.raw.get(day), `raw APY ${day}`)
    compared += 2
  }
  expect(yields.size).toBe(new Set([...vault.smoothed.keys(), ...vault.raw.keys()]).size)
  const allocation = found["allocation"]?.columns ?? {}
  const days = allocation["day"] ?? []
  for (const [row, day] of days.entries()) {
    const parts = vault.allocations.get(String(day).slice(0, 10)) ?? new Map<string, number>()
    const value = parts.get(String(allocation["protocol"]?.[row]))
    const { total } = concentration([...parts.values()])
    near(allocation["value"]?.[row], value, `allocation ${String(day)}`)
    near(allocation["weight"]?.[row], (value ?? NaN) / total, `weight ${String(day)}`)
    compared += 2
  }
  expect(days.length).toBe([...vault.allocations.values()].reduce((all, { size }) => all + size, 0))
  return compared
}

/** Its last days: figures at the close of each. */
const checkDays = (page: string, vault: KnownVault): number => {
  expect(page).toContain('id="days"')
  const [section = ""] = page.slice(page.indexOf('id="days"')).split("<h2")
  const bars = dailyBars(
    [...vault.ratios.values()].filter(hasRatio),
    (point) => point.adjusted_redeem_ratio,
  )
  const pnl = dailyBars([...vault.pnl.values()], (point) => point.unrealizedPnl)
  const rows = [...tableIn(section)]
  for (const [day, row] of rows) {
    const { nav, close } = periodFigures(vault, { from: day, to: day })
    const shown = Object.fromEntries(
      ["Ratio", "Lowest", "APY", "APY, raw", "PnL, unrealized, USD", "Net value, USD"].map(
        (name) => [name, figureIn(row[name] ?? "")],
      ),
    )
    expect({ day, ...shown }).toEqual({
      day,
      Ratio: ratio(close),
      Lowest: ratio(bars.get(day)?.low),
      APY: percent(vault.smoothed.get(day)),
      "APY, raw": percent(vault.raw.get(day)),
      "PnL, unrealized, USD": money(pnl.get(day)?.close),
      "Net value, USD": money(nav),
    })
  }
  return rows.length * 6
}

const reportTexts = (found: ReturnType<typeof periodFigures>) => ({
  "Collateral ratio": ratio(found.close),
  Lowest: ratio(found.low),
  "Hours below par": whole(found.belowPar),
  Drawdown: percent(found.drawdown),
  "APY, smoothed, mean": percent(found.smoothed),
  "Net value, USD": money(found.nav),
  "PnL change, USD": money(found.pnl),
  "Hours present": wholePercent(found.presentHours),
})

/**
 * Overview, comparison, reports and the vaults' pages with what was known at the instant, `2026-06-02T13:00:00Z`; with
 * `isPast` by naming it, else as they are now. Pages of the past take seconds, so only one vault's is read. Resolves to
 * how many figures agree.
 */
export const checkPages = (dataDir: string, instant: string, isPast: boolean): Promise<number> =>
  Effect.gen(function* () {
    const url = yield* startServer(dataDir)
    const known = knownFrom(
      archivedIn(dataDir).filter(({ receivedAt }) => receivedAt <= Date.parse(instant)),
    )
    const vaults = [...known.vaults.values()]
    const lastDay = shifted(dayOf(instant), -1)
    const period = { from: shifted(lastDay, -29), to: lastDay }
    const before = { from: shifted(period.from, -30), to: shifted(period.from, -1) }
    const asOf = isPast ? new URLSearchParams({ "as-of": instant }).toString() : ""
    const search = `from=${period.from}&to=${period.to}&${asOf}`
    const figures = new Map(vaults.map((vault) => [vault.name, periodFigures(vault, period)]))
    let compared = 0
    const same = (found: unknown, expected: object, what: string): void => {
      expect({ what, figures: found }).toEqual({ what, figures: expected })
      compared += Object.keys(expected).length
    }
    const shownIn = (row: Readonly<Record<string, string>> | undefined, names: object) =>
      Object.fromEntries(Object.keys(names).map((name) => [name, figureIn(row?.[name] ?? "")]))

    yield* Effect.promise(async () => {
      const overview = tableIn(await pageOf(`${url}/?${search}`))
      const marked = vaults.map(({ chain, address }) => `vault=${chain}%2F${address}`).join("&")
      const comparison = await pageOf(`${url}/compare?${marked}&${search}`)
      const compare = tableIn(comparison)
      expect([overview.size, compare.size]).toEqual([vaults.length, vaults.length])
      for (const [at, vault] of vaults.entries()) {
        const found = figures.get(vault.name)
        if (found === undefined) continue
        const newest = newestTexts(known, vault)
        const inPeriod = periodTexts(found)
        const ofOverview = {
          "Collateral ratio": newest["Collateral ratio"],
          "PnL, USD": inPeriod["PnL, USD"],
          "Return, net": inPeriod["Return, net"],
          Drawdown: inPeriod["Drawdown"],
          APY: newest["APY, smoothed"],
          "TVL, USD": newest["Net value, USD"],
          Withdrawals: newest["Withdrawals pending, of assets"],
        }
        same(shownIn(overview.get(vault.name), ofOverview), ofOverview, `overview ${vault.name}`)
        same(shownIn(compare.get(vault.name), inPeriod), inPeriod, `comparison ${vault.name}`)
        if (isPast && at > 0) continue
        const page = await pageOf(`${url}/vault/${vault.chain}/${vault.address}?${search}`)
        const [top, ofPeriod] = listsIn(page)
        same(top, newest, `page of ${vault.name}`)
        const hasHistory = vault.ratios.size + vault.pnl.size + vault.raw.size > 0
        if (hasHistory) same(ofPeriod, inPeriod, `period on the page of ${vault.name}`)
        compared += checkDays(page, vault)
        compared += await checkSeries(url, vault, asOf)
      }
      const added = (of: (found: ReturnType<typeof periodFigures>) => number | undefined) => {
        const all = [...figures.values()].flatMap((found) => of(found) ?? [])
        return all.length === 0 ? undefined : all.reduce((total, each) => total + each, 0)
      }
      const totals = {
        "Net value, USD": money(added(({ nav }) => nav)),
        "PnL, USD": money(added(({ pnl }) => pnl)),
        "Hours below par": whole(added(({ belowPar }) => belowPar)),
        "Fees, USD": money(added(({ fees }) => fees)),
      }
      same(shownIn(totalsIn(comparison), totals), totals, "totals of the comparison")
    })

    const file = join(dataDir, "report.html")
    const write = (isComparison: boolean) =>
      writeReport({
        dataDir,
        memoryLimit: "500MB",
        diskLimit: "1GB",
        file,
        vaults: [],
        days: 30,
        lastDay: Date.parse(lastDay) / 86_400_000,
        isComparison,
        asOf: isPast ? Date.parse(instant) * 1000 : undefined,
      })
    yield* write(false)
    const report = tableIn(readFileSync(file, "utf8"))
    yield* write(true)
    const side = tableIn(readFileSync(file, "utf8"))
    for (const vault of vaults) {
      const row = report.get(vault.name) ?? {}
      const [now, then] = [
        reportTexts(periodFigures(vault, period)),
        reportTexts(periodFigures(vault, before)),
      ]
      same(shownIn(row, now), now, `report, ${vault.name}`)
      const previous = Object.fromEntries(
        Object.keys(then).map((name) => [name, previousIn(row[name] ?? "")]),
      )
      same(previous, then, `report, previous period, ${vault.name}`)
      const inPeriod = periodTexts(figures.get(vault.name) ?? periodFigures(vault, period))
      same(shownIn(side.get(vault.name), inPeriod), inPeriod, `report --compare, ${vault.name}`)
    }
    return compared
  }).pipe(Effect.scoped, Effect.runPromise)
