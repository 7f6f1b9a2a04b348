// Transactions, loans, risk and OTC with each kind of key, through every stage.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { OptionsPatch, Simulator } from "../../../simulator/index.ts"
import { defaultWire } from "../../../src/extract/request.ts"
import type { Scenario } from "../../../src/pipelines/model/runSettings.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

const now = "2026-06-01T12:00:00Z"
const small: OptionsPatch = { now, days: 60, vaults: 2, subaccounts: 8 }

const pipelines = [
  "transactions",
  "loans",
  "loan_details",
  "subaccount_loans",
  "discount_factors",
  "collateral_excess",
  "collateral_simulations",
  "otc_positions",
  "otc_margin_requirements",
]

type Key = "demo-admin-key" | "demo-user-key"

interface Options {
  readonly only?: ReadonlyArray<string>
  readonly scenarios?: ReadonlyArray<Scenario>
}

const syncAs = (
  key: Key | undefined,
  { url }: { readonly url: string },
  dataDir: string,
  { only = pipelines, scenarios = [] }: Options = {},
) =>
  Effect.map(
    runOnce(url, dataDir, {
      pipelines: only,
      settings: { scenarios },
      api: {
        apiKey: key === undefined ? undefined : Redacted.make(key),
        wire: { ...defaultWire, paths: { subaccountLoans: "/subaccount/{address}/loans" } },
      },
    }),
    ({ summary }) => ({
      summary,
      outcomes: Object.fromEntries(
        summary.pipelines
          .filter(({ name }) => only.includes(name))
          .map(({ name, outcomes }) => [name, outcomes]),
      ),
    }),
  )

/** Requests the simulator has answered below these paths. */
const requestsTo = (simulator: Simulator, ...paths: ReadonlyArray<string>): number =>
  Object.entries(simulator.requests().counts)
    .filter(([name]) => paths.some((path) => name.includes(` ${path}`)))
    .reduce((sum, [, count]) => sum + count, 0)

const get = <A>({ url }: Simulator, path: string): Effect.Effect<A> =>
  Effect.promise(async () => {
    const response = await fetch(url + path, { headers: { "x-api-key": "demo-admin-key" } })
    return (await response.json()) as A
  })

interface Received {
  readonly address: string
  readonly chain: number
  readonly loanAddress: string
  readonly chainId: number
  readonly state: string
  readonly rungs: ReadonlyArray<{ readonly discount_factor: number }>
}

const count = (dataDir: string, from: string): Effect.Effect<number> =>
  Effect.map(query(dataDir, `select count(*)::integer as n from ${from}`), ([row]) =>
    Number(row?.["n"]),
  )

/** The rows of each table, by subaccount. */
const countsBySubaccount = (dataDir: string, ...tables: ReadonlyArray<string>) =>
  Effect.map(
    query(
      dataDir,
      tables
        .map(
          (table) =>
            `select subaccount_address, '${table}' as name, count(*)::integer as n
             from core.${table} group by all`,
        )
        .join(" union all "),
    ),
    (rows) => {
      const bySubaccount = Map.groupBy(rows, (row) => row["subaccount_address"])
      return (address: string): Readonly<Record<string, unknown>> =>
        Object.fromEntries((bySubaccount.get(address) ?? []).map(({ name, n }) => [name, n]))
    },
  )

const scenarioFor = (token: Received): Scenario => ({
  name: "one million",
  inputs: {
    loan_token_chain: token.chain,
    loan_token_address: token.address,
    loan_amount: 1_000_000,
    collateral_tokens: [[token.chain, token.address]],
    collateral_token_allocation: [1],
    on_platform: false,
  },
})

const cached = ["/dashboard/loans", "/risk/", "/subaccount/loans/"] as const

