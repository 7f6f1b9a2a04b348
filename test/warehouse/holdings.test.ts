// What is lent, pledged, queued and held, after a whole run: the marts against figures worked out from the
// service's own answers without SQL.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { query, runOnce } from "../support/warehouseRun.ts"

const apiKey = "demo-admin-key"
const day = 86_400_000

interface Loan {
  readonly loanAddress: string
  readonly chainId: number
  readonly state: string
  readonly principalAmount: number
  readonly apr: number
  readonly nextPayment: { readonly amount: number; readonly dueDate: string } | null
}
interface Health {
  readonly healthFactor: number
  readonly totalCollateral: number
  readonly totalLoan: number
}
interface Withdrawals {
  readonly totalWithdrawals: number
  readonly totalAssets: number
  readonly pendingRequests: ReadonlyArray<{ readonly requestedAt: string; readonly amount: number }>
}
interface Positions {
  readonly total_nav: number
  readonly reported_tvl: number
  readonly subaccounts: ReadonlyArray<{ readonly total_usd: number }>
}
type Row = Readonly<Record<string, unknown>>

let simulator: Simulator
let dataDir: string
const rowsOf = (sql: string) => Effect.runPromise(query(dataDir, sql))

const get = async <A>(path: string): Promise<A> => {
  const response = await fetch(`${simulator.url}${path}`, { headers: { "x-api-key": apiKey } })
  expect(response.status, path).toBe(200)
  return (await response.json()) as A
}

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
const canonical = ({ kind, address }: { readonly kind: string; readonly address: string }) =>
  kind === "evm" ? address.toLowerCase() : address

const near = (actual: unknown, expected: number, what: string): void => {
  expect(typeof actual, what).toBe("number")
  const error = Math.abs(Number(actual) - expected)
  expect(error, `${what}: ${String(actual)}, not ${expected}`).toBeLessThanOrEqual(
    1e-9 * Math.max(1, Math.abs(expected)),
  )
}

