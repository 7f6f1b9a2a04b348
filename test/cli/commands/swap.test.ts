// The one command that changes something: it sends only with --execute, and never twice.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Fault, type Simulator, startSimulator } from "../../../simulator/index.ts"
import { confirmed } from "../../../src/cli/terminal/prompts.ts"
import { until } from "../../support/until.ts"
import { query } from "../../support/warehouseRun.ts"
import { start, vaulthouse } from "../command.ts"

const key = "sk-live-31415926535897"
const token = "0x4a19a4070465451cf25334292482496813a8a76c"
let cwd = ""
let simulator: Simulator
let address = ""
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "vaulthouse-swap-"))
  simulator = await startSimulator({ days: 5, vaults: 2, slowReadMs: 0, keys: { [key]: "user" } })
  const list = await fetch(`${simulator.url}/subaccounts`, { headers: { "x-api-key": key } })
  address = ((await list.json()) as ReadonlyArray<{ address: string }>)[0]!.address
  simulator.patch({ faults: [] })
})
afterEach(async () => {
  await simulator.close()
  rmSync(cwd, { recursive: true })
})

const swapArguments = (subaccount: string): ReadonlyArray<string> => [
  "swap",
  "--address",
  subaccount,
  ...`--source-token ${token} --source-chain 1 --source-amount 0.5`.split(" "),
  ...`--destination-token ${token} --destination-chain 8453`.split(" "),
]

const typed = (args: ReadonlyArray<string>, url = simulator.url) =>
  vaulthouse([...args, "--base-url", url, "--request-timeout", "1s"], {
    cwd,
    env: { VAULTHOUSE_API_KEY: key },
  })

const swapsSent = (): number =>
  Object.entries(simulator.requests().counts)
    .filter(([name]) => name.startsWith("POST "))
    .reduce((sum, [, count]) => sum + count, 0)

const journal = (sql = "select * from core.swaps order by requested_at") =>
  Effect.runPromise(query(join(cwd, "data"), sql))

/** The command that finds the only swap, also where this machine's clock was ahead of that of the transaction. */
const howToFindOut = ([row]: Awaited<ReturnType<typeof journal>>): string => {
  const aDayBefore = new Date(Date.parse(String(row?.["requested_at"])) - 86_400_000)
  return `vaulthouse call transactions --param subaccountAddress=${address} --param startTime=${aDayBefore.toISOString()}`
}

describe("without --execute", () => {
  it("prints the validated request and sends nothing, not even opens the warehouse", async () => {
    const { code, stdout } = await typed([...swapArguments(address), "--json"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      executed: false,
      request: {
        method: "POST",
        url: `${simulator.url}/subaccounts/${address}/swaps`,
        body: {
          source_token: token,
          source_chain: 1,
          source_amount: 0.5,
          destination_token: token,
          destination_chain: 8453,
        },
      },
    })
    expect(swapsSent()).toBe(0)
    await expect(journal()).rejects.toThrow(/vaulthouse.duckdb/)
  })

  it.each([
    [["--max-slippage", "-1"], "--max-slippage -1 is not a finite number of at least 0"],
    [["--max-slippage", "Infinity"], "is not a number"],
    [["--source-chain", "1.5"], "--source-chain 1.5 is not an integer"],
    [["--source-amount", "0"], "--source-amount 0 is not a finite number above 0"],
    [["--source-amount", "0.1234567890123456789"], "has more digits than a number in JSON keeps"],
    [["--source-token", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046"], "EIP-55"],
    [["--address", "So11111111111111111111111111111111111111112"], "expected an EVM address"],
  ])("refuses %j, with --execute too", async (wrong, says) => {
    const replaced = [...swapArguments(address)]
    const at = replaced.indexOf(wrong[0]!)
    replaced.splice(at < 0 ? replaced.length : at, at < 0 ? 0 : 2, wrong[0]!, wrong[1]!)
    const { code, stderr } = await typed([...replaced, "--execute", "--yes"])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) as string })
    expect(swapsSent()).toBe(0)
  })

  it("names the flag that is missing", async () => {
    expect((await typed(["swap"])).stderr).toContain("a swap needs --address, --source-token, ")
  })

  it("warns when neither amount is named", async () => {
    const without = swapArguments(address).filter((word) => !/amount|^0\.5$/.test(word))
    const { code, stderr } = await typed(without)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("neither an amount to give nor one to get") as string,
    })
  })
})

