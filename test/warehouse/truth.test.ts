// A whole run against the simulator, and then the marts against figures worked out from the service's answers
// without SQL; what was known before a revision; and comments wherever the tables went.
import { chmodSync, copyFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { DuckDBInstance } from "@duckdb/node-api"
import { stopClock } from "../../demo/stoppedClock.ts"
import { marts } from "../../src/load/marts/marts.ts"
import { readManifest } from "../../src/load/published/parquet/manifest.ts"
import { publishedFile } from "../../src/load/published/read/PublishedCopy.ts"
import { dictionary, isRelation } from "../../src/pipelines/readers/dictionary.ts"
import { openPublishedCopy } from "../../src/pipelines/readers/openPublishedCopy.ts"
import { readPast } from "../../src/serve/asOf/asOf.ts"
import { query, runOnce } from "../support/warehouseRun.ts"
import {
  type AllocationPoint,
  apyDays,
  belowPar,
  changeOver,
  concentration,
  dailyBars,
  dayOf,
  deepestFall,
  type Days,
  type PnlSnapshot,
  ratioCloses,
  ratioLevels,
  type RatioPoint,
  returnOver,
  shifted,
  volatilityOver,
} from "./independent.ts"

// In the past of every clock that runs this, so that the simulated history can grow without waiting.
const now = "2026-06-01T12:00:00Z"
const days = 110

interface VaultSeries {
  readonly address: string
  readonly ratio: ReadonlyArray<RatioPoint>
  readonly pnl: ReadonlyArray<PnlSnapshot>
  readonly raw: Days
  readonly smoothed: Days
  readonly allocations: ReadonlyArray<AllocationPoint>
}

type Row = Readonly<Record<string, unknown>>

let simulator: Simulator
let dataDir: string
let vaults: ReadonlyArray<VaultSeries>
const histories = ["ratio_history", "pnl_history", "apy_history", "allocation_history"]
const sync = () =>
  Effect.runPromise(
    Effect.scoped(
      runOnce(simulator.url, dataDir, {
        publish: { parquet: { marts: false } },
        pipelines: ["vaults", ...histories],
      }),
    ),
  )
const rowsOf = (sql: string) => Effect.runPromise(query(dataDir, sql))

const get = async <A>(path: string): Promise<A> => {
  const response = await fetch(`${simulator.url}${path}`)
  expect(response.status, path).toBe(200)
  return (await response.json()) as A
}

const windows = Array.from({ length: 4 }, (_, at) => at * 30)

const readVault = async (vault: Simulator["truth"]["vaults"][number]): Promise<VaultSeries> => {
  const { address, chainId, kind } = vault
  const pages = await Promise.all(
    windows.map((back) => {
      const last = shifted(dayOf(now), -back)
      const dates = `startDate=${shifted(last, -29)}&endDate=${last}`
      return get<ReadonlyArray<RatioPoint>>(
        `/platform/unrealized_pnl?vault=${address}&fields=ratio&${dates}`,
      )
    }),
  )
  const chart = async (smoothing: boolean) => {
    const { labels, values } = await get<{ labels: Array<string>; values: Array<number> }>(
      `/platform/historical_apy/chart?vault=${address}&daysAgo=-1&applySmoothing=${smoothing}`,
    )
    return apyDays(labels, values)
  }
  const allocations =
    kind === "evm"
      ? await get<{ points: ReadonlyArray<AllocationPoint> }>(
          `/platform/historical_allocations/${address}?chainId=${chainId}`,
        )
      : { points: [] }
  return {
    address: kind === "evm" ? address.toLowerCase() : address,
    ratio: pages.flat(),
    pnl: await get(`/platform/unrealized_pnl?vault=${address}`),
    raw: await chart(false),
    smoothed: await chart(true),
    allocations: allocations.points,
  }
}

beforeAll(async () => {
  simulator = await startSimulator({ vaults: 6, now, days })
  dataDir = mkdtempSync(join(tmpdir(), "vaulthouse-truth-"))
  const { summary } = await sync()
  expect(summary).toMatchObject({ outcome: "complete", published: true })
  vaults = await Promise.all(simulator.truth.vaults.map(readVault))
})
afterAll(async () => {
  await simulator.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Doubles worked out in another order differ in their last digits; what is not there is null. */
const near = (actual: unknown, expected: number | undefined, what: string): void => {
  if (expected === undefined) expect(actual, what).toBeNull()
  else {
    const error = Math.abs(Number(actual) - expected)
    expect(error, `${what}: ${String(actual)}, not ${expected}`).toBeLessThanOrEqual(
      1e-9 * Math.max(1, Math.abs(expected)),
    )
  }
}

const keyed = (rows: ReadonlyArray<Row>, key: (row: Row) => string): ReadonlyMap<string, Row> => {
  const found = new Map(rows.map((row) => [key(row), row]))
  expect(found.size).toBe(rows.length)
  return found
}
const byDay = async (mart: string, address: string) =>
  keyed(await rowsOf(`select * from mart.${mart} where vault_address = '${address}'`), ({ day }) =>
    String(day),
  )

describe("marts against the service's own answers", () => {
  it("had something to read", () => {
    expect(vaults.filter(({ ratio }) => ratio.length > 1000).length).toBeGreaterThan(2)
    expect(vaults.filter(({ ratio }) => ratio.length === 0).length).toBeGreaterThan(0)
    expect(vaults.some(({ raw }) => raw.size > 90)).toBe(true)
    expect(vaults.some(({ ratio }) => ratio.length > 0 && belowPar(ratio).below > 0)).toBe(true)
    expect(vaults.some(({ allocations }) => allocations.length > 300)).toBe(true)
  })

  it("vault_daily: open, low, high and close of the collateral ratio, hours present", async () => {
    for (const { address, ratio } of vaults) {
      const rows = await byDay("vault_daily", address)
      const bars = dailyBars(ratio, (point) => point.adjusted_redeem_ratio)
      const backing = dailyBars(ratio, (point) => point.actual_tvl)
      for (const [day, bar] of bars) {
        const row = rows.get(day)
        const what = `${address} ${day}`
        for (const [name, value] of Object.entries(bar)) {
          near(row?.[`collateral_ratio_${name}`], value, `${name} ${what}`)
        }
        near(row?.["backing"], backing.get(day)?.close, `backing ${what}`)
        const hours = ratio.filter(({ timestamp }) => dayOf(timestamp) === day).length
        expect(row?.["hours_present"], what).toBe(hours)
      }
      const filled = [...rows.values()].filter((row) => row["collateral_ratio_close"] !== null)
      expect(filled).toHaveLength(bars.size)
    }
  })

  it("pnl_daily: days, changes, and months that add up", async () => {
    for (const { address, pnl } of vaults) {
      const rows = await byDay("pnl_daily", address)
      const usd = dailyBars(pnl, (snapshot) => snapshot.unrealizedPnl)
      const asset = dailyBars(pnl, (snapshot) => snapshot.unrealizedPnlInAsset)
      expect([...rows.keys()].toSorted()).toEqual([...usd.keys()])
      let before: string | undefined
      for (const [day, bar] of usd) {
        const row = rows.get(day)
        for (const [name, value] of Object.entries(bar)) {
          near(row?.[`pnl_usd_${name}`], value, `${name} ${day}`)
        }
        const last = before === undefined ? undefined : usd.get(before)?.close
        near(row?.["pnl_usd_change"], last === undefined ? undefined : bar.close - last, day)
        near(row?.["pnl_in_asset_close"], asset.get(day)?.close, day)
        before = day
      }
      const months = await rowsOf(
        `select month::varchar as month, sum(pnl_usd_change) as change from mart.pnl_daily
         where vault_address = '${address}' group by month having count(pnl_usd_change) > 0`,
      )
      for (const { month, change } of months) {
        const inOrder = [...usd]
        const within = inOrder.filter(([day]) => day.slice(0, 7) === String(month).slice(0, 7))
        const start = inOrder.findLast(([day]) => day < String(month))?.[1] ?? within[0]?.[1]
        near(change, (within.at(-1)?.[1].close ?? NaN) - (start?.close ?? NaN), String(month))
      }
    }
  })

  it("allocation_daily: weights, changes, concentration", async () => {
    for (const { address, allocations } of vaults) {
      const rows = keyed(
        await rowsOf(`select * from mart.allocation_daily where vault_address = '${address}'`),
        ({ day, protocol }) => `${String(day)} ${String(protocol)}`,
      )
      expect(rows.size).toBe(allocations.length)
      const value = new Map(allocations.map((a) => [`${a.date} ${a.protocol}`, a.value_usd]))
      for (const [day, points] of Map.groupBy(allocations, ({ date }) => date)) {
        const { total, weights, hhi, top } = concentration(points.map((each) => each.value_usd))
        for (const [at, point] of points.entries()) {
          const row = rows.get(`${day} ${point.protocol}`)
          const what = `${address} ${day} ${point.protocol}`
          const before = value.get(`${shifted(day, -1)} ${point.protocol}`)
          const change = before === undefined ? undefined : point.value_usd - before
          near(row?.["weight"], weights[at], what)
          near(row?.["value_change"], change, what)
          near(row?.["allocated_value"], total, what)
          near(row?.["concentration_hhi"], hhi, what)
          near(row?.["top_share"], top, what)
          expect(row?.["protocols"], what).toBe(points.length)
        }
      }
    }
  })

  it("vault_performance: returns, volatility, drawdown, time below par", async () => {
    const rows = keyed(await rowsOf("select * from mart.vault_performance"), (row) =>
      String(row["vault_address"]),
    )
    expect(rows.size).toBe(vaults.length)
    for (const { address, raw, ratio } of vaults) {
      const row = rows.get(address)
      const closes = ratioCloses(ratio)
      for (const window of [1, 7, 30, 90]) {
        const what = `${window} days of ${address}`
        near(row?.[`return_${window}d`], changeOver(closes, window), what)
        near(row?.[`apy_return_${window}d`], returnOver(raw, window), what)
      }
      near(
        row?.["apy_return_since_start"],
        raw.size === 0 ? undefined : returnOver(raw, raw.size),
        address,
      )
      for (const window of [30, 90]) {
        near(row?.[`volatility_${window}d`], volatilityOver(closes, window), address)
      }
      const fall = deepestFall(ratioLevels(ratio))
      near(row?.["max_drawdown"], ratio.length === 0 ? undefined : (fall?.depth ?? 0), address)
      expect(row).toMatchObject({
        from_on: [...closes.keys()].at(0) ?? null,
        to_on: [...closes.keys()].at(-1) ?? null,
        apy_to_on: [...raw.keys()].at(-1) ?? null,
        max_drawdown_peak_at: fall?.peakAt ?? null,
        max_drawdown_trough_at: fall?.troughAt ?? null,
        max_drawdown_recovered_at: fall?.recoveredAt ?? null,
      })
      if (ratio.length === 0) {
        expect(row).toMatchObject({ hours_present: null, hours_below_par: null })
        continue
      }
      const par = belowPar(ratio)
      expect(row).toMatchObject({ hours_present: par.hours, hours_below_par: par.below })
      near(row?.["share_of_hours_below_par"], par.below / par.hours, address)
      near(row?.["collateral_ratio_low"], par.low, address)
    }
  })
})

describe("vault_period, against the service's own answers", () => {
  // Before the first day, within, and the newest 30 days.
  const last = dayOf(now)
  const periods = [
    [shifted(last, -30), shifted(last, -1)],
    [shifted(last, -60), shifted(last, -55)],
    [shifted(last, -150), shifted(last, -100)],
  ] as const

  it.each(periods)("%s to %s", async (from, to) => {
    const rows = keyed(
      await rowsOf(`select * from mart.vault_period(date '${from}', date '${to}')`),
      (row) => String(row["vault_address"]),
    )
    expect(rows.size).toBe(vaults.length)
    const isWithin = (day: string) => from <= day && day <= to
    const within = (of: Days): ReadonlyArray<number> =>
      [...of].filter(([day]) => isWithin(day)).map(([, value]) => value)
    const mean = (values: ReadonlyArray<number>): number | undefined =>
      values.length === 0 ? undefined : values.reduce((sum, each) => sum + each, 0) / values.length
    for (const { address, ratio, pnl, raw, smoothed, allocations } of vaults) {
      const row = rows.get(address)
      const what = `${address} ${from}`
      const points = ratio.filter(({ timestamp }) => isWithin(dayOf(timestamp)))
      const closes = ratioCloses(ratio)
      const base = closes.get(shifted(from, -1))
      const inside = within(closes)
      const levels = base === undefined ? inside : [base, ...inside]
      const first = levels[0]
      near(
        row?.["ratio_return"],
        first === undefined || levels.length < 2 || inside.length === 0
          ? undefined
          : (levels.at(-1) ?? NaN) / first - 1,
        `return ${what}`,
      )
      // Days without a gap, as the simulated ones are: a volatility of so many days.
      if (inside.length > 2 && levels.length > inside.length) {
        const upTo = new Map([...closes].filter(([day]) => day <= to))
        near(row?.["volatility"], volatilityOver(upTo, inside.length), `volatility ${what}`)
      }
      const fall = deepestFall(ratioLevels(points))
      near(
        row?.["drawdown"],
        points.length === 0 ? undefined : (fall?.depth ?? 0),
        `drawdown ${what}`,
      )
      expect(row?.["drawdown_trough_at"], what).toBe(fall?.troughAt ?? null)
      expect(row?.["hours_below_par"], what).toBe(
        points.length === 0 ? null : belowPar(points).below,
      )
      near(row?.["apy_smoothed"], mean(within(smoothed)), `smoothed ${what}`)
      near(row?.["apy_unsmoothed"], mean(within(raw)), `raw ${what}`)
      near(row?.["apy_unsmoothed_last"], within(raw).at(-1), `raw, last, ${what}`)
      near(
        row?.["apy_return"],
        within(raw).length === 0
          ? undefined
          : within(raw).reduce((index, apy) => index * (1 + apy) ** (1 / 365), 1) - 1,
        `yield ${what}`,
      )
      const usd = [...dailyBars(pnl, (snapshot) => snapshot.unrealizedPnl)]
      const [end] = usd.filter(([day]) => isWithin(day)).slice(-1)
      const start =
        usd.findLast(([day]) => day < from) ??
        usd.find(([day]) => isWithin(day) && day !== end?.[0])
      near(
        row?.["pnl_usd_change"],
        end === undefined || start === undefined ? undefined : end[1].close - start[1].close,
        `pnl ${what}`,
      )
      const spread = [...Map.groupBy(allocations, ({ date }) => date)].filter(([day]) =>
        isWithin(day),
      )
      near(
        row?.["concentration_hhi"],
        mean(spread.map(([, parts]) => concentration(parts.map((each) => each.value_usd)).hhi)),
        `concentration ${what}`,
      )
      const known = new Set([
        ...closes.keys(),
        ...raw.keys(),
        ...smoothed.keys(),
        ...usd.map(([day]) => day),
      ])
      const count = [...known].filter(isWithin).length
      expect(row, what).toMatchObject({
        days: count,
        is_partial: count < (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1,
      })
    }
  })
})

describe("comments", () => {
  const entries = dictionary().filter(isRelation)

  it.each(["the warehouse", "the published copy"])(
    "every table and column has one in %s",
    async (which) => {
      const file =
        which === "the warehouse" ? join(dataDir, "vaulthouse.duckdb") : publishedFile(dataDir)
      const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" })
      try {
        const connection = await instance.connect()
        const rows = async (sql: string) =>
          (await connection.runAndReadAll(sql)).getRowObjectsJson()
        const columns = await rows(
          `select schema_name || '.' || table_name as name, column_name, comment from duckdb_columns()
         where schema_name in ('core', 'mart', 'meta', 'ops', 'raw')`,
        )
        const relations = await rows(
          `select schema_name || '.' || table_name as name, comment from duckdb_tables()
         where schema_name <> 'mart_tables'
         union all select schema_name || '.' || view_name, comment from duckdb_views() where not internal`,
        )
        for (const entry of entries) {
          const comment = relations.find(({ name }) => name === entry.name)?.["comment"]
          expect(comment, entry.name).toContain(entry.comment.replace(/\.$/, ""))
          for (const column of entry.columns) {
            const found = columns.find(
              (each) => each["name"] === entry.name && each["column_name"] === column.name,
            )
            const what = `${entry.name}.${column.name}`
            expect(found?.["comment"], what).toContain(column.comment.replace(/\.$/, ""))
            if (column.unit !== undefined) expect(found?.["comment"], what).toContain(column.unit)
          }
        }
        expect(relations.map(({ name }) => String(name)).toSorted()).toEqual(
          entries.map(({ name }) => name).toSorted(),
        )
        expect(columns).toHaveLength(entries.reduce((sum, entry) => sum + entry.columns.length, 0))
      } finally {
        instance.closeSync()
      }
    },
  )

  it("every Parquet file has its table's and its columns', with their units", async () => {
    const files = (await readManifest(dataDir))?.files ?? []
    expect(files.length).toBeGreaterThan(10)
    for (const { path, schema, table } of files) {
      const buffer = await asyncBufferFromFile(join(dataDir, "parquet", path))
      const { key_value_metadata, schema: parquetSchema } = await parquetMetadataAsync(buffer)
      const pairs = new Map(key_value_metadata?.map(({ key, value }) => [key, value ?? ""]))
      const entry = entries.find(({ name }) => name === `${schema}.${table}`)
      expect(pairs.get("comment"), path).toContain(entry?.comment.replace(/\.$/, ""))
      const comments = JSON.parse(pairs.get("columns") ?? "{}") as Record<string, string>
      const stored = parquetSchema.slice(1).map(({ name }) => name)
      expect(Object.keys(comments), path).toEqual(stored)
      expect(stored, path).toEqual(entry?.columns.map(({ name }) => name))
      for (const { name, comment, unit } of entry?.columns ?? []) {
        expect(comments[name], `${path} ${name}`).toContain(comment.replace(/\.$/, ""))
        if (unit !== undefined) expect(comments[name], `${path} ${name}`).toContain(unit)
      }
    }
  })
})

/** The rows of every mart in a copy of what is published, with its clock stopped at an instant. */
const rowsOfMarts = async (instant: string): Promise<ReadonlyMap<string, ReadonlyArray<Row>>> => {
  const file = join(dataDir, "stopped.duckdb")
  copyFileSync(realpathSync(publishedFile(dataDir)), file)
  chmodSync(file, 0o600)
  const instance = await DuckDBInstance.create(file)
  try {
    const connection = await instance.connect()
    await stopClock(connection, "mart", instant)
    const found = new Map<string, ReadonlyArray<Row>>()
    for (const { name } of marts) {
      const reader = await connection.runAndReadAll(
        `select t::varchar as row from mart.${name} t order by row`,
      )
      found.set(name, reader.getRowObjectsJson())
    }
    return found
  } finally {
    instance.closeSync()
  }
}

describe("as of", () => {
  const everything = (table: string, from: string) =>
    rowsOf(`select t::varchar as row from ${from} t order by row`).then((rows) => {
      expect(rows.length, table).toBeGreaterThan(0)
      return rows
    })

  // After the others, since it brings revisions.
  it("an instant between two runs gives what the first one left, row for row", async () => {
    const tables = [...histories, "vaults"]
    const before = new Map<string, ReadonlyArray<Row>>()
    for (const table of tables) before.set(table, await everything(table, `core.${table}`))
    const between = new Date().toISOString().replace("T", " ").slice(0, 23)
    const martsBefore = await rowsOfMarts(between)
    simulator.patch({ revision: 1 })
    simulator.patch({ now: "2026-06-03T12:00:00Z" })
    const { summary } = await sync()
    expect(summary.rowsRevised).toBeGreaterThan(0)
    for (const table of tables) {
      const then = await everything(table, `mart.${table}_as_of(timestamp '${between}')`)
      expect(then, table).toEqual(before.get(table))
    }
    for (const table of histories) {
      const current = await everything(table, `core.${table}`)
      expect(current, table).not.toEqual(before.get(table))
      const latest = `mart.${table}_as_of(timestamp '2100-01-01')`
      expect(await everything(table, latest), table).toEqual(current)
    }
    const [versions] = await rowsOf(
      "select count(*)::integer as n from core.ratio_history_versions",
    )
    expect(versions?.["n"]).toBeGreaterThan(0)

    const revised = new Set(["vault_performance", "vault_daily"])
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const copy = yield* openPublishedCopy(dataDir)
          const past = yield* readPast(copy)
          const { rewritten } = yield* past.at(Date.parse(`${between}Z`) * 1000)
          for (const { name } of marts) {
            const sql = `select t::varchar as row from mart.${name} t order by row`
            const then = yield* copy.rows(yield* rewritten(copy, sql))
            expect(then, name).toEqual(martsBefore.get(name))
            if (!revised.has(name)) continue
            expect(yield* copy.rows(sql), name).not.toEqual(then)
          }
        }),
      ),
    )
  })
})