describe("with an admin key", () => {
  it.live(
    "everything the service returns is there, and is not requested again within its cache time",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated(small)
        const dataDir = yield* temporaryFolder
        const ladders = yield* get<ReadonlyArray<Received>>(simulator, "/risk/discount_factors")
        const [token] = ladders
        if (token === undefined) throw new Error("no ladder")
        const scenarios = [scenarioFor(token)]
        const { summary } = yield* syncAs("demo-admin-key", simulator, dataDir, { scenarios })
        expect(summary.outcome).toBe("complete")

        const loans = yield* get<ReadonlyArray<Received>>(simulator, "/dashboard/loans")
        const distinct = new Set(
          loans.map(({ chainId, loanAddress }) => `${chainId}:${loanAddress}`),
        )
        expect(distinct.size).toBeGreaterThan(3)
        const held = yield* query(dataDir, "select loan_id from core.loans where is_current")
        expect(new Set(held.map((row) => row["loan_id"]))).toEqual(distinct)
        expect(yield* count(dataDir, "core.loan_details where is_current")).toBe(distinct.size)
        expect(
          yield* count(dataDir, "core.loan_details join core.loans using (loan_id, state)"),
        ).toBe(distinct.size)

        const subaccounts = yield* get<ReadonlyArray<Received>>(simulator, "/subaccount")
        let closed = 0
        const stored = yield* countsBySubaccount(dataDir, "transactions", "subaccount_loans")
        for (const { address } of subaccounts) {
          const transactions = yield* get<ReadonlyArray<unknown>>(
            simulator,
            `/transactions/v2?subaccountAddress=${address}`,
          )
          expect(transactions.length).toBeGreaterThan(50)
          const own = stored(address.toLowerCase())
          expect(own["transactions"]).toBe(transactions.length)
          const all = yield* get<ReadonlyArray<Received>>(
            simulator,
            `/subaccount/${address}/loans?side=BOTH&active=false`,
          )
          closed += all.filter(({ state }) => state !== "ACTIVE").length
          expect(own["subaccount_loans"] ?? 0).toBe(all.length)
        }
        expect(closed).toBeGreaterThan(0)
        const [failed] = yield* query(
          dataDir,
          "select count(*) filter (is_failed)::integer as failed, count(is_failed)::integer as known, count(*)::integer as n from core.transactions",
        )
        expect(Number(failed?.["failed"])).toBeGreaterThan(0)
        expect(failed?.["known"]).toBe(failed?.["n"])

        expect(yield* count(dataDir, "core.discount_factors where is_current")).toBe(
          ladders.reduce((sum, { rungs }) => sum + rungs.length, 0),
        )
        const inDebt = yield* query(
          dataDir,
          "select distinct subaccount_address from core.subaccount_summaries where total_debt > 0",
        )
        expect(inDebt.length).toBeGreaterThan(0)
        expect(inDebt.length).toBeLessThan(subaccounts.length)
        expect(yield* count(dataDir, "core.collateral_excess")).toBe(inDebt.length * ladders.length)
        expect(yield* count(dataDir, "core.collateral_excess where amount_usd = 0")).toBe(0)

        const simulations = yield* query(
          dataDir,
          "select s.scenario, s.total_debt, s.resulting_health_factor, t.token_address, t.effective_discount_factor, s.extra from core.collateral_simulations s join core.collateral_simulation_tokens t using (scenario, valid_from)",
        )
        expect(simulations).toMatchObject([
          {
            scenario: "one million",
            total_debt: 1_000_000,
            resulting_health_factor: 1.2,
            token_address: token.address.toLowerCase(),
            effective_discount_factor: token.rungs[0]?.discount_factor,
          },
        ])

        const positions = yield* get<ReadonlyArray<unknown>>(simulator, "/otc/position")
        expect(yield* count(dataDir, "core.otc_positions where is_current")).toBe(positions.length)
        const margins = yield* get<ReadonlyArray<unknown>>(simulator, "/otc/margin_requirement")
        expect(yield* count(dataDir, "core.otc_margin_requirements where is_current")).toBe(
          margins.length,
        )

        // As if no time had passed since; the caches of the service last a minute.
        yield* change(
          dataDir,
          "update ops.tasks set finished_at = make_timestamp(epoch_us(now()))",
          "checkpoint",
        )
        const before = requestsTo(simulator, ...cached)
        const paged = requestsTo(simulator, "/transactions/v2")
        const again = yield* syncAs("demo-admin-key", simulator, dataDir, { scenarios })
        expect(requestsTo(simulator, ...cached)).toBe(before)
        // Of what has no cache only the overlap is requested, once each.
        expect(requestsTo(simulator, "/transactions/v2") - paged).toBe(subaccounts.length)
        expect(again.outcomes["transactions"]).toEqual({ unchanged: subaccounts.length })
        expect(again.outcomes["collateral_excess"]).toEqual({})
        // Another scenario under the same name is requested at once.
        const changed = scenarios.map(({ name, inputs }) => ({
          name,
          inputs: { ...inputs, loan_amount: 5 },
        }))
        const only = ["collateral_simulations"]
        yield* syncAs("demo-admin-key", simulator, dataDir, { only, scenarios: changed })
        expect(requestsTo(simulator, ...cached)).toBe(before + 1)
        expect(yield* count(dataDir, "core.collateral_simulations")).toBe(2)
      }),
  )

  it.live(
    "a scenario the service refuses and one that is no question leave the others standing",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated(small)
        const dataDir = yield* temporaryFolder
        const [token] = yield* get<ReadonlyArray<Received>>(simulator, "/risk/discount_factors")
        if (token === undefined) throw new Error("no ladder")
        const good = scenarioFor(token)
        const stranger = "0x00000000000000000000000000000000000000aa"
        const scenarios = [
          { name: "no ladder", inputs: { ...good.inputs, collateral_tokens: [[1, stranger]] } },
          { name: "uneven", inputs: { ...good.inputs, collateral_token_allocation: [1, 2] } },
          { name: "redeployed", inputs: { ...good.inputs, on_platform: true } },
          good,
        ]
        const only = ["collateral_simulations"]
        const { outcomes } = yield* syncAs("demo-admin-key", simulator, dataDir, {
          only,
          scenarios,
        })
        expect(outcomes["collateral_simulations"]).toEqual({ unsupported: 1, failed: 2, loaded: 1 })
        expect(requestsTo(simulator, "/risk/collateral_simulation")).toBe(2)
        const errors = yield* query(
          dataDir,
          "select error_text from ops.tasks where outcome = 'failed' order by entity",
        )
        expect(errors.map((row) => row["error_text"])).toEqual([
          expect.stringContaining("loan_redeployed_token_chain is missing"),
          expect.stringContaining("has 2 entries for 1 collateral_tokens"),
        ])
      }),
  )
})

