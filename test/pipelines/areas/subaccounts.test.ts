// Subaccounts with each kind of key, through every stage: which are read, what lands, what ends.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { OptionsPatch, Simulator } from "../../../simulator/index.ts"
import { defaultTimeFields } from "../../../src/domain/wire/timeFields.ts"
import { defaultWire } from "../../../src/extract/request.ts"
import { pipelines as catalog } from "../../../src/pipelines/pipelines.ts"
import { replay } from "../../../src/pipelines/archive/replay.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, queries, query, runOnce } from "../../support/warehouseRun.ts"

const now = "2026-06-01T12:00:00Z"
const small: OptionsPatch = { now, days: 5, subaccounts: 16 }

const pipelines = [
  "subaccounts",
  "my_subaccounts",
  "vault_subaccounts",
  "whitelist_status",
  "subaccount_summaries",
  "health_factors",
  "protocol_positions",
  "cefi_positions",
  "subaccount_otc_positions",
]

const paths = {
  cefiPositions: "/subaccount/{address}/cefi_positions",
  subaccountOtcPositions: "/subaccount/{address}/otc_positions",
}

const evm = (n: number) => `0x${n.toString(16).padStart(40, "0")}`

type Key = "demo-admin-key" | "demo-curator-key" | "demo-user-key" | "not-a-key"

const syncAs = (
  key: Key | undefined,
  { url }: { readonly url: string },
  dataDir: string,
  only: ReadonlyArray<string> = pipelines,
) =>
  Effect.map(
    runOnce(url, dataDir, {
      pipelines: only,
      api: {
        apiKey: key === undefined ? undefined : Redacted.make(key),
        wire: { ...defaultWire, paths },
      },
    }),
    ({ summary, events }) => ({
      summary,
      events,
      outcomes: Object.fromEntries(
        summary.pipelines
          .filter(({ name }) => only.includes(name))
          .map(({ name, outcomes }) => [name, outcomes]),
      ),
    }),
  )

/** Rows, current ones where the table keeps what was. */
const counts = (dataDir: string) =>
  Effect.map(
    query(
      dataDir,
      [
        ["subaccounts", "is_current"],
        ["my_subaccounts", "is_current"],
        ["vault_subaccounts", "is_current"],
        ["whitelist_status", "is_current"],
        ["subaccount_summaries", "is_current"],
        ["health_factors", "true"],
      ]
        .map(
          ([table, where]) =>
            `select '${table}' as name, count(*)::integer as n from core.${table} where ${where}`,
        )
        .join(" union all "),
    ),
    (rows) => Object.fromEntries(rows.map(({ name, n }) => [name, n])),
  )

const requestsTo = (simulator: Simulator, path: string): number =>
  Object.entries(simulator.requests().counts)
    .filter(([name]) => name.includes(` ${path} `))
    .reduce((sum, [, count]) => sum + count, 0)

/** Of the eight vaults, six are on EVM chains: the whitelist is theirs alone. */
const evmOnly = "vault_address like '0x%'"

