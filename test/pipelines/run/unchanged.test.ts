// A service whose facts stand still: what a second run adds to the warehouse, with and without a key.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaultWire } from "../../../src/extract/request.ts"
import { formatDay, parseDay } from "../../../src/domain/values/time.ts"
import { pipelineNames, tables } from "../../../src/pipelines/pipelines.ts"
import type { PipelineSummary, RunSummary } from "../../../src/pipelines/model/progress.ts"
import { fixedDay } from "../../support/movableClock.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { letAnHourPass, query, runOnce } from "../../support/warehouseRun.ts"

// Without the caches of §8 every response is made anew, and says when.
const still = {
  now: "2026-06-01T12:00:00Z",
  days: 10,
  vaults: 2,
  subaccounts: 6,
  serverCaches: false,
}

/** Every reading of these is a new row: its time is part of the key, as the document says. */
const alwaysNew = ["health_factors"]

/** Why a transaction failed never changes. */
const isRequestedAgain = (name: string): boolean => name !== "revert_reasons"

const paths = {
  cefiPositions: "/subaccount/{address}/cefi_positions",
  subaccountOtcPositions: "/subaccount/{address}/otc_positions",
  subaccountLoans: "/subaccount/{address}/loans",
}

const counts = (dataDir: string) =>
  Effect.map(
    query(
      dataDir,
      tables
        .filter(({ schema }) => schema === "core")
        .map(({ name }) => `select '${name}' as name, count(*)::integer as n from core.${name}`)
        .join(" union all "),
    ),
    (rows) => new Map(rows.map((row) => [String(row["name"]), Number(row["n"])])),
  )

/** Pipelines of which a task ended so, in order. */
const namesOf = (summary: RunSummary, ...of: ReadonlyArray<keyof PipelineSummary["outcomes"]>) =>
  summary.pipelines
    .filter(({ outcomes }) => of.some((outcome) => outcomes[outcome] !== undefined))
    .map(({ name }) => name)
    .toSorted()

interface Ladder {
  readonly chain: number
  readonly address: string
}

describe("a second run over facts that stand still", () => {
  it.live("with a key reads everything again, and adds nothing but new readings", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(still)
      const dataDir = yield* temporaryFolder
      const [token] = yield* Effect.promise(async () => {
        const ladders = await fetch(`${simulator.url}/risk/discount_factors`, {
          headers: { "x-api-key": Redacted.value(asAdmin.apiKey) },
        })
        return (await ladders.json()) as ReadonlyArray<Ladder>
      })
      const inputs = {
        loan_token_chain: token?.chain,
        loan_token_address: token?.address,
        loan_amount: 1_000_000,
        on_platform: false,
        collateral_tokens: [[token?.chain, token?.address]],
        collateral_token_allocation: [1],
      }
      const may = { start: parseDay("2026-05-01") ?? 0, end: parseDay("2026-05-31") ?? 0 }
      const sync = runOnce(simulator.url, dataDir, {
        api: { ...asAdmin, wire: { ...defaultWire, paths } },
        settings: { scenarios: [{ name: "a loan", inputs }], performanceFeeRanges: [may] },
      })
      const first = yield* sync
      expect(first.summary.outcome).toBe("complete")
      const before = yield* counts(dataDir)
      yield* letAnHourPass(dataDir)

      const { summary } = yield* sync
      expect(summary.outcome).toBe("complete")
      expect(namesOf(summary, "loaded")).toEqual(alwaysNew)
      // Each was requested again, and nothing had changed.
      const found = namesOf(summary, "unchanged", "loaded")
      expect(found).toEqual(namesOf(first.summary, "loaded").filter(isRequestedAgain))
      expect(found).toEqual(pipelineNames.filter(isRequestedAgain).toSorted())
      const after = yield* counts(dataDir)
      const grown = [...after].filter(([name, n]) => n !== before.get(name)).map(([name]) => name)
      expect(grown).toEqual(alwaysNew)
    }),
  )

  it.live("without a key says that there is nothing new, and publishes nothing", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(still)
      const dataDir = yield* temporaryFolder
      const sync = runOnce(simulator.url, dataDir, { publish: { parquet: { marts: false } } })
      expect((yield* sync).summary).toMatchObject({ nothingNew: false, published: true })
      const before = yield* counts(dataDir)
      yield* letAnHourPass(dataDir)
      const { summary } = yield* sync
      expect(summary).toMatchObject({ outcome: "complete", nothingNew: true, published: false })
      expect(yield* counts(dataDir)).toEqual(before)
    }),
  )
})