describe("a simulation whose breakdown is absent or unreadable", () => {
  it.live("ends no token, and an empty breakdown, or null, ends them all", () =>
    Effect.gen(function* () {
      const [a, b] = ["aa", "bb"].map((end) => `0x${end.padStart(40, "0")}`)
      const whole = [a, b].map((address) => ({ address, chain: 1, required_usd: 1 }))
      const state: { tokens: unknown } = { tokens: whole }
      const server = yield* scriptedServer((_, response) =>
        json(response, { total_required_collateral_usd: 10, tokens: state.tokens }),
      )
      const dataDir = yield* temporaryFolder
      const scenario = {
        name: "one",
        inputs: {
          loan_token_chain: 1,
          loan_token_address: a,
          loan_amount: 1,
          collateral_tokens: [[1, b]],
          collateral_token_allocation: [1],
          on_platform: false,
        },
      }
      const currentAfter = Effect.fnUntraced(function* (tokens: unknown) {
        state.tokens = tokens
        yield* syncAs("demo-admin-key", server, dataDir, {
          only: ["collateral_simulations"],
          scenarios: [scenario],
        })
        yield* letPass(dataDir, 60)
        return yield* count(dataDir, "core.collateral_simulation_tokens where is_current")
      })
      expect(yield* currentAfter(whole)).toBe(2)
      for (const tokens of [undefined, "later", [{ note: "?" }]]) {
        expect(yield* currentAfter(tokens), JSON.stringify(tokens)).toBe(2)
      }
      expect(yield* currentAfter(whole.slice(1))).toBe(1)
      for (const tokens of [[], null]) {
        expect(yield* currentAfter(tokens), JSON.stringify(tokens)).toBe(0)
        expect(yield* currentAfter(whole)).toBe(2)
      }
    }),
  )
})