describe("subaccounts with an admin key", () => {
  it.live("a directory of 2,345 is read whole, in three requests", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ ...small, subaccounts: 2345 })
      const dataDir = yield* temporaryFolder
      const { outcomes } = yield* syncAs("demo-admin-key", simulator, dataDir, ["subaccounts"])
      expect(outcomes).toEqual({ subaccounts: { loaded: 1 } })
      expect(simulator.requests().counts["GET /subaccount 200"]).toBe(3)
      const [found] = yield* query(
        dataDir,
        `select count(*)::integer as rows, count(distinct subaccount_address)::integer as subaccounts,
           min(internal_name) as first, max(internal_name) as last
         from core.subaccounts where is_current`,
      )
      expect(found).toEqual({
        rows: 2345,
        subaccounts: 2345,
        first: "sub-0001",
        last: "sub-2345",
      })
    }),
  )

  it.live(
    "everything of every subaccount lands, and a second run changes nothing where nothing moved",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({ ...small, bigIntegers: true, addedFields: true })
        const dataDir = yield* temporaryFolder
        const { summary, outcomes } = yield* syncAs("demo-admin-key", simulator, dataDir)
        expect(summary.outcome).toBe("complete")
        expect(outcomes["subaccount_summaries"]).toEqual({ loaded: 16 })
        expect(yield* counts(dataDir)).toEqual({
          subaccounts: 16,
          my_subaccounts: 16,
          vault_subaccounts: 16,
          whitelist_status: 12,
          subaccount_summaries: 16,
          health_factors: 16,
        })
        // What the summary says in sum is what its parts say.
        const [parts] = yield* query(
          dataDir,
          `select
           (select count(*)::integer from core.subaccount_tokens where list = 'summary') as tokens,
           (select count(*)::integer from core.subaccount_tokens where list = 'portfolio') as held,
           (select count(*)::integer from core.subaccount_portfolio_positions p
              where not exists (from core.subaccount_summaries s
                where s.subaccount_address = p.subaccount_address and s.valid_from = p.valid_from)) as stray,
           (select count(distinct kind)::integer from core.subaccount_portfolio_positions) as kinds,
           (select count(*)::integer from core.subaccount_loan_aggregates) as aggregates,
           (select count(*)::integer from core.subaccount_portfolio_positions where kind = 'defi')
             - (select count(*)::integer from core.protocol_positions where kind = 'position') as defi,
           (select count(*)::integer from core.subaccount_portfolio_positions where kind = 'cefi')
             - (select count(*)::integer from core.cefi_positions) as cefi,
           (select count(*)::integer from core.subaccount_portfolio_positions where kind = 'otc')
             - (select count(*)::integer from core.subaccount_otc_positions) as otc`,
        )
        expect(parts).toEqual({
          tokens: 32,
          held: 32,
          stray: 0,
          kinds: 4,
          aggregates: 16,
          defi: 0,
          cefi: 0,
          otc: 0,
        })
        const tables = catalog
          .filter(({ name }) => pipelines.includes(name))
          .flatMap((p) => p.tables)
        expect(tables).toHaveLength(13)
        const examples = yield* queries(
          dataDir,
          tables.map(({ example }) => example),
        )
        for (const [at, { name }] of tables.entries()) {
          expect(examples[at]?.length, name).toBeGreaterThan(0)
        }

        const again = yield* syncAs("demo-admin-key", simulator, dataDir)
        expect(again.summary.outcome).toBe("complete")
        const still = ["subaccounts", "my_subaccounts", "vault_subaccounts", "cefi_positions"]
        expect(still.filter((name) => again.outcomes[name]?.["loaded"] !== undefined)).toEqual([])
        expect(again.outcomes["subaccounts"]).toEqual({ unchanged: 1 })
        expect(again.outcomes["vault_subaccounts"]).toEqual({ unchanged: 8 })
        // Within the time the server keeps its answers there is nothing to be learnt (§8).
        expect(again.outcomes["protocol_positions"]).toEqual({})
      }),
  )

  it.live("a subaccount that left the directory and its vault has ended, and may come back", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const links = ["subaccounts", "my_subaccounts", "vault_subaccounts", "whitelist_status"]
      yield* syncAs("demo-admin-key", simulator, dataDir, links)
      simulator.patch({ subaccounts: 14 })
      yield* syncAs("demo-admin-key", simulator, dataDir, links)
      expect(yield* counts(dataDir)).toMatchObject({
        subaccounts: 14,
        my_subaccounts: 14,
        vault_subaccounts: 14,
      })
      const [ended] = yield* query(
        dataDir,
        "select count(*)::integer as n, min(internal_name) as first from core.subaccounts where valid_to is not null",
      )
      expect(ended).toEqual({ n: 2, first: "sub-0015" })
      const lost = yield* query(
        dataDir,
        `select count(*)::integer as n from core.whitelist_status w where is_current and ${evmOnly}
           and not exists (from core.vault_subaccounts s where s.is_current
             and s.subaccount_address = w.subaccount_address)`,
      )
      expect(lost).toEqual([{ n: 0 }])
      simulator.patch({ subaccounts: 16 })
      yield* syncAs("demo-admin-key", simulator, dataDir, links)
      expect(yield* counts(dataDir)).toMatchObject({ subaccounts: 16, vault_subaccounts: 16 })
    }),
  )

  it.live("an empty directory where there was one is suspicious", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      yield* syncAs("demo-admin-key", simulator, dataDir, ["subaccounts"])
      simulator.patch({ faults: [{ kind: "empty", match: "/subaccount?" }] })
      const { outcomes } = yield* syncAs("demo-admin-key", simulator, dataDir, ["subaccounts"])
      expect(outcomes).toEqual({ subaccounts: { suspicious_empty: 1 } })
      expect(yield* counts(dataDir)).toMatchObject({ subaccounts: 16 })
    }),
  )
})

