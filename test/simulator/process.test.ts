// The simulator as a process of its own: its greeting, its control plane, its memory, its end.
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Json } from "./support.ts"
import { inTurn } from "./support.ts"
import { optionsFromFlags, simulatorFlags } from "../../simulator/flags.ts"

const main = new URL("../../simulator/main.ts", import.meta.url).pathname

const launch = async (...flags: readonly string[]) => {
  const child = spawn(process.execPath, [main, "--port", "0", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let said = ""
  for await (const chunk of child.stdout) {
    said += chunk
    if (said.includes("/_simulator/requests")) break
  }
  const url = /Base URL: (\S+)/.exec(said)![1]!
  return { child, said, url }
}

const rssMb = (child: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))![1]) / 1024

const json = async (url: string, init?: RequestInit): Promise<Json> =>
  (await fetch(url, init)).json()

describe("node simulator/main.ts", () => {
  it("greets with curl lines that work, takes orders over HTTP, ends on SIGTERM", async () => {
    const { child, said, url } = await launch("--vaults", "2", "--days", "30", "--seed", "7")
    const lines = [...said.matchAll(/curl '([^']+)'/g)].map((match) => match[1]!)
    expect(lines).toHaveLength(3)
    const statuses = await Promise.all(lines.map(async (line) => (await fetch(line)).status))
    expect(statuses).toEqual([200, 200, 200])
    const patch = (body: object) =>
      fetch(`${url}/_simulator/options`, { method: "PATCH", body: JSON.stringify(body) })
    expect((await patch({ faults: [{ kind: "status", status: 503 }] })).status).toBe(200)
    expect((await fetch(lines[0]!, { headers: { "x-api-key": "secret" } })).status).toBe(503)
    expect((await patch({ nonsense: 1 })).status).toBe(400)
    const report = await json(`${url}/_simulator/requests`)
    expect(report.total).toBe(4)
    expect(report.counts["GET /tokenized_vault 503"]).toBe(1)
    expect(report.last.at(-1)).toMatchObject({ hasApiKey: true, status: 503, fault: "status" })
    expect(JSON.stringify(report)).not.toContain("secret")
    child.kill("SIGTERM")
    expect(await once(child, "exit")).toEqual([0, null])
  })

  it.skipIf(!existsSync("/proc/self/status"))(
    "serves 200 vaults of three years in under 200 MB",
    async () => {
      const { child, url } = await launch("--vaults", "200", "--days", "1096")
      const vaults: Array<{ address: string }> = await json(`${url}/tokenized_vault`)
      const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
      const paths = vaults.flatMap(({ address }, index) => {
        const from = Date.now() - (40 + ((index * 37) % 1000)) * 86_400_000
        const days = `startDate=${day(from)}&endDate=${day(from + 40 * 86_400_000)}`
        return [
          `/platform/unrealized_pnl?vault=${address}&fields=ratio&${days}`,
          `/platform/unrealized_pnl?vault=${address}`,
          `/platform/historical_apy/chart?vault=${address}&daysAgo=-1`,
        ]
      })
      const lane = (from: number) =>
        inTurn(
          paths.filter((_, index) => index % 8 === from),
          async (path) => {
            await (await fetch(url + path)).arrayBuffer()
            return rssMb(child)
          },
        )
      const lanes = await Promise.all(Array.from({ length: 8 }, (_, from) => lane(from)))
      const worst = Math.max(...lanes.flat())
      child.kill("SIGTERM")
      await once(child, "exit")
      expect(vaults).toHaveLength(200)
      expect(worst).toBeLessThan(200)
    },
  )
})

describe("flags", () => {
  it("become options", () => {
    expect(optionsFromFlags({ vaults: "12", "pnl-every-hours": 6, "added-fields": true })).toEqual({
      vaults: 12,
      pnlEveryHours: 6,
      addedFields: true,
    })
    expect(optionsFromFlags({ "rate-limit": "5", burst: "2" }).rateLimit).toEqual({
      requestsPerSecond: 5,
      burst: 2,
      retryAfter: "seconds",
    })
    expect(optionsFromFlags({ options: '{"faults":[{"kind":"drop"}]}' }).faults).toHaveLength(1)
    expect(() => optionsFromFlags({ vaults: "many" })).toThrow("--vaults")
    expect(() => optionsFromFlags({ "wire-case": "kebab" })).toThrow("--wire-case")
    expect(new Set(simulatorFlags.map((flag) => flag.name)).size).toBe(simulatorFlags.length)
  })
})