describe("with less", () => {
  it.live("a user key reads ladders and its own subaccounts; the rest is skipped, not failed", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const { summary, outcomes } = yield* syncAs("demo-user-key", simulator, dataDir)
      expect(summary.outcome).toBe("complete")
      expect(outcomes["loans"]).toEqual({ skipped: 1 })
      expect(outcomes["otc_positions"]).toEqual({ skipped: 1 })
      expect(outcomes["otc_margin_requirements"]).toEqual({ skipped: 1 })
      expect(outcomes["discount_factors"]).toEqual({ loaded: 1 })
      // Two of the eight are the user's.
      const own = yield* query(dataDir, "select distinct subaccount_address from core.transactions")
      expect(own).toHaveLength(2)
      // One response shows that the key does not open it.
      expect(requestsTo(simulator, "/risk/collateral_excess")).toBeLessThanOrEqual(1)
    }),
  )

  it.live("without a key nothing is requested, and every pipeline says what it needs", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const { outcomes } = yield* syncAs(undefined, simulator, dataDir)
      for (const name of pipelines) expect(outcomes[name], name).toEqual({ skipped: 1 })
      expect(requestsTo(simulator, ...cached, "/otc", "/transactions")).toBe(0)
    }),
  )
})

/** Makes everything stored so many minutes older, so that no answer is fresh any more. */
const letPass = (dataDir: string, minutes: number): Effect.Effect<void> => {
  const ago = `interval ${minutes} minutes`
  return change(
    dataDir,
    `update ops.tasks set finished_at = finished_at - ${ago}`,
    `update core.loans set valid_from = valid_from - ${ago}, valid_to = valid_to - ${ago}`,
    "checkpoint",
  )
}

describe("ladders in no declared shape", () => {
  it.live("are the recorded reason why nothing is requested for subaccounts with debt", () =>
    Effect.gen(function* () {
      const token = { address: `0x${"12".repeat(20)}`, chain: 1 }
      let ladder: object = { tiers: [{ up_to_usd: 1000, discount_factor: 0.9 }] }
      const answers: Record<string, () => unknown> = {
        "/subaccount": () => [{ address: `0x${"ab".repeat(20)}`, status: "active" }],
        "/dashboard/loans": () => [
          { id: "l", state: "ACTIVE", borrower_address: `0x${"ab".repeat(20)}` },
        ],
        "/risk/discount_factors": () => [{ ...token, ...ladder }],
        "/risk/collateral_excess_or_deficit": () => ({ amount_usd: 5 }),
      }
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname } = new URL(url, "http://service")
        json(response, answers[pathname]?.() ?? [], pathname.endsWith("/summary") ? 404 : 200)
      })
      const dataDir = yield* temporaryFolder
      const only = ["discount_factors", "collateral_excess"]
      const sync = () => syncAs("demo-admin-key", server, dataDir, { only })
      const { summary, outcomes } = yield* sync()
      expect(outcomes).toEqual({
        discount_factors: { quarantined: 1 },
        collateral_excess: { unsupported: 1 },
      })
      expect(summary.outcome).toBe("partial")
      const [task] = yield* query(
        dataDir,
        "select requests::integer as requests, error_text from ops.tasks where pipeline = 'collateral_excess'",
      )
      expect(task).toEqual({
        requests: 0,
        error_text: expect.stringContaining("core.discount_factors has no ladder"),
      })
      ladder = { rungs: [{ up_to_usd: 1000, discount_factor: 0.9 }] }
      yield* letPass(dataDir, 60)
      expect((yield* sync()).outcomes).toEqual({
        discount_factors: { loaded: 1 },
        collateral_excess: { loaded: 1 },
      })
    }),
  )
})

/** As if the details had been read within a second of the loan book, however slow the machine is. */
const readAtOnce = (dataDir: string): Effect.Effect<void> =>
  change(
    dataDir,
    `update ops.tasks set finished_at = least(finished_at,
       (select max(coalesce(valid_to, valid_from)) from core.loans) + interval 1 second)
     where pipeline = 'loan_details'`,
    "checkpoint",
  )