describe("subaccounts with a lesser key", () => {
  it.live("a user's key reads the user's own, and the rest is skipped once", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const { summary, outcomes } = yield* syncAs("demo-user-key", simulator, dataDir)
      expect(summary.outcome).toBe("complete")
      expect(outcomes["subaccounts"]).toEqual({ skipped: 1 })
      expect(requestsTo(simulator, "/subaccount")).toBe(1)
      expect(outcomes["subaccount_summaries"]).toEqual({ loaded: 4 })
      expect(outcomes["health_factors"]).toEqual({ loaded: 4 })
      expect(yield* counts(dataDir)).toEqual({
        subaccounts: 0,
        my_subaccounts: 4,
        vault_subaccounts: 0,
        whitelist_status: 0,
        subaccount_summaries: 4,
        health_factors: 4,
      })
    }),
  )

  it.live("a curator reads the vaults curated and their subaccounts; the others fail nothing", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const { summary, outcomes } = yield* syncAs("demo-curator-key", simulator, dataDir)
      expect(summary.outcome).toBe("complete")
      expect(outcomes["vault_subaccounts"]).toEqual({ loaded: 4, skipped: 4 })
      expect(outcomes["subaccount_summaries"]).toEqual({ loaded: 8 })
      expect(yield* counts(dataDir)).toMatchObject({
        subaccounts: 0,
        my_subaccounts: 8,
        vault_subaccounts: 8,
      })
    }),
  )

  it.live("a subaccount that is no longer the key's is skipped alone", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      yield* syncAs("demo-admin-key", simulator, dataDir, ["subaccounts"])
      const { outcomes } = yield* syncAs("demo-user-key", simulator, dataDir, ["health_factors"])
      expect(outcomes["health_factors"]).toEqual({ loaded: 4, skipped: 12 })
    }),
  )

  it.live.each(["not-a-key", "demo-user-key"] as const)(
    "the run is not complete with %s where a better key read before",
    (key) =>
      Effect.gen(function* () {
        const simulator = yield* simulated(small)
        const dataDir = yield* temporaryFolder
        yield* syncAs("demo-admin-key", simulator, dataDir, ["subaccounts"])
        const { summary } = yield* syncAs(key, simulator, dataDir, ["subaccounts"])
        expect(summary.keyRejected).toBe(true)
        expect(summary.outcome).not.toBe("complete")
      }),
  )

  it.live("without a key each is skipped once and nothing is requested", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const { summary, outcomes } = yield* syncAs(undefined, simulator, dataDir)
      expect(summary.outcome).toBe("complete")
      expect(outcomes).toEqual(Object.fromEntries(pipelines.map((name) => [name, { skipped: 1 }])))
      const { counts: requests } = simulator.requests()
      expect(Object.keys(requests).filter((name) => !name.includes(" /tokenized_vault"))).toEqual(
        [],
      )
    }),
  )

  it.live("paths the document does not show are skipped with the setting to make", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(small)
      const dataDir = yield* temporaryFolder
      const { summary } = yield* runOnce(simulator.url, dataDir, {
        pipelines: ["cefi_positions", "subaccount_otc_positions"],
        api: { apiKey: Redacted.make("demo-user-key") },
      })
      const skipped = Object.fromEntries(summary.pipelines.map((each) => [each.name, each.skipped]))
      expect(skipped["cefi_positions"]).toContain("paths.cefiPositions")
      expect(skipped["subaccount_otc_positions"]).toContain("paths.subaccountOtcPositions")
      expect(summary.outcome).toBe("complete")
    }),
  )
})