describe("lists in another order", () => {
  const { live } = fixedDay("2026-06-01T12:00:00Z")

  live("make no version and no event, though their records have no ids of their own", () =>
    Effect.gen(function* () {
      const address = `0x${"1".repeat(40)}`
      const atOnce = { scheduled_at: "2026-05-01", executable_at: "2026-05-03" }
      const [scheduled, executed] = [{ status: "scheduled" }, { status: "executed" }]
      const lists: Readonly<Record<string, ReadonlyArray<object>>> = {
        timelocks: [
          { ...atOnce, ...executed, labels: ["Set fee"] },
          { ...atOnce, ...scheduled, labels: ["Add strategy"] },
          { ...scheduled, executable_at: "2026-06-09", labels: ["Grant"] },
          { ...executed, executable_at: "2026-05-09", labels: ["Grant"] },
        ],
        roles: [
          { role: "operator", is_safe: true, safe_threshold: 3 },
          { role: "operator", is_safe: false, safe_threshold: null },
        ],
        permissions: [
          { integration: "Aave", functions: ["supply"], target: "0x2" },
          { integration: "Aave", functions: ["supply"], target: "0x1" },
        ],
        rewards: [
          { text: "Season 1", multiplier: 2 },
          { text: "Season 1", multiplier: 1 },
        ],
      }
      let inOrder = (list: ReadonlyArray<object>) => list
      const listed = (name: string) => ({ [name]: inOrder(lists[name] ?? []) })
      const { url } = yield* scriptedServer(({ url: path }, response) => {
        const { pathname, searchParams } = new URL(path, "http://service")
        const last = pathname.split("/").at(-1) ?? ""
        if (pathname === "/tokenized_vault") {
          const isActive = searchParams.get("status") === "active"
          return json(response, isActive ? [{ address, chain: 1 }] : [])
        }
        if (last === address) return json(response, { address, chain: 1, ...listed("rewards") })
        json(response, { ...listed(last), warnings: [] })
      })
      const dataDir = yield* temporaryFolder
      const pipelines = ["timelocks", "roles", "permissions", "vault_details"]
      const sync = runOnce(url, dataDir, { pipelines })
      const stored = query(
        dataDir,
        `${Object.keys(lists)
          .map((name) => (name === "rewards" ? "vault_rewards" : name))
          .map((name) => `select '${name}' as name, count(*)::int as n from core.${name}`)
          .join(" union all ")}
         union all select kind, count(*)::int from mart.governance_timeline group by all order by all`,
      )
      expect((yield* sync).summary.outcome).toBe("complete")
      const before = yield* stored
      expect(before).toContainEqual({ name: "timelocks", n: 4 })
      expect(before).toContainEqual({ name: "timelock_scheduled", n: 2 })
      yield* letAnHourPass(dataDir)

      inOrder = (list) => list.toReversed()
      expect((yield* sync).summary).toMatchObject({ outcome: "complete", nothingNew: true })
      expect(yield* stored).toEqual(before)
    }),
  )
})

describe("fields next to a list", () => {
  const { now, live } = fixedDay("2026-06-01T12:00:00Z")
  const today = Math.floor(now / 86_400_000)
  const series = Array.from({ length: 60 }, (_, age) => today - age).toReversed()

  live(
    "whose values belong to the days requested make no version with each run, a new field does",
    () =>
      Effect.gen(function* () {
        let policy: object = { policy: "a" }
        const { url } = yield* scriptedServer(({ url: path }, response) => {
          const { pathname, searchParams } = new URL(path, "http://service")
          const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
          if (pathname.endsWith("/chart")) {
            const wanted = Number(searchParams.get("daysAgo"))
            const days = wanted < 0 ? series : series.slice(-wanted)
            const labels = days.map((day) => formatDay(day))
            const values = days.map((day) => day / 1e6)
            return json(response, { labels, values, average: days.length, ...policy })
          }
          if (pathname.includes("/historical_allocations/")) {
            const from = searchParams.get("startDate") ?? ""
            const to = searchParams.get("endDate") ?? "9999"
            const days = series
              .map((day) => formatDay(day))
              .filter((day) => day >= from && day <= to)
            const points = days.map((date) => ({ date, protocol: "Aave", value: 1 }))
            return json(response, { points, first: from, count: points.length, ...policy })
          }
          if (pathname.endsWith("/audit_log")) {
            const log = Array.from({ length: 7 }, (_, at) => ({
              timestamp: `2026-01-0${7 - at}T00:00:00`,
              type: "t",
              summary: `${7 - at}`,
            })).filter(({ timestamp }) => timestamp < (searchParams.get("before") ?? "9"))
            const events = log.slice(0, 3)
            return json(response, { events, has_more: log.length > 3, left: log.length, ...policy })
          }
          json(response, searchParams.get("status") === "active" ? vaults : [])
        })
        const dataDir = yield* temporaryFolder
        const pipelines = ["apy_history", "allocation_history", "audit_log"]
        const sync = runOnce(url, dataDir, { pipelines, settings: { auditFullScanDays: 0 } })
        const current = query(
          dataDir,
          `select endpoint, variant, extra, (select count(*)::int from core.response_envelopes e
           where (e.endpoint, e.variant) = (t.endpoint, t.variant)) as versions
         from core.response_envelopes t where is_current order by all`,
        )
        expect((yield* sync).summary.outcome).toBe("complete")
        const first = yield* current
        const smoothed = first.find(({ variant }) => variant === "smoothed 7d")
        expect(smoothed).toMatchObject({ extra: '{"average":60,"policy":"a"}', versions: 1 })
        expect(first.map(({ versions }) => versions)).toEqual(first.map(() => 1))
        expect(
          first.map(({ endpoint, variant }) => `${String(endpoint)} ${String(variant)}`),
        ).toEqual([
          "audit_log -",
          "audit_log older pages",
          "historical_allocations -",
          "historical_apy_chart smoothed 7d",
          "historical_apy_chart unsmoothed 7d",
        ])
        expect((yield* sync).summary).toMatchObject({ outcome: "complete", nothingNew: true })
        expect(yield* current).toEqual(first)
        // The newest page of the log is the same request in each run.
        policy = { policy: "b" }
        yield* sync
        const changed = (yield* current).filter(({ versions }) => versions !== 1)
        expect(changed).toMatchObject([{ endpoint: "audit_log", variant: "-", versions: 2 }])
        policy = { policy: "b", block: 5 }
        yield* sync
        const found = yield* current
        expect(found.map(({ versions }) => versions)).toEqual([3, 2, 2, 2, 2])
        for (const { extra } of found) expect(extra).toContain('"block":5')
      }),
  )
})