describe("loans that change", () => {
  it.live("and are listed under both of their parties are one row", () =>
    Effect.gen(function* () {
      const loan = { address: `0x${"1".repeat(40)}`, chain: 1, state: "ACTIVE" }
      const listed = (principal: number) =>
        ["a", "b"].map((digit) => ({
          ...loan,
          principal_amount: principal,
          subaccount: `0x${digit.repeat(40)}`,
        }))
      let book = listed(100)
      const server = yield* scriptedServer(({ url }, response) =>
        json(response, url === "/dashboard/loans" ? book : []),
      )
      const dataDir = yield* temporaryFolder
      const sync = syncAs("demo-admin-key", server, dataDir, { only: ["loans"] })
      expect((yield* sync).summary).toMatchObject({ outcome: "complete", rowsInserted: 1 })
      yield* letPass(dataDir, 2)
      expect((yield* sync).summary).toMatchObject({ outcome: "complete", nothingNew: true })
      yield* letPass(dataDir, 2)
      book = listed(90)
      expect((yield* sync).summary.outcome).toBe("complete")
      expect(
        yield* query(
          dataDir,
          "select loan_id, principal_amount, extra ->> 'subaccount' as party, is_current from core.loans order by valid_from",
        ),
      ).toEqual(
        [100, 90].map((principal_amount) => ({
          loan_id: `1:${loan.address}`,
          principal_amount,
          party: `0x${"a".repeat(40)}`,
          is_current: principal_amount === 90,
        })),
      )
    }),
  )

  it.live(
    "and whose details come from the cache right after have the new ones with the next run",
    () =>
      Effect.gen(function* () {
        const loan = (interest: number) => ({
          address: `0x${"aa".padStart(40, "0")}`,
          chain: 1,
          state: "ACTIVE",
          interest_amount: interest,
        })
        let [listed, detail] = [loan(1), loan(1)]
        const server = yield* scriptedServer(({ url }, response) => {
          if (url.startsWith("/subaccount/loans/")) json(response, detail)
          else json(response, url === "/dashboard/loans" ? [listed] : [])
        })
        const dataDir = yield* temporaryFolder
        const interestAfterSync = Effect.gen(function* () {
          yield* syncAs("demo-admin-key", server, dataDir, { only: ["loan_details"] })
          yield* letPass(dataDir, 2)
          const sql = "select interest_amount as interest from core.loan_details where is_current"
          return (yield* query(dataDir, sql))[0]?.["interest"]
        })
        expect(yield* interestAfterSync).toBe(1)
        listed = loan(2)
        // What another client was sent before the change.
        expect(yield* interestAfterSync).toBe(1)
        detail = loan(2)
        expect(yield* interestAfterSync).toBe(2)
      }),
  )

  it.live("are read again: those with news, those no longer listed, and no others", () =>
    Effect.gen(function* () {
      const book = new Map(
        ["aa", "bb", "cc"].map((end) => {
          const address = `0x${end.padStart(40, "0")}`
          return [address, { address, chain: 1, state: "ACTIVE", interest_amount: 1 }]
        }),
      )
      const details = new Map(book)
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname, searchParams } = new URL(url, "http://service")
        if (pathname === "/dashboard/loans") return json(response, [...book.values()])
        const found = details.get(pathname.split("/").at(-1) ?? "")
        if (!pathname.startsWith("/subaccount/loans/")) return json(response, [])
        return found === undefined || searchParams.get("chainId") !== "1"
          ? json(response, { detail: "no such loan" }, 404)
          : json(response, found)
      })
      const requestedLoans = (from: number) =>
        server.requests
          .slice(from)
          .map(({ url }) => url)
          .filter((url) => url.startsWith("/subaccount/loans/"))
          .map((url) => url.slice("/subaccount/loans/0x".length).replace(/^0+|\?.*$/g, ""))
          .toSorted()
      const dataDir = yield* temporaryFolder
      const sync = Effect.gen(function* () {
        const from = server.requests.length
        const { outcomes } = yield* syncAs("demo-admin-key", server, dataDir, {
          only: ["loan_details"],
        })
        return { about: requestedLoans(from), outcomes }
      })
      expect((yield* sync).about).toEqual(["aa", "bb", "cc"])
      yield* readAtOnce(dataDir)

      // Those read within a minute of the change may have been cached from before (§8), and are read once more.
      yield* letPass(dataDir, 2)
      expect((yield* sync).about).toEqual(["aa", "bb", "cc"])
      yield* letPass(dataDir, 2)
      expect((yield* sync).about).toEqual([])

      yield* letPass(dataDir, 2)
      const [aa = "", bb = ""] = book.keys()
      const changed = { address: aa, chain: 1, state: "ACTIVE", interest_amount: 2 }
      book.set(aa, changed)
      details.set(aa, changed)
      book.delete(bb)
      details.set(bb, { address: bb, chain: 1, state: "REPAID", interest_amount: 0 })
      expect((yield* sync).about).toEqual(["aa", "bb"])
      expect(
        yield* query(
          dataDir,
          "select l.is_current, d.state, d.interest_amount from core.loan_details d join (select loan_id, bool_or(is_current) as is_current from core.loans group by 1) l using (loan_id) where d.is_current order by loan_id",
        ),
      ).toEqual([
        { is_current: true, state: "ACTIVE", interest_amount: 2 },
        { is_current: false, state: "REPAID", interest_amount: 0 },
        { is_current: true, state: "ACTIVE", interest_amount: 1 },
      ])

      yield* readAtOnce(dataDir)
      yield* letPass(dataDir, 2)
      expect((yield* sync).about).toEqual(["aa", "bb"])
      yield* letPass(dataDir, 2)
      expect((yield* sync).about).toEqual([])

      // Not there: remembered as an absence, and requested again after `unsupportedRetryDays`.
      yield* letPass(dataDir, 2)
      const dd = `0x${"dd".padStart(40, "0")}`
      book.set(dd, { address: dd, chain: 1, state: "ACTIVE", interest_amount: 1 })
      const last = yield* sync
      expect(last).toMatchObject({ about: ["dd"], outcomes: { loan_details: { empty: 1 } } })
      yield* letPass(dataDir, 2)
      expect((yield* sync).about).toEqual([])
      yield* letPass(dataDir, 8 * 24 * 60)
      expect((yield* sync).about).toEqual(["dd"])

      // Of two that were read before and have no details now, the one that left the book is not requested in each run.
      const cc = `0x${"cc".padStart(40, "0")}`
      details.delete(cc)
      book.delete(cc)
      details.delete(aa)
      book.set(aa, { ...changed, interest_amount: 3 })
      const gone = { about: ["aa", "cc"], outcomes: { loan_details: { suspicious_empty: 2 } } }
      yield* letPass(dataDir, 2)
      expect(yield* sync).toMatchObject(gone)
      yield* readAtOnce(dataDir)
      yield* letPass(dataDir, 2)
      expect(yield* sync).toMatchObject(gone)
      yield* letPass(dataDir, 2)
      expect((yield* sync).about).toEqual(["aa"])
    }),
  )
})