const replayed = (dataDir: string) =>
  replay({
    dataDir,
    timeFields: defaultTimeFields,
    publish: undefined,
    onResponse: () => undefined,
  })

/** What the directory's table holds, but for when it was made of which response. */
const directoryIn = (dataDir: string) =>
  query(
    dataDir,
    "select subaccount_address, status, is_current, valid_from, valid_to from core.subaccounts order by all",
  )

describe("a directory that moves while it is read", () => {
  /** Serves `list()` by offset and limit, calling it anew for each request. */
  const directory = (list: () => ReadonlyArray<number>) =>
    scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://localhost")
      if (pathname !== "/subaccount") return json(response, [])
      const offset = Number(searchParams.get("offset"))
      const page = list().slice(offset, offset + Number(searchParams.get("limit")))
      json(
        response,
        page.map((n) => ({ address: evm(n), status: "active" })),
      )
    })

  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index)

  it.live("is read again, and lands as what it then is", () =>
    Effect.gen(function* () {
      let requests = 0
      // One that stood first leaves between the first and the second page.
      const server = yield* directory(() => numbers((requests += 1) > 1 ? 2 : 1, 1501))
      const dataDir = yield* temporaryFolder
      const { outcomes } = yield* syncAs("demo-admin-key", server, dataDir, ["subaccounts"])
      expect(outcomes).toEqual({ subaccounts: { loaded: 1 } })
      const rows = yield* query(
        dataDir,
        "select count(*)::integer as n, min(subaccount_address) as first from core.subaccounts",
      )
      expect(rows).toEqual([{ n: 1499, first: evm(2) }])
      // Every response is on record, and those that made no rows say so.
      const responses = yield* query(
        dataDir,
        "select is_landed, count(*)::integer as n from raw.responses where endpoint = 'subaccount_directory' group by is_landed order by is_landed",
      )
      expect(responses).toEqual([
        { is_landed: false, n: 2 },
        { is_landed: true, n: 2 },
      ])
      const before = yield* directoryIn(dataDir)
      yield* replayed(dataDir)
      expect(yield* directoryIn(dataDir)).toEqual(before)
    }),
  )

  it.live("and never stands still lands with a warning, and ends nothing", () =>
    Effect.gen(function* () {
      let shift = 0
      let step = 0
      const server = yield* directory(() => numbers((shift += step), 1500))
      const dataDir = yield* temporaryFolder
      yield* syncAs("demo-admin-key", server, dataDir, ["subaccounts"])
      step = 1
      const { events, outcomes } = yield* syncAs("demo-admin-key", server, dataDir, ["subaccounts"])
      expect(outcomes).toEqual({ subaccounts: { unchanged: 1 } })
      expect(events).toContainEqual(
        expect.objectContaining({
          kind: "warning",
          text: expect.stringContaining("3 readings") as unknown,
        }),
      )
      const [rows] = yield* query(
        dataDir,
        "select count(*)::integer as n, count(*) filter (where is_current)::integer as current from core.subaccounts",
      )
      expect(rows).toEqual({ n: 1500, current: 1500 })
      const before = yield* directoryIn(dataDir)
      yield* replayed(dataDir)
      expect(yield* directoryIn(dataDir)).toEqual(before)
      // Once it stands still, those that left have ended; a replay says so too.
      step = 0
      yield* syncAs("demo-admin-key", server, dataDir, ["subaccounts"])
      const final = yield* directoryIn(dataDir)
      expect(final.filter((each) => each["is_current"] === true)).toHaveLength(1500 - shift)
      yield* replayed(dataDir)
      expect(yield* directoryIn(dataDir)).toEqual(final)
    }),
  )

  it.live(
    "what is no record of a page is set aside alone; the others land, and nothing is retired",
    () =>
      Effect.gen(function* () {
        let broken = false
        const server = yield* scriptedServer(({ url }, response) => {
          const { pathname, searchParams } = new URL(url, "http://localhost")
          if (pathname !== "/subaccount") return json(response, [])
          const offset = Number(searchParams.get("offset"))
          const page = numbers(broken ? 1 : 0, 1500).slice(offset, offset + 1000)
          const items = page.map((n) => ({ address: evm(n), status: broken ? "closed" : "active" }))
          json(response, broken && offset > 0 ? [...items, "nameless"] : items)
        })
        const dataDir = yield* temporaryFolder
        yield* syncAs("demo-admin-key", server, dataDir, ["subaccounts"])
        broken = true
        const { summary, outcomes } = yield* syncAs("demo-admin-key", server, dataDir, [
          "subaccounts",
        ])
        expect(outcomes).toEqual({ subaccounts: { quarantined: 1 } })
        expect(summary.pipelines.find(({ name }) => name === "subaccounts")?.requests).toBe(2)
        const rows = yield* query(
          dataDir,
          "select status, count(*)::integer as n from core.subaccounts where is_current group by status order by status",
        )
        expect(rows).toEqual([
          { status: "active", n: 1 },
          { status: "closed", n: 1499 },
        ])
        const quarantine = yield* query(dataDir, "select json_path from ops.quarantine")
        // The page at 900 holds the last 599 of 1,499, and then what is no record.
        expect(quarantine).toEqual([{ json_path: "$[599]" }])
      }),
  )
})

