// Transactions of a service that sends each of them twice: one row each, none left out, and a replay makes the same. And how
// many requests a short history costs.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { transactionsPipeline } from "../../../src/pipelines/areas/subaccounts/transactions.ts"
import { parseDay } from "../../../src/domain/values/time.ts"
import { defaultRunSettings, type RunSettings } from "../../../src/pipelines/model/runSettings.ts"
import { ahead, fixedDay } from "../../support/movableClock.ts"
import { expectReplays } from "../../support/replays.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { asAdmin } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, queries, query, runOnce } from "../../support/warehouseRun.ts"

const { now, live } = fixedDay("2026-06-01T12:00:00Z")

const address = `0x${"1".repeat(40)}`
const HOUR = 3_600_000

/** The newest first, an hour apart; the oldest transaction has two records. */
const history = Array.from({ length: 70 }, (_, place) => {
  const age = Math.min(place, 68)
  return {
    block_timestamp: new Date(now - age * HOUR).toISOString(),
    transaction_hash: `0x${String(age).padStart(64, "0")}`,
    chain_id: 1,
    log: place > age ? "other" : "one",
  }
})

live("a transaction that a response repeats is one row, and fills the response", () =>
  Effect.gen(function* () {
    const most = 46
    let requests = 0
    let [known, times] = [history.slice(20), 1]
    const server = yield* scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service")
      if (pathname === "/subaccounts") return json(response, [{ address }])
      if (pathname !== "/transactions/v2") return json(response, [])
      requests += 1
      const at = (name: string, open: number) =>
        searchParams.has(name) ? Date.parse(searchParams.get(name) ?? "") : open
      const [from, to] = [at("startTime", -Infinity), at("endTime", Infinity)]
      const inside = known.filter(({ block_timestamp: time }) => {
        const instant = Date.parse(time)
        return instant >= from && instant <= to
      })
      const sent = inside.flatMap((record) => Array.from({ length: times }, () => record))
      json(response, sent.slice(0, most))
    })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(server.url, dataDir, {
      pipelines: ["my_subaccounts", "transactions"],
      api: asAdmin,
    })
    const stored = query(
      dataDir,
      `select count(*)::int as rows, count(distinct transaction_hash)::int as hashes,
         count(*) filter (transaction_id like '%#2')::int as others from core.transactions`,
    )
    yield* sync
    expect(yield* stored).toEqual([{ rows: 50, hashes: 49, others: 1 }])
    // A response with fewer rows than one before, which is nevertheless full, so that there are older ones to request.
    ;[known, times, requests] = [history, 3, 0]
    const { summary } = yield* sync
    expect(summary.outcome).toBe("complete")
    expect(requests).toBeGreaterThan(2)
    expect(yield* stored).toEqual([{ rows: 70, hashes: 69, others: 1 }])
    yield* expectReplays(dataDir)
  }).pipe(Effect.scoped),
)