describe("transactions", () => {
  it.live(
    "of a service that cuts its responses off are all read, and later ones as they come",
    () =>
      Effect.gen(function* () {
        const address = "0x00000000000000000000000000000000000000aa"
        const cap = 40
        const start = Date.UTC(2026, 0, 1)
        // Three an hour, of one instant, and every tenth hour a burst within a second.
        const history = Array.from({ length: 600 }, (_, index) => ({
          hash: `0x${index.toString(16)}`,
          chainId: 1,
          timestamp: new Date(
            start + Math.floor(index / 3) * 3_600_000 + (index % 30 < 3 ? index % 3 : 0) * 250,
          ).toISOString(),
        }))
        let transactions = 500
        let failAt = 4
        const server = yield* scriptedServer(({ url }, response) => {
          const { pathname, searchParams } = new URL(url, "http://service")
          if (pathname === "/subaccounts") return json(response, [{ address }])
          if (pathname !== "/transactions/v2") return json(response, [])
          failAt -= 1
          if (failAt === 0) return json(response, { detail: "out of order" }, 400)
          const from = searchParams.get("startTime") ?? ""
          const to = searchParams.get("endTime") ?? "9999"
          const found = history
            .slice(0, transactions)
            .filter(({ timestamp }) => timestamp >= from && timestamp <= to)
            .toReversed()
          return json(response, found.slice(0, cap))
        })
        const dataDir = yield* temporaryFolder
        const sync = Effect.gen(function* () {
          const from = server.requests.length
          const { outcomes } = yield* syncAs("demo-admin-key", server, dataDir, {
            only: ["transactions"],
          })
          const requests = server.requests
            .slice(from)
            .filter(({ url }) => url.startsWith("/transactions"))
          return { outcomes: outcomes["transactions"], requests: requests.length }
        })
        const stored = count(dataDir, "core.transactions")
        expect((yield* sync).outcomes).toEqual({ loaded: 3, failed: 1 })
        expect(yield* stored).toBeLessThan(130)
        // Goes on from where it stopped.
        const rest = yield* sync
        expect(rest.requests).toBeLessThanOrEqual(16)
        expect(yield* stored).toBe(500)
        const distinct = yield* count(
          dataDir,
          "(select distinct transaction_hash from core.transactions)",
        )
        expect(distinct).toBe(500)
        expect(yield* count(dataDir, "core.transactions_versions")).toBe(0)
        transactions = 600
        yield* sync
        expect(yield* stored).toBe(600)
        expect((yield* sync).outcomes).toHaveProperty("unchanged")
        expect(yield* stored).toBe(600)
        expect(yield* count(dataDir, "ops.gaps")).toBe(0)
      }),
  )
})