describe("protocol positions of several chains", () => {
  it.live("with the same id keep their histories when one of them goes", () =>
    Effect.gen(function* () {
      const eth = { id: "eth", chain: "eth", symbol: "ETH", balance: 1 }
      const arb = { id: "eth", chain: "arb", symbol: "ETH", balance: 2 }
      const others = [
        { id: "0xaa", chain_id: 10, symbol: "A" },
        { id: "none", symbol: "N" },
      ]
      let tokens: ReadonlyArray<object> = [eth, arb, ...others]
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname } = new URL(url, "http://localhost")
        if (pathname === "/subaccounts") return json(response, [{ address: evm(1) }])
        json(response, pathname.endsWith("/debank") ? { tokens } : [])
      })
      const dataDir = yield* temporaryFolder
      const only = ["my_subaccounts", "protocol_positions"]
      yield* syncAs("demo-user-key", server, dataDir, only)
      tokens = [arb, ...others]
      yield* change(
        dataDir,
        "update ops.tasks set finished_at = finished_at - interval 1 hour",
        "checkpoint",
      )
      yield* syncAs("demo-user-key", server, dataDir, only)
      const rows = yield* query(
        dataDir,
        `select position_key as key, chain, extra->>'id' as id, is_current from core.protocol_positions
         where kind = 'token' order by key`,
      )
      expect(rows).toEqual([
        { key: "10:0xaa", chain: null, id: "0xaa", is_current: true },
        { key: "arb:eth", chain: "arb", id: "eth", is_current: true },
        { key: "eth:eth", chain: "eth", id: "eth", is_current: false },
        { key: "none", chain: null, id: null, is_current: true },
      ])
    }),
  )
})