beforeAll(async () => {
  // Nothing happens between the run and the questions: the service's clock stands still.
  simulator = await startSimulator({ vaults: 6, now: "2026-06-01T12:00:00Z", days: 20 })
  dataDir = mkdtempSync(join(tmpdir(), "vaulthouse-holdings-"))
  const { summary } = await Effect.runPromise(
    Effect.scoped(
      runOnce(simulator.url, dataDir, {
        api: { apiKey: Redacted.make(apiKey) },
        pipelines: [
          "vaults",
          "vault_details",
          "vault_subaccounts",
          "subaccounts",
          "health_factors",
          "loans",
          "withdrawals",
          "positions",
          "ratio_history",
          "allocation_history",
          "fees",
          "audit_log",
          "timelocks",
          "roles",
        ],
      }),
    ),
  )
  expect(summary.outcome).toBe("complete")
})
afterAll(async () => {
  await simulator.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const bandOf = (factor: number): string => {
  if (factor > 1.5) return "healthy"
  if (factor >= 1.2) return "moderate"
  return factor >= 1 ? "high risk" : "critical"
}

it("subaccount_health: band, collateral to spare and rank", async () => {
  const listed = await get<ReadonlyArray<{ address: string }>>("/subaccount?limit=1000")
  const rows = new Map(
    (await rowsOf("select * from mart.subaccount_health")).map((row) => [
      String(row["subaccount_address"]),
      row,
    ]),
  )
  expect(rows.size).toBe(listed.length)
  const seen = new Set<string>()
  for (const { address } of listed) {
    const row = rows.get(address.toLowerCase())
    // Factors move from second to second; the row's own calculation is what is compared.
    const returned = await get<Health>(`/subaccounts/health_factor?address=${address}`)
    const factor = Number(row?.["health_factor"])
    const collateral = Number(row?.["collateral_usd"])
    expect(Math.abs(factor / returned.healthFactor - 1), address).toBeLessThan(0.05)
    expect(row?.["has_debt"], address).toBe(returned.totalLoan > 0)
    expect(row?.["band"], address).toBe(bandOf(factor))
    seen.add(bandOf(factor))
    near(
      row?.["collateral_to_spare_usd"],
      returned.totalLoan > 0 ? collateral - (1.2 * collateral) / factor : collateral,
      address,
    )
    const lower = [...rows.values()].filter(
      (other) => other["has_debt"] === true && Number(other["health_factor"]) < factor,
    )
    expect(row?.["risk_rank"], address).toBe(returned.totalLoan > 0 ? lower.length + 1 : null)
  }
  expect(seen.size).toBeGreaterThan(1)
})

it("loan_book and upcoming_payments: every loan once, its payment and the days to it", async () => {
  const loans = await get<ReadonlyArray<Loan>>("/dashboard/loans")
  const book = await rowsOf("select * from mart.loan_book")
  expect(book.length).toBe(loans.length)
  const active = loans.filter(({ state }) => state === "ACTIVE")
  expect(active.length).toBeGreaterThan(0)
  const activeRows = book.filter((row) => row["is_active"] === true)
  expect(activeRows.length).toBe(active.length)
  near(
    sum(activeRows.map((row) => Number(row["principal_amount"]))),
    sum(active.map(({ principalAmount }) => principalAmount)),
    "principal",
  )
  const payments = new Map(
    (
      await rowsOf(
        "select *, epoch_ms(now_at)::double as now from mart.upcoming_payments, mart.clock",
      )
    ).map((row) => [String(row["loan_id"]), row]),
  )
  const due = loans.filter(({ nextPayment }) => nextPayment !== null)
  expect(due.length).toBeGreaterThan(0)
  expect(payments.size).toBe(due.length)
  for (const { chainId, loanAddress, nextPayment } of due) {
    const row = payments.get(`${chainId}:${loanAddress.toLowerCase()}`)
    const dueAt = Date.parse(nextPayment?.dueDate ?? "")
    near(row?.["amount"], nextPayment?.amount ?? Number.NaN, loanAddress)
    // Of the query, whose day may be over by now.
    const now = Number(row?.["now"])
    expect(row?.["is_overdue"], loanAddress).toBe(dueAt < now)
    expect(row?.["days_left"], loanAddress).toBe(Math.floor(dueAt / day) - Math.floor(now / day))
  }
})

it("withdrawal_queue: order, sums behind each request, and whether the buffer pays", async () => {
  let requests = 0
  let valued = 0
  for (const vault of simulator.truth.vaults) {
    const returned = await get<Withdrawals>(`/withdrawals/${vault.chainId}/${vault.address}`)
    const rows: ReadonlyArray<Row> = await rowsOf(
      `select * from mart.withdrawal_queue where vault_address = '${canonical(vault)}' order by place`,
    )
    const queue = returned.pendingRequests.toSorted(
      (a, b) => Date.parse(a.requestedAt) - Date.parse(b.requestedAt),
    )
    expect(rows.length, vault.address).toBe(queue.length)
    requests += rows.length
    const positions = await fetch(
      `${simulator.url}/platform/positions/${vault.address}?chainId=${vault.chainId}`,
    )
    const held = positions.status === 200 ? ((await positions.json()) as Positions) : undefined
    for (const [index, row] of rows.entries()) {
      const behind = sum(queue.slice(0, index + 1).map(({ amount }) => amount))
      near(row["cumulative_amount"], behind, vault.address)
      near(row["share_of_vault"], (queue[index]?.amount ?? 0) / returned.totalAssets, vault.address)
      if (held === undefined) {
        expect(row["is_covered_by_buffer"], vault.address).toBeNull()
        continue
      }
      valued += 1
      const buffer = held.total_nav - sum(held.subaccounts.map(({ total_usd: usd }) => usd))
      const price = held.total_nav / returned.totalAssets
      near(row["buffer_usd"], buffer, vault.address)
      near(row["buffer_adequacy"], buffer / (returned.totalWithdrawals * price), vault.address)
      expect(row["is_covered_by_buffer"], vault.address).toBe(behind * price <= buffer)
    }
  }
  expect(requests).toBeGreaterThan(valued)
  expect(valued).toBeGreaterThan(0)
})

it("vault_latest and reconciliation: value, buffer and what they are measured against", async () => {
  let compared = 0
  for (const vault of simulator.truth.vaults.filter(({ kind }) => kind === "evm")) {
    const address = canonical(vault)
    const path = `/platform/positions/${vault.address}?chainId=${vault.chainId}`
    const response = await fetch(`${simulator.url}${path}`)
    const [row] = await rowsOf(`select * from mart.vault_latest where vault_address = '${address}'`)
    if (response.status !== 200) {
      expect(row?.["nav_usd"], address).toBeNull()
      continue
    }
    const held = (await response.json()) as Positions
    const buffer = held.total_nav - sum(held.subaccounts.map(({ total_usd: usd }) => usd))
    near(row?.["nav_usd"], held.total_nav, address)
    near(row?.["buffer_share"], buffer / held.total_nav, address)
    const { timelocks } = await get<{ timelocks: ReadonlyArray<{ status: string }> }>(
      `/platform/governance/${vault.address}/timelocks?chainId=${vault.chainId}&status=all`,
    )
    const waiting = timelocks.filter(({ status }) => status === "scheduled").length
    expect(row?.["scheduled_timelocks"], address).toBe(waiting === 0 ? null : waiting)
    const [comparison] = await rowsOf(
      `select * from mart.reconciliation where vault_address = '${address}' and comparison = 'nav_reported_tvl'`,
    )
    near(comparison?.["difference"], held.total_nav - held.reported_tvl, address)
    expect(comparison?.["is_within_tolerance"], address).toBe(
      Math.abs(held.total_nav - held.reported_tvl) <= 0.1 * held.reported_tvl,
    )
    compared += 1
  }
  expect(compared).toBeGreaterThan(0)
})