// §4.3 names no default of `startTime`.
live("a service that reads an absent start as 30 days ago is read to its beginning", () =>
  Effect.gen(function* () {
    const [active, dormant] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`)
    const server = yield* scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service")
      if (pathname === "/subaccounts") {
        return json(response, [{ address: active }, { address: dormant }])
      }
      if (pathname !== "/transactions/v2") return json(response, [])
      const timeAt = (age: number) => new Date(now - age * 24 * HOUR).toISOString()
      const from = searchParams.get("startTime") ?? timeAt(30)
      const to = searchParams.get("endTime") ?? "9"
      const newest = searchParams.get("subaccountAddress") === dormant ? 40 : 0
      const sent = Array.from({ length: 400 - newest }, (_, place) => newest + place)
        .map((age) => ({
          ...history[0],
          transaction_hash: `0x${age}`,
          block_timestamp: timeAt(age),
        }))
        .filter(({ block_timestamp: time }) => time >= from && time <= to)
      json(response, sent.slice(0, 100))
    })
    const dataDir = yield* temporaryFolder
    const { summary } = yield* runOnce(server.url, dataDir, {
      pipelines: ["my_subaccounts", "transactions"],
      api: asAdmin,
    })
    expect(summary.outcome).toBe("complete")
    const stored = yield* query(
      dataDir,
      `select count(*)::int as n from core.transactions
       group by subaccount_address order by subaccount_address`,
    )
    expect(stored).toEqual([{ n: 400 }, { n: 360 }])
  }).pipe(Effect.scoped),
)

live("a transaction stays one row when its id occurs again at a later time", () =>
  Effect.gen(function* () {
    const [of1, of10] = [1, 10].map((chain, age) => ({
      block_timestamp: new Date(now - (2 - age) * 60_000).toISOString(),
      id: 7,
      chain_id: chain,
    }))
    let known = [of1]
    const server = yield* scriptedServer(({ url }, response) => {
      const { pathname } = new URL(url, "http://service")
      if (pathname === "/subaccounts") return json(response, [{ address }])
      json(response, pathname === "/transactions/v2" ? known : [])
    })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(server.url, dataDir, {
      pipelines: ["my_subaccounts", "transactions"],
      api: asAdmin,
    })
    yield* sync
    known = [of10, of1]
    yield* sync
    expect(
      yield* query(
        dataDir,
        "select chain_id::int as chain, transaction_id from core.transactions order by chain_id",
      ),
    ).toEqual([
      { chain: 1, transaction_id: "7" },
      { chain: 10, transaction_id: "7" },
    ])
    yield* expectReplays(dataDir)
  }).pipe(Effect.scoped),
)

live("what --full could not read is read by the next run, which then closes its entry", () =>
  Effect.gen(function* () {
    let known = history
    let broken: object | undefined
    let requests = 0
    const starts: Array<string> = []
    const server = yield* scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service")
      if (pathname === "/subaccounts") return json(response, [{ address }])
      if (pathname !== "/transactions/v2") return json(response, [])
      requests += 1
      const from = searchParams.get("startTime") ?? ""
      starts.push(from)
      const to = searchParams.get("endTime") ?? "9"
      const inside = known.filter(({ block_timestamp: at }) => at >= from && at <= to)
      json(response, broken ?? inside.slice(0, 30))
    })
    const dataDir = yield* temporaryFolder
    const run = (full = false, since?: number) =>
      runOnce(server.url, dataDir, {
        pipelines: ["my_subaccounts", "transactions"],
        api: asAdmin,
        settings: { full, since },
      })
    const found = [
      `select count(*)::int as n from core.transactions where extra ->> 'log' = 'decoded'`,
      "select 1 from ops.quarantine where closed_at is null",
    ]
    yield* run()
    for (const [body, entries] of [
      [{ items: "none" }, 1],
      [[], 0],
    ] as const) {
      // Older than what the next run reads anyway.
      known = history.map((record, place) =>
        place > 66 - entries ? { ...record, log: "decoded" } : record,
      )
      broken = body
      yield* run(true)
      expect((yield* queries(dataDir, found))[1]).toHaveLength(entries)
      broken = undefined
      expect((yield* run()).summary.outcome).toBe("complete")
      expect(yield* queries(dataDir, found)).toEqual([[{ n: 2 + entries }], []])
    }
    requests = 0
    yield* run()
    expect(requests).toBeLessThan(4)
    // As far back as the next run reads.
    const today = Math.floor(now / 86_400_000)
    broken = { items: "none" }
    yield* run(true, today)
    broken = undefined
    starts.length = 0
    yield* run(false, today)
    expect(starts.length).toBeGreaterThan(0)
    expect(starts.filter((start) => start < new Date(today * 86_400_000).toISOString())).toEqual([])
  }).pipe(Effect.scoped),
)

live("--full --since without a newer transaction leaves nothing out, and nothing suspicious", () =>
  Effect.gen(function* () {
    const known = history.slice(30)
    let isBroken = true
    const server = yield* scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service")
      if (pathname === "/subaccounts") return json(response, [{ address }])
      if (pathname !== "/transactions/v2") return json(response, [])
      const from = searchParams.get("startTime") ?? ""
      const to = searchParams.get("endTime") ?? "9"
      const inside = known.filter(({ block_timestamp: at }) => at >= from && at <= to)
      // The second page of the first reading.
      if (isBroken && to < "9") return json(response, { detail: "broken" }, 418)
      json(response, inside.slice(0, 30))
    })
    const dataDir = yield* temporaryFolder
    const run = (settings: Partial<RunSettings> = {}) =>
      Effect.map(
        runOnce(server.url, dataDir, {
          pipelines: ["my_subaccounts", "transactions"],
          api: asAdmin,
          settings,
        }),
        ({ summary }) => summary.outcome,
      )
    const found = [
      "select count(*)::int as n from core.transactions",
      "select 1 from ops.tasks where outcome = 'suspicious_empty'",
    ]
    const full = run({ full: true, since: Math.floor(now / 86_400_000) })
    expect(yield* run()).toBe("partial")
    expect(yield* queries(dataDir, found)).toEqual([[{ n: 30 }], []])
    yield* full
    isBroken = false
    expect([yield* run(), yield* run()]).toEqual(["complete", "complete"])
    expect(yield* queries(dataDir, found)).toEqual([[{ n: 40 }], []])
    // After a whole reading.
    expect([yield* full, yield* run(), yield* run()]).toEqual(["complete", "complete", "complete"])
    expect(yield* queries(dataDir, found)).toEqual([[{ n: 40 }], []])
  }).pipe(Effect.scoped),
)

live("transactions of two chains have the time of their own name, and a pending one none", () =>
  Effect.gen(function* () {
    const at = (age: number) => new Date(now - age * HOUR).toISOString()
    const final = [
      { hash: "0xaa", block_timestamp: at(1) },
      { hash: "0xbb", block_timestamp: at(2) },
      { signature: "CC", block_time: at(3) },
    ]
    // When the service recorded it says nothing of when it was executed.
    const pending = { hash: "0xdd", block_timestamp: null as string | null, created_at: at(0) }
    let known: ReadonlyArray<object> = [pending, ...final]
    const server = yield* scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service")
      if (pathname === "/subaccounts") return json(response, [{ address }])
      const hasMore = pathname === "/transactions/v2" && !searchParams.has("endTime")
      json(response, hasMore ? known : [])
    })
    const dataDir = yield* temporaryFolder
    const syncAndRead = Effect.gen(function* () {
      const options = { pipelines: ["my_subaccounts", "transactions"], api: asAdmin }
      const { summary } = yield* runOnce(server.url, dataDir, options)
      const rows = yield* query(
        dataDir,
        "select transaction_hash || ' ' || date_diff('hour', executed_at, timestamp '2026-06-01 12:00') as row from core.transactions order by executed_at desc",
      )
      return { outcome: summary.outcome, rows: rows.map(({ row }) => row) }
    })
    expect(yield* syncAndRead).toEqual({ outcome: "partial", rows: ["0xaa 1", "0xbb 2", "CC 3"] })
    known = [pending, final[2] ?? {}]
    expect((yield* syncAndRead).rows).toHaveLength(3)
    known = [{ ...pending, block_timestamp: at(0) }, ...final]
    expect(yield* syncAndRead).toEqual({
      outcome: "complete",
      rows: ["0xdd 0", "0xaa 1", "0xbb 2", "CC 3"],
    })
    yield* expectReplays(dataDir)
  }).pipe(Effect.scoped),
)

live("a history of one transaction costs one request once its end was seen", () =>
  Effect.gen(function* () {
    const old = { ...history[0], block_timestamp: new Date(now - 100 * 24 * HOUR).toISOString() }
    let requests = 0
    const server = yield* scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service")
      if (pathname === "/subaccounts") return json(response, [{ address }])
      if (pathname !== "/transactions/v2") return json(response, [])
      requests += 1
      const [from = "", to = "9"] = ["startTime", "endTime"].map(
        (name) => searchParams.get(name) ?? undefined,
      )
      const isInside = old.block_timestamp >= from && old.block_timestamp <= to
      json(response, isInside ? [old] : [])
    })
    const dataDir = yield* temporaryFolder
    const sent = Effect.fnUntraced(function* (settings: { until?: number } = {}) {
      requests = 0
      const options = { pipelines: ["my_subaccounts", "transactions"], api: asAdmin, settings }
      expect((yield* runOnce(server.url, dataDir, options)).summary.outcome).toBe("complete")
      return requests
    })
    expect([yield* sent(), yield* sent()]).toEqual([2, 1])
    // No instant of that day is one that can be sent.
    expect(yield* sent({ until: parseDay("9999-12-31") ?? 0 })).toBe(1)
    // A cursor of an earlier version.
    yield* change(
      dataDir,
      `update ops.cursors set cursor = json_merge_patch(cursor, '{"whole": null}')
       where pipeline = 'transactions'`,
      "checkpoint",
    )
    expect([yield* sent(), yield* sent()]).toEqual([2, 1])
  }).pipe(Effect.scoped),
)

it("a first reading is expected to cost two requests, and a later one one, unless all is read again", () => {
  const expected = (cursor: unknown, full: boolean) =>
    transactionsPipeline.expectedRequests(
      { entity: address, subject: { address, wireAddress: address } },
      { cursor: () => cursor, openGaps: [], isSkipped: () => false },
      { ...defaultRunSettings, now: now * 1000, today: 0, full },
    )
  expect(expected(undefined, false)).toBe(2)
  const cursor = { through: "2026-06-01T12:00:00.000000Z", largest: 1, leftInQuarantine: null }
  expect(expected(cursor, false)).toBe(1)
  expect(expected(cursor, true)).toBe(2)
})

live(
  "a service that ignores the end of a window is named, since older transactions are out of reach",
  () =>
    Effect.gen(function* () {
      let known = history.slice(0, 3)
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname } = new URL(url, "http://service")
        if (pathname === "/subaccounts") return json(response, [{ address }])
        json(response, pathname === "/transactions/v2" ? known : [])
      })
      const dataDir = yield* temporaryFolder
      const warnings = Effect.gen(function* () {
        const options = { pipelines: ["my_subaccounts", "transactions"], api: asAdmin }
        const { summary } = yield* runOnce(server.url, dataDir, options)
        return (yield* query(
          dataDir,
          `select distinct error_text as text from ops.tasks
         where pipeline = 'transactions' and run_id = '${summary.runId}' and error_text is not null`,
        )).map(({ text }) => text)
      })
      expect(yield* warnings).toEqual([
        expect.stringMatching(/^the service ignores endTime, .*wire\.names$/),
      ])
      known = known.slice(0, 1)
      expect(yield* warnings).toEqual([])
    }).pipe(Effect.scoped),
)

live("before the transactions of a late run, a month without any is a gap", () =>
  Effect.gen(function* () {
    const after = (days: number) => new Date(now + days * 24 * HOUR).toISOString()
    const known = [70, 60, 9, 0].map((days) => ({ ...history[days], block_timestamp: after(days) }))
    let today = after(0)
    const server = yield* scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://service")
      response.sendDate = false
      if (pathname === "/subaccounts") return json(response, [{ address }])
      if (pathname !== "/transactions/v2") return json(response, [])
      const from = searchParams.get("startTime") ?? ""
      const to = searchParams.get("endTime") ?? today
      const month = new Date(Date.parse(to) - 30 * 24 * HOUR).toISOString()
      const isSent = (time: string) => time >= from && time > month && time <= to
      json(
        response,
        known.filter(({ block_timestamp: time }) => isSent(time)),
      )
    })
    const dataDir = yield* temporaryFolder
    const options = { pipelines: ["my_subaccounts", "transactions"], api: asAdmin }
    const sync = (settings: Partial<RunSettings> = {}) =>
      runOnce(server.url, dataDir, { ...options, settings })
    const late = (settings?: Partial<RunSettings>) =>
      ahead(now - Date.now() + 75 * 24 * HOUR, sync(settings))
    const stored = query(dataDir, "select count(*)::int as n from core.transactions")
    yield* sync()
    today = after(75)
    yield* late()
    expect(yield* stored).toEqual([{ n: 3 }])
    const told = yield* queries(dataDir, [
      `select reason, state, epoch_ms(from_at)::double as first, epoch_ms(to_at)::double as last
       from ops.gaps`,
      `select error_text as text from ops.tasks where error_text is not null`,
    ])
    expect(told).toEqual([
      [
        {
          reason: "unreachable",
          state: "permanent",
          first: Date.parse(after(0)),
          last: Date.parse(after(60)),
        },
      ],
      [{ text: expect.stringMatching(/^the service returned no transactions between 2026-06-01/) }],
    ])
    // As the documentation advises.
    yield* late({ full: true, until: parseDay("2026-06-20") ?? 0 })
    expect(yield* stored).toEqual([{ n: 4 }])
  }).pipe(Effect.scoped),
)