describe("with --execute", () => {
  it("refuses without a terminal and without --yes", async () => {
    const { code, stderr } = await typed([...swapArguments(address), "--execute"])
    expect(code).toBe(2)
    expect(stderr).toContain("--yes")
    expect(swapsSent()).toBe(0)
  })

  it("sends it once, journals it, and archives the response", async () => {
    const { code, stdout, stderr } = await typed([...swapArguments(address), "--execute", "--yes"])
    expect(code).toBe(0)
    expect(swapsSent()).toBe(1)
    const [row, ...others] = await journal()
    expect(others).toEqual([])
    expect(row).toMatchObject({ state: "confirmed", status: "200", subaccount_address: address })
    expect(stdout).toContain(String(row?.["transaction_hash"]))
    expect(String(row?.["transaction_hash"])).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await journal("select state from core.swaps_versions")).toMatchObject([
      { state: "sent" },
    ])
    expect(
      await journal(
        `select r.endpoint, r.is_landed from raw.responses r join core.swaps s using (response_id)`,
      ),
    ).toMatchObject([{ endpoint: "swap", is_landed: false }])
    expect(await journal("select command, outcome, requests from ops.runs")).toMatchObject([
      { command: "swap", outcome: "complete" },
    ])
    expect(stdout + stderr).not.toContain(key)
  })

  it("journals a transaction hash that the service calls tx_hash", async () => {
    const hash = `0x${"5a".repeat(32)}`
    const server = createServer((request, response) => {
      request.resume().once("end", () => response.end(JSON.stringify({ tx_hash: hash })))
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const { code } = await typed([...swapArguments(address), "--execute", "--yes"], url)
      expect(code).toBe(0)
    } finally {
      await new Promise((closed) => server.close(closed))
    }
    const { stdout } = await typed(["swap", "--list", "--json"])
    expect(JSON.parse(stdout)).toMatchObject({
      swaps: [{ state: "confirmed", transaction_hash: hash }],
    })
    expect(await journal("select extra from core.swaps")).toEqual([{ extra: null }])
  })

  const faults: ReadonlyArray<[string, Fault]> = [
    ["503", { kind: "status", status: 503, detail: `try again, ${key}` }],
    ["500 page", { kind: "status", status: 500, html: true }],
    ["424", { kind: "status", status: 424 }],
    ["dropped connection", { kind: "drop" }],
    ["invalid JSON", { kind: "invalid-json" }],
    ["redirect", { kind: "redirect" }],
  ]
  it.each(faults)("%s: one request, of unknown outcome, with how to find out", async (_, fault) => {
    simulator.patch({ faults: [fault] })
    const { code, stdout, stderr } = await typed([...swapArguments(address), "--execute", "--yes"])
    expect(code).toBe(1)
    expect(simulator.requests().last.filter(({ method }) => method === "POST")).toHaveLength(1)
    expect(stdout).toContain("UNKNOWN whether it was swapped")
    const journaled = await journal()
    expect(stdout).toContain(howToFindOut(journaled))
    expect(journaled).toMatchObject([{ state: "unknown" }])
    expect(stdout + stderr + JSON.stringify(journaled)).not.toContain(key)
  })

  it.each([
    ["rate limit", { kind: "rate-limit", retryAfterSeconds: 0 } as const],
    ["403", { kind: "status", status: 403, detail: `not with ${key}` } as const],
  ])("%s: one request, refused", async (_, fault) => {
    simulator.patch({ faults: [fault] })
    const { code, stdout, stderr } = await typed([...swapArguments(address), "--execute", "--yes"])
    expect(code).toBe(1)
    expect(simulator.requests().last.filter(({ method }) => method === "POST")).toHaveLength(1)
    expect(stdout).toContain("The service refused")
    const journaled = await journal()
    expect(journaled).toMatchObject([{ state: "refused" }])
    expect(stdout + stderr + JSON.stringify(journaled)).not.toContain(key)
  })

  it("of a subaccount that no list has: refused, and nothing that a sync would have to read", async () => {
    const stranger = `0x${"5".repeat(40)}`
    expect((await typed([...swapArguments(stranger), "--execute", "--yes"])).code).toBe(1)
    expect(await journal()).toMatchObject([{ state: "refused", subaccount_address: stranger }])
    const sync = ["sync", "vaults", "subaccounts", "--fail-on", "checks", "--fail-on", "partial"]
    const { code, stderr } = await typed(sync)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const { stdout } = await vaulthouse(["status", "--json"], { cwd })
    expect(JSON.parse(stdout)).toMatchObject({ problems: [] })
  })
})

