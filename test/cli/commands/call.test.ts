// One question to one endpoint, from what was typed to what is printed.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Simulator, startSimulator } from "../../../simulator/index.ts"
import { endpoints } from "../../../src/extract/endpoints/index.ts"
import { vaulthouse } from "../command.ts"

const key = "sk-live-14142135623730"
let cwd = ""
let simulator: Simulator
let vault = ""
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-call-"))
  simulator = await startSimulator({
    days: 30,
    vaults: 8,
    now: "2026-06-01T12:00:00Z",
    bigIntegers: true,
    keys: { [key]: "user" },
  })
  vault = simulator.truth.vaults.find(({ kind }) => kind === "evm")!.address
})
afterEach(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const call = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  vaulthouse(["call", ...args], { cwd, env: { VAULTHOUSE_BASE_URL: simulator.url, ...env } })

const bodyOf = async (path: string): Promise<string> => (await fetch(simulator.url + path)).text()

describe("call", () => {
  it("prints the decoded answer as JSON, and touches no file", async () => {
    const ended = await call([
      "unrealized_pnl_ratio",
      ...`--param vault=${vault} --param limit=3`.split(" "),
      ...`--param startDate=2026-05-01 --param endDate=2026-05-31`.split(" "),
    ])
    expect(ended.code).toBe(0)
    const url = simulator.requests().last[0]?.url
    expect(url).toContain("startDate=2026-05-01")
    expect(url).toContain("fields=ratio")
    const points = JSON.parse(ended.stdout) as ReadonlyArray<unknown>
    expect(points).toHaveLength(3)
    expect(points).toEqual(JSON.parse(await bodyOf(new URL(url!).pathname + new URL(url!).search)))
    expect(readdirSync(cwd)).toEqual([])
  })

  it("loses no digit, and --raw no byte", async () => {
    // One whose token has 18 decimals.
    const list = JSON.parse(await bodyOf("/tokenized_vault")) as ReadonlyArray<{
      address: string
      chainId: number
    }>
    const digitsOf = (text: string) => text.match(/\b\d{19,}\b/g) ?? []
    const bodies = await Promise.all(
      list.map(({ address, chainId }) => bodyOf(`/withdrawals/${chainId}/${address}`)),
    )
    const at = bodies.findIndex((body) => digitsOf(body).length > 0)
    const address = `--param vault_address=${list[at]?.address} --param chain=${list[at]?.chainId}`
    const raw = await call(["withdrawals", ...address.split(" "), "--raw"])
    expect(raw.stdout).toBe(bodies[at])
    const decoded = await call(["withdrawals", ...address.split(" ")])
    expect(digitsOf(decoded.stdout)).toEqual(digitsOf(raw.stdout))
    expect(digitsOf(raw.stdout).length).toBeGreaterThan(0)
  })

  it("--raw prints what the service says when it refuses", async () => {
    const unknown = "0x00000000000000000000000000000000000000aa"
    const ended = await call(["tokenized_vault", "--param", `vault_address=${unknown}`, "--raw"])
    expect(ended.code).toBe(1)
    expect(ended.stdout).toBe(await bodyOf(`/tokenized_vault/${unknown}`))
    expect(ended.stderr).toContain("HTTP 404")
  })

  it.each([
    [["unrealized_pn"], 2, "did you mean `unrealized_pnl`?"],
    [["nothing_like_it"], 2, "vaulthouse call --list"],
    [[], 2, "vaulthouse: name an endpoint"],
    [["unrealized_pnl", "--param", "vaul=0x1"], 2, "did you mean `vault`?"],
    [["unrealized_pnl", "--param", "vault"], 2, "name=value"],
    [["unrealized_pnl", "--param", "vault=1", "--param", "vault=2"], 2, "given twice"],
    [["unrealized_pnl"], 2, "vault is missing"],
    [["unrealized_pnl", "--param", "vault=0x1"], 2, "is not an EVM address"],
    [["unrealized_pnl", "--param", "limit=many"], 2, "limit: `many` is not a number"],
    [["unrealized_pnl_ratio", "--param", "startDate=31/01/2026"], 2, "is not a day"],
    [["swap"], 2, "vaulthouse swap"],
    [["cefi_positions", "--param", `address=0x${"1".repeat(40)}`], 2, "paths.cefiPositions"],
  ])("%j: exit code %i, nothing sent", async (args, code, says) => {
    const ended = await call(args)
    expect(ended).toEqual({ code, stdout: "", stderr: expect.stringContaining(says) as string })
    expect(ended.stderr.trim().split("\n").length).toBeLessThanOrEqual(3)
    expect(simulator.requests().total).toBe(0)
  })

  it("distinguishes a missing key from one without access", async () => {
    const missing = await call(["loans"])
    expect(missing).toMatchObject({ code: 1, stdout: "" })
    expect(missing.stderr).toContain("check VAULTHOUSE_API_KEY")
    const lesser = await call(["loans"], { VAULTHOUSE_API_KEY: key })
    expect(lesser).toMatchObject({ code: 1, stdout: "" })
    expect(lesser.stderr).toContain("vaulthouse doctor")
    expect(lesser.stderr).not.toContain(key)
  })

  it("--list has every endpoint with its inputs, and needs no service", async () => {
    const env = { VAULTHOUSE_BASE_URL: "" }
    const text = await call(["--list"], env)
    const { endpoints: listed } = JSON.parse((await call(["--list", "--json"], env)).stdout) as {
      endpoints: ReadonlyArray<{ name: string; inputs: ReadonlyArray<{ name: string }> }>
    }
    expect(text.code).toBe(0)
    expect(listed.map(({ name }) => name)).toEqual(endpoints.map(({ name }) => name))
    for (const { name, parameters } of endpoints) {
      expect(text.stdout).toMatch(new RegExp(`^${name} `, "m"))
      const inputs = listed.find((each) => each.name === name)?.inputs ?? []
      expect(inputs.map((input) => input.name)).toEqual(Object.keys(parameters))
    }
  })

  it("--openapi describes the paths of all endpoints, and needs no service", async () => {
    const { code, stdout } = await call(["--openapi"], { VAULTHOUSE_BASE_URL: "" })
    expect(code).toBe(0)
    expect(stdout).toBe(readFileSync("docs/openapi.json", "utf8"))
  })

  it("--list shows the paths that are configured, and what is left to be", async () => {
    writeFileSync(
      join(cwd, "vaulthouse.config.yaml"),
      "platformSegment: shop\npaths:\n  cefiPositions: /subaccount/{address}/cefi\n",
    )
    const { code, stdout } = await call(["--list"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^fees +GET +\/shop\/fees\//m)
    expect(stdout).toMatch(/ \/subaccount\/\{address\}\/cefi /)
    expect(stdout).not.toContain("/platform/")
    expect(stdout).not.toContain("paths.cefiPositions")
    expect(stdout).toContain("(path not configured: paths.subaccountLoans)")
  })
})
