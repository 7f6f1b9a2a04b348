// Every row of §4 responds, and refuses callers of a lower tier (§5).
import { describe, expect, it } from "vitest"
import type { Bench } from "./support.ts"
import { admin, closeSimulators, curator, start, user, vaultsOf } from "./support.ts"

closeSimulators()

const bench = await start()
const { full } = vaultsOf(bench)
const V = full.address
const C = full.chainId

const subjects = async ({ get }: Bench) => {
  const subaccount = (await get("/subaccount?limit=1", admin)).json[0].address
  const loan = (await get("/dashboard/loans", admin)).json[0]
  const token = (await get("/risk/discount_factors", user)).json[0].address
  return { subaccount, loan, token }
}
const { subaccount: S, loan, token: T } = await subjects(bench)

const simulation = {
  loan_token_chain: 1,
  loan_token_address: T,
  loan_amount: 1000,
  collateral_tokens: [[1, T]],
  collateral_token_allocation: [1],
  on_platform: false,
}
const swap = { source_token: T, source_chain: 1, destination_token: T, destination_chain: 1 }

type Tier = "public" | "key" | "curator" | "admin"
const excess = `subaccountAddress=${S}&tokenAddress=${T}&tokenChain=1`
const rows: ReadonlyArray<readonly [Tier, string, unknown?]> = [
  ["public", `/platform/unrealized_pnl?vault=${V}`],
  ["public", `/platform/unrealized_pnl?vault=${V}&fields=ratio`],
  ["public", `/platform/positions/${V}?chainId=${C}`],
  ["public", `/platform/fees/${V}?chainId=${C}`],
  ["public", `/platform/governance/${V}/audit_log?chainId=${C}`],
  ["public", `/platform/governance/${V}/permissions?chainId=${C}`],
  ["public", `/platform/governance/${V}/roles?chainId=${C}`],
  ["public", `/platform/governance/${V}/timelocks?chainId=${C}`],
  ["public", `/platform/historical_allocations/${V}?chainId=${C}`],
  ["public", `/platform/oracle_classification/${V}?chainId=${C}`],
  ["public", `/platform/historical_apy/chart?vault=${V}`],
  ["public", `/revert_reason?transactionHash=0x12&chain=1`],
  ["public", `/tokenized_vault`],
  ["public", `/tokenized_vault/${V}`],
  ["public", `/tokenized_vault/vault_summary/${V}`],
  ["public", `/tokenized_vault/annualized_apy/${V}`],
  ["public", `/withdrawals/${C}/${V}`],
  ["key", `/subaccounts`],
  ["key", `/subaccounts/summary?address=${S}`],
  ["key", `/subaccounts/health_factor?address=${S}`],
  ["key", `/subaccounts/${S}/swaps`, { ...swap, source_amount: 5 }],
  ["admin", `/subaccount`],
  ["key", `/subaccount/${S}/debank`],
  ["admin", `/subaccount/loans/${loan.loanAddress}?chainId=${loan.chainId}`],
  ["key", `/transactions/v2?subaccountAddress=${S}`],
  ["key", `/subaccount/${S}/cefi_positions`],
  ["key", `/subaccount/${S}/loans`],
  ["key", `/subaccount/${S}/otc_positions`],
  ["key", `/auth/verify`],
  ["admin", `/risk/collateral_excess_or_deficit?${excess}`],
  ["admin", `/risk/collateral_simulation`, simulation],
  ["key", `/risk/discount_factors`],
  ["admin", `/dashboard/loans`],
  ["admin", `/otc/position`],
  ["admin", `/otc/margin_requirement`],
  ["curator", `/curator/vaults/${V}/subaccounts`],
  ["curator", `/curator/vaults/${V}/whitelist`],
  ["key", `/timelock-requests?vaultAddress=${V}&chainId=${C}`],
  ["key", `/metrics/vault_performance_fees?vault=${V}`],
]

const post = (path: string, body: unknown, key?: string) =>
  body === undefined ? bench.get(path, key) : bench.post(path, body, key)

const least = { public: "no-such-key", key: user, curator, admin } as const
/** The keys a tier is too much for, "no-such-key" and no key apart. */
const refused: Readonly<Record<Tier, readonly string[]>> = {
  public: [],
  key: [],
  curator: [user],
  admin: [user, curator],
}

const cases = rows.map(([tier, path, body]) => ({ tier, path, body }))

describe("the rows of §4", () => {
  it("are 39", () => {
    expect(rows).toHaveLength(39)
  })

  it.each(cases)("$tier $path", async ({ tier, path, body }) => {
    const statuses = (keys: ReadonlyArray<string | undefined>) =>
      Promise.all(keys.map(async (key) => (await post(path, body, key)).status))
    const open = tier === "public"
    expect(await statuses([undefined, "no-such-key"])).toEqual(open ? [200, 200] : [401, 401])
    expect(await statuses(refused[tier])).toEqual(refused[tier].map(() => 403))
    expect(await statuses([least[tier], admin])).toEqual([200, 200])
  })
})

describe("ownership", () => {
  it("shows a caller its own subaccounts, an admin all of them", async () => {
    const sizes = await Promise.all(
      [user, curator, admin].map(async (key) => (await bench.get("/subaccounts", key)).json.length),
    )
    expect(sizes).toEqual([10, 20, bench.simulator.truth.subaccounts])
  })

  it("refuses another's subaccount and another's vault", async () => {
    const other = (await bench.get("/subaccount?limit=1&offset=1", admin)).json[0].address
    const paths = [`/subaccounts/summary?address=${other}`, `/subaccount/${other}/debank`]
    const statuses = (key: string) =>
      Promise.all(paths.map(async (path) => (await bench.get(path, key)).status))
    expect(await statuses(user)).toEqual([403, 403])
    expect(await statuses(admin)).toEqual([200, 200])
    const { holed } = vaultsOf(bench)
    expect((await bench.get(`/curator/vaults/${holed.address}/whitelist`, curator)).status).toBe(
      403,
    )
  })

  it("pages the directory, and is empty past its end", async () => {
    const page = (from: number) => bench.get(`/subaccount?limit=15&offset=${from}`, admin)
    const pages = await Promise.all([0, 15, 30, 45].map(page))
    expect(pages.map(({ json }) => json.length)).toEqual([15, 15, 10, 0])
    const all = pages.flatMap(({ json }) => json.map((item: { address: string }) => item.address))
    expect(new Set(all).size).toBe(40)
  })
})