describe("killed between the journal and the response", () => {
  let silent: Server
  let received: Array<ServerResponse> = []
  beforeEach(async () => {
    received = []
    silent = createServer((_request, response) => received.push(response))
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening))
  })
  afterEach(async () => {
    silent.closeAllConnections()
    await new Promise<void>((closed) => silent.close(() => closed()))
  })
  const silentUrl = () => `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const send = () =>
    start([...swapArguments(address), "--execute", "--yes", "--base-url", silentUrl()], {
      cwd,
      env: { VAULTHOUSE_API_KEY: key },
    })
  const untilReceived = () => until("it is received", () => received.length > 0)

  it("leaves a row that --list shows as unknown", async () => {
    const child = send()
    await untilReceived()
    // It was written before the request left.
    child.kill("SIGKILL")
    await new Promise((ended) => child.once("close", ended))
    const { code, stdout, stderr } = await typed(["swap", "--list"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/unknown.*the process ended before a response was recorded/)
    expect(stdout).toContain(howToFindOut(await journal()))
    expect(await journal("select state, completed_at from core.swaps")).toMatchObject([
      { state: "sent", completed_at: null },
    ])
    expect(received).toHaveLength(1)
  })

  it("shows in status, once published", async () => {
    const child = send()
    await untilReceived()
    child.kill("SIGKILL")
    await new Promise((ended) => child.once("close", ended))
    expect((await typed(["sync", "vaults"])).code).toBe(0)
    const screen = await vaulthouse(["status"], { cwd })
    expect(screen.stdout).toMatch(/^Swaps +1 swap of unknown outcome; `vaulthouse swap --list`/m)
    const { code, stdout } = await vaulthouse(["status", "--all"], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain("Swaps of unknown outcome (`vaulthouse swap --list`")
    expect(stdout).toContain(address)
  })

  it("Ctrl-C waits for the response and records it; another command finds the warehouse in use", async () => {
    const child = send()
    await untilReceived()
    child.kill("SIGINT")
    const second = await typed([...swapArguments(address), "--execute", "--yes"])
    expect(second.code).toBe(75)
    expect(swapsSent()).toBe(0)
    received[0]
      ?.writeHead(200, { "content-type": "application/json" })
      .end('{"transactionHash":"0x1"}')
    await new Promise((ended) => child.once("close", ended))
    expect(await journal("select state, transaction_hash from core.swaps")).toMatchObject([
      { state: "confirmed", transaction_hash: "0x1" },
    ])
    expect(received).toHaveLength(1)
  })
})

describe("the confirmation", () => {
  it.each([
    ["swap\n", true],
    ["  swap \n", true],
    ["yes\n", false],
    ["\n", false],
    ["", false],
  ])("typing %j", async (text, answer) => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const asking = confirmed("swap", "Type swap: ", input, output)
    input.end(text)
    expect(await asking).toBe(answer)
    expect(String(output.read())).toContain("Type swap: ")
  })
})

it("the source names no second way to send it", () => {
  const source = readFileSync(
    join(import.meta.dirname, "../../../src/pipelines/service/swap.ts"),
    "utf8",
  )
  expect(source.match(/client\.call\(/g)).toHaveLength(1)
})