describe("an address that the endpoints do not take", () => {
  const subaccount = `0x${"ab".repeat(20)}`
  const stranger = `0x${"cd".repeat(32)}`
  const loan = `0x${"ef".repeat(20)}`
  const token = `0x${"12".repeat(20)}`
  const odd = ["native", "0x2::sui::SUI"]
  const answers: Record<string, unknown> = {
    "/subaccount": [subaccount, stranger].map((address) => ({ address, status: "active" })),
    "/dashboard/loans": [
      { address: loan, chain: 1, state: "ACTIVE", borrower_address: subaccount },
      { address: "loan-17", chain: 1, state: "ACTIVE", borrower_address: stranger },
    ],
    "/risk/discount_factors": [...odd, token].map((address) => ({
      address,
      chain: 1,
      rungs: [{ discount_factor: 0.9 }],
    })),
    "/risk/collateral_excess_or_deficit": { amount_usd: 5 },
    [`/subaccount/loans/${loan}`]: { address: loan, chain: 1, state: "ACTIVE" },
  }
  const only = ["transactions", "subaccount_loans", "loan_details", "collateral_excess"]

  it.live("is recorded once and fails no run; the records it is in are all there", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname } = new URL(url, "http://service")
        json(response, answers[pathname] ?? [], pathname.endsWith("/summary") ? 404 : 200)
      })
      const dataDir = yield* temporaryFolder
      const sync = () => syncAs("demo-admin-key", server, dataDir, { only })
      const first = yield* sync()
      expect(first.outcomes).toMatchObject({
        transactions: { unsupported: 1, empty: 1 },
        subaccount_loans: { unsupported: 1, empty: 1 },
        loan_details: { unsupported: 1, loaded: 1 },
        collateral_excess: { unsupported: 3, loaded: 1 },
      })
      const found = yield* query(
        dataDir,
        "select pipeline, entity, requests::integer as requests, error_text from ops.tasks where outcome = 'unsupported' order by all",
      )
      const because = (text: string) => expect.stringContaining(text)
      expect(found).toEqual([
        {
          pipeline: "collateral_excess",
          entity: stranger,
          requests: 0,
          error_text: because(`subaccount \`${stranger}\` in core.subaccounts can't be requested`),
        },
        {
          pipeline: "collateral_excess",
          entity: "1:0x2::sui::SUI",
          requests: 0,
          error_text: because("token `0x2::sui::SUI` in core.discount_factors"),
        },
        {
          pipeline: "collateral_excess",
          entity: "1:native",
          requests: 0,
          error_text: because("it is not an address: expected EVM"),
        },
        {
          pipeline: "loan_details",
          entity: "1:loan-17",
          requests: 0,
          error_text: because("loan `loan-17` in core.loans"),
        },
        ...["subaccount_loans", "subaccount_summaries", "transactions"].map((pipeline) => ({
          pipeline,
          entity: stranger,
          requests: 0,
          error_text: because("it is not an EVM address"),
        })),
      ])
      const failed = yield* query(
        dataDir,
        `select distinct pipeline from ops.tasks where outcome = 'failed' and pipeline in (${only.map((name) => `'${name}'`).join(", ")})`,
      )
      expect(failed).toEqual([])
      expect(yield* count(dataDir, "core.subaccounts where is_current")).toBe(2)
      expect(yield* count(dataDir, "core.loans where is_current")).toBe(2)
      expect(yield* count(dataDir, "core.discount_factors where is_current")).toBe(3)

      yield* letPass(dataDir, 60)
      const second = yield* sync()
      for (const name of only) {
        expect(second.outcomes[name], name).not.toHaveProperty("unsupported")
        expect(second.outcomes[name], name).not.toHaveProperty("failed")
      }
      expect(second.outcomes["collateral_excess"]).toEqual({ unchanged: 1 })
    }),
  )
})
