// The error statuses of §7, and what is refused as invalid.
import { describe, expect, it } from "vitest"
import { admin, closeSimulators, start, user, vaultsOf } from "./support.ts"

closeSimulators()

const bench = await start()
const { full, empty, plain, solana, stellar } = vaultsOf(bench)
const unknown = `0x${"9".repeat(40)}`
const sub = (await bench.get("/subaccount?limit=1", admin)).json[0].address
const token = (await bench.get("/risk/discount_factors", user)).json[0].address
const excess = `/risk/collateral_excess_or_deficit?subaccountAddress=${sub}&tokenChain=1`
const fees = `/metrics/vault_performance_fees?vault=${full.address}`
const requests = `/timelock-requests?vaultAddress=${full.address}`

const cases: ReadonlyArray<readonly [number, string]> = [
  [404, "/no/such/path"],
  [404, `/platform/unrealized_pnl?vault=${unknown}`],
  [422, `/platform/unrealized_pnl`],
  [422, `/platform/unrealized_pnl?vault=0x12`],
  [422, `/platform/unrealized_pnl?vault=${full.address}&fields=ratio&startDate=2026-02-30`],
  [404, `/platform/fees/${unknown}?chainId=1`],
  [404, `/platform/fees/${full.address}?chainId=10`],
  [422, `/platform/fees/${full.address}`],
  [422, `/platform/fees/${full.address}?chainId=one`],
  [422, `/platform/fees/${solana.address}?chainId=${solana.chainId}`],
  [422, `/platform/positions/${stellar.address}?chainId=${stellar.chainId}`],
  [200, `/platform/oracle_classification/${solana.address}?chainId=${solana.chainId}`],
  [200, `/platform/oracle_classification/${stellar.address}?chainId=${stellar.chainId}`],
  [404, `/platform/oracle_classification/${empty.address}?chainId=${empty.chainId}`],
  [422, "/revert_reason?chain=1&transactionHash="],
  [501, "/revert_reason?chain=8453&transactionHash=0x1"],
  [422, "/tokenized_vault?status=open"],
  [404, `/tokenized_vault/${unknown}`],
  [400, `/tokenized_vault/annualized_apy/${solana.address}`],
  [400, `/tokenized_vault/annualized_apy/${plain.address}`],
  [404, `/withdrawals/10/${full.address}`],
  [200, `/withdrawals/ethereum/${full.address}`],
  [422, "/subaccount?limit=0"],
  [422, "/subaccount?limit=1001"],
  [422, "/subaccount?offset=-1"],
  [422, "/subaccounts/summary"],
  [404, `/subaccounts/summary?address=${unknown}`],
  [404, `/subaccount/loans/${unknown}?chainId=1`],
  [404, `${excess}&tokenAddress=${unknown}`],
  [422, `${excess}&tokenAddress=${token}&targetHealthFactor=0`],
  [422, "/otc/margin_requirement?otcCounterpartyId=12"],
  [400, `/curator/vaults/${solana.address}/whitelist`],
  [200, `/curator/vaults/${solana.address}/subaccounts`],
  [422, `${requests}&chainId=0`],
  [400, `${requests}&chainId=1&status=done`],
  [200, `/timelock-requests?vaultAddress=${unknown}&chainId=1`],
  [422, `${fees}&startDate=2026-01-01T00:00:00Z`],
  [400, `${fees}&startDate=2026-01-01T00:00:00Z&endDate=2026-01-01T01:00:00Z`],
  [200, `${fees}&startDate=2026-01-01T00:00:00Z&endDate=2026-02-01T00:00:00Z`],
  [422, `/transactions/v2?subaccountAddress=${sub}&startTime=then`],
]

describe("statuses", () => {
  it.each(cases)("%i %s", async (status, path) => {
    const answer = await bench.get(path, admin)
    expect(answer.status).toBe(status)
    expect(answer.json.detail !== undefined).toBe(status >= 400)
  })

  it("refuses bad bodies", async () => {
    const good = {
      loan_token_chain: 1,
      loan_token_address: token,
      loan_amount: 1000,
      collateral_tokens: [[1, token]],
      collateral_token_allocation: [1],
      on_platform: false,
    }
    const simulate = async (change: object) =>
      (await bench.post("/risk/collateral_simulation", { ...good, ...change }, admin)).status
    expect(await simulate({})).toBe(200)
    expect(await simulate({ loan_amount: -1 })).toBe(422)
    expect(await simulate({ collateral_tokens: [] })).toBe(422)
    expect(await simulate({ collateral_token_allocation: [0.5, 0.5] })).toBe(422)
    expect(await simulate({ on_platform: true })).toBe(422)
    expect(await simulate({ collateral_tokens: [[1, unknown]] })).toBe(400)
    const swap = { source_token: token, source_chain: 1, destination_token: token }
    const swaps = `/subaccounts/${sub}/swaps`
    expect((await bench.post(swaps, { ...swap, destination_chain: 1 }, user)).status).toBe(422)
    expect((await bench.post(swaps, { ...swap, source_amount: 1 }, user)).status).toBe(422)
  })

  it("filters transactions by an inclusive range, newest first", async () => {
    const range = "&startTime=2026-01-01T00:00:00Z&endTime=2026-02-01T00:00:00Z"
    const all = (await bench.get(`/transactions/v2?subaccountAddress=${sub}`, user)).json
    const some = (await bench.get(`/transactions/v2?subaccountAddress=${sub}${range}`, user)).json
    const stamps = some.map((at: { timestamp: string }) => at.timestamp)
    expect(stamps).toEqual(stamps.toSorted().toReversed())
    expect(some.length).toBeGreaterThan(30)
    expect(all.length).toBeGreaterThan(some.length)
    const exact = `&startTime=${stamps[3]}&endTime=${stamps[1]}`
    const few = (await bench.get(`/transactions/v2?subaccountAddress=${sub}${exact}`, user)).json
    expect(few).toEqual(some.slice(1, 4))
  })
})
