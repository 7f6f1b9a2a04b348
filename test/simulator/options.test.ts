// What the options change: names, forms, shapes, addresses, paths; and the seed's determinism.
import { describe, expect, it } from "vitest"
import { kindOf } from "../../simulator/values/addresses.ts"
import type { Bench, Json } from "./support.ts"
import { admin, closeSimulators, start, user, vaultsOf } from "./support.ts"

closeSimulators()

const bench = await start()
const { full } = vaultsOf(bench)
const V = full.address
const ratioPath = `/platform/unrealized_pnl?vault=${V}&fields=ratio&limit=1`

describe("the seed", () => {
  it("determines every response", async () => {
    const same = await start()
    const other = await start({ seed: 2 })
    const paths = ["/tokenized_vault", ratioPath, `/platform/historical_apy/chart?vault=${V}`]
    const answers = (of: Bench) => Promise.all(paths.map(async (path) => (await of.get(path)).json))
    expect(await answers(same)).toEqual(await answers(bench))
    expect(same.simulator.truth).toEqual(bench.simulator.truth)
    expect(vaultsOf(other).full.address).not.toBe(V)
  })
})

describe("addresses", () => {
  it("are of three kinds, EVM ones in any letter case", async () => {
    const kinds = bench.simulator.truth.vaults.map((vault) => kindOf(vault.address))
    expect(new Set(kinds)).toEqual(new Set(["evm", "solana", "stellar"]))
    const upper = await start({ addressCase: "upper" })
    const sent = vaultsOf(upper).full.address
    expect(sent).toBe(`0x${V.slice(2).toUpperCase()}`)
    expect((await upper.get(`/tokenized_vault/${V}`)).json.address).toBe(sent)
    const mixed = vaultsOf(await start({ addressCase: "mixed" })).full.address
    expect(mixed).toMatch(/[a-f].*[A-F]|[A-F].*[a-f]/)
  })

  it("are checked", () => {
    // The USDC issuer and the wrapped-SOL mint: well known, so not of our own making.
    const stellar = "GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"
    expect(kindOf(stellar)).toBe("stellar")
    expect(kindOf(stellar.replace("KZVN", "KZVM"))).toBeUndefined()
    expect(kindOf("So11111111111111111111111111111111111111112")).toBe("solana")
    expect(kindOf("So1111111111111111111111111111111111111111")).toBeUndefined()
  })
})

describe("names and forms", () => {
  it("puts other names on the wire", async () => {
    const snake = await start({ wireCase: "snake", wireNames: { vault: "vault_id" } })
    const from = "start_date=2025-06-01&end_date=2025-06-01"
    const path = `/platform/unrealized_pnl?vault_id=${V}&fields=ratio&${from}`
    expect((await snake.get(path)).json).toHaveLength(24)
    const old = await snake.get(path.replace("vault_id", "vault"))
    expect(old.status).toBe(422)
    expect(old.json.detail[0].loc).toEqual(["query", "vault_id"])
  })

  it.each([
    ["iso", "2026-03-01T10:00:00Z"],
    ["iso-offset", "2026-03-01T10:00:00+00:00"],
    ["naive", "2026-03-01T10:00:00"],
    ["epoch-seconds", 1772359200],
    ["epoch-millis", 1772359200000],
  ] as const)("writes times as %s", async (timeFormat, expected) => {
    const { get } = await start({ timeFormat, timeField: "snapshotTime", pnlTimeField: "at" })
    expect((await get(ratioPath)).json[0].snapshotTime).toBe(expected)
    expect((await get(`/platform/unrealized_pnl?vault=${V}&limit=1`)).json[0].at).toBe(expected)
  })

  it("sends other shapes", async () => {
    const { get } = await start({
      wrapApyChart: true,
      seriesNames: { apyValues: "series", auditEntries: "events" },
      vaultNames: { address: "vault_address", chain: "chain_id" },
      addedFields: true,
      bigIntegers: true,
    })
    const chart = (await get(`/platform/historical_apy/chart?vault=${V}`)).json
    expect(chart.data.series).toHaveLength(30)
    const log = await get(`/platform/governance/${V}/audit_log?chainId=1`)
    expect(log.json.events[0]).toHaveProperty("added_field")
    const [vault] = (await get("/tokenized_vault")).json
    expect(vault).toMatchObject({
      vault_address: V,
      chain_id: 1,
      feeStructure: { added_field: "later version" },
    })
    const weth = bench.simulator.truth.vaults.at(-1)!
    const raw = await fetch(`${bench.simulator.url}/withdrawals/${weth.chainId}/${weth.address}`)
    expect(((await raw.json()) as Json).totalAssetsRaw).toMatch(/^\d{18,}$/)
    const big = await get(`/withdrawals/${weth.chainId}/${weth.address}`)
    expect(big.json.totalAssetsRaw).toBeGreaterThan(Number.MAX_SAFE_INTEGER)
  })

  it("moves the paths that are not shown, and the platform segment", async () => {
    const { get, simulator } = await start({
      platformSegment: "acme",
      paths: { cefiPositions: "/cefi", verify: "/me" },
    })
    expect((await get(ratioPath)).status).toBe(404)
    expect((await get(ratioPath.replace("platform", "acme"))).status).toBe(200)
    const sub = (await get("/subaccount?limit=1", admin)).json[0].address
    expect((await get(`/cefi?address=${sub}`, user)).status).toBe(200)
    expect((await get("/auth/verify", user)).status).toBe(404)
    expect((await get("/me", user)).json).toEqual({ valid: true, role: "user" })
    simulator.patch({ platformSegment: "newer" })
    expect((await get(ratioPath.replace("platform", "acme"))).status).toBe(404)
  })

  it("refuses an option it does not have", async () => {
    expect(() => bench.simulator.patch({ colour: "red" } as object)).toThrow(
      "there is no option colour",
    )
    expect(() => bench.simulator.patch({ now: "soon" })).toThrow("not an ISO instant")
  })
})
