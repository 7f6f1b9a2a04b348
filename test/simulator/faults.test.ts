// Misbehaviour on request: each kind of fault, the rules that choose requests, the rate limit.
import { describe, expect, it } from "vitest"
import type { Fault } from "../../simulator/index.ts"
import { TokenBucket } from "../../simulator/serve/rate-limit.ts"
import { until } from "../support/until.ts"
import type { Bench } from "./support.ts"
import { closeSimulators, inTurn, start, vaultsOf } from "./support.ts"

closeSimulators()

const bench = await start()
const { full } = vaultsOf(bench)
const path = `/platform/positions/${full.address}?chainId=1`
const ratioPath = `/platform/unrealized_pnl?vault=${full.address}&fields=ratio&limit=50`

const withFaults = async (...faults: readonly Fault[]): Promise<Bench> => {
  bench.simulator.patch({ faults })
  return bench
}

/** Of a request; undefined where it has a complete response. */
const failure = async (url: string, signal?: AbortSignal): Promise<unknown> => {
  try {
    const response = await fetch(url, signal === undefined ? {} : { signal })
    await response.text()
    return undefined
  } catch (error) {
    return error
  }
}

describe("error responses", () => {
  it.each([424, 500, 502, 503])("%i with a detail", async (status) => {
    const { get } = await withFaults({ kind: "status", status, count: 1 })
    expect(await get(path)).toMatchObject({ status, json: { detail: expect.any(String) } })
    expect((await get(path)).status).toBe(200)
  })

  it("an HTML page", async () => {
    const { get } = await withFaults({ kind: "status", status: 502, html: true })
    const { headers, json } = await get(path)
    expect(headers.get("content-type")).toContain("text/html")
    expect(json).toContain("<h1>502")
  })

  it("429 with and without Retry-After", async () => {
    const { get } = await withFaults(
      { kind: "rate-limit", retryAfter: "seconds", retryAfterSeconds: 7, count: 1 },
      { kind: "rate-limit", retryAfter: "date", retryAfterSeconds: 7, count: 1 },
      { kind: "rate-limit", retryAfter: "none", count: 1 },
    )
    const before = Date.now()
    const answers = [await get(path), await get(path), await get(path)]
    const after = Date.now()
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429])
    const [seconds, date, none] = answers.map(({ headers }) => headers.get("retry-after"))
    expect(seconds).toBe("7")
    // In whole seconds, rounded up.
    expect(Date.parse(date!)).toBeGreaterThanOrEqual(before + 7000)
    expect(Date.parse(date!)).toBeLessThan(after + 8000)
    expect(none).toBeNull()
  })

  it("a redirect to another origin", async () => {
    const { get, simulator } = await withFaults({ kind: "redirect" })
    const { status, headers } = await get(path)
    expect(status).toBe(307)
    expect(new URL(headers.get("location")!).origin).not.toBe(simulator.url)
  })
})

describe("transport faults", () => {
  it("a slow response", async () => {
    const { get } = await withFaults({ kind: "slow", delayMs: 80 })
    const at = performance.now()
    expect((await get(path)).status).toBe(200)
    expect(performance.now() - at).toBeGreaterThan(75)
  })

  it.each(["cut-body", "drop"] as const)("%s", async (kind) => {
    const { simulator } = await withFaults({ kind })
    expect(await failure(simulator.url + path)).toBeInstanceOf(TypeError)
  })

  it.each(["stall-body", "stall-headers"] as const)("%s, until the client leaves", async (kind) => {
    const { simulator } = await withFaults({ kind })
    const leaves = new AbortController()
    let isOver = false
    const failed = failure(`${simulator.url}${path}&kind=${kind}`, leaves.signal)
    void failed.then(() => (isOver = true))
    await until("it is requested", () => simulator.requests().last.at(-1)?.url.includes(kind))
    // Longer than every response that does not stall.
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(isOver).toBe(false)
    leaves.abort()
    expect(await failed).toMatchObject({ name: "AbortError" })
  })

  it("a stall that ends", async () => {
    const { get } = await withFaults(
      { kind: "stall-body", delayMs: 40, count: 1 },
      { kind: "stall-headers", delayMs: 40, count: 1 },
    )
    const whole = (await start()).get(path)
    expect((await get(path)).json).toEqual((await whole).json)
    expect((await get(path)).json).toEqual((await whole).json)
  })
})

describe("bodies that break the contract", () => {
  it("invalid JSON with 200", async () => {
    const { get } = await withFaults({ kind: "invalid-json" })
    expect(await get(path)).toMatchObject({ status: 200, json: expect.any(String) })
  })

  it.each(["missing", "wrong-type"] as const)(
    "one documented field %s in one record",
    async (mode) => {
      const good = (await (await withFaults()).get(ratioPath)).json
      const { get } = await withFaults({ kind: "contract-break", mode })
      const bad = (await get(ratioPath)).json
      const changed = bad.filter(
        (record: object, index: number) => JSON.stringify(record) !== JSON.stringify(good[index]),
      )
      expect(bad).toHaveLength(50)
      expect(changed).toHaveLength(1)
    },
  )

  it("an empty list where there is history", async () => {
    const { get } = await withFaults({ kind: "empty" })
    expect((await get(ratioPath)).json).toEqual([])
    expect((await get(`/platform/historical_apy/chart?vault=${full.address}`)).json).toEqual({
      labels: [],
      values: [],
    })
  })
})

describe("fault rules", () => {
  const statuses = ({ get }: Bench, paths: readonly string[]) =>
    inTurn(paths, async (at) => (await get(at)).status)

  it("hit a path, a text, the first requests of each URL", async () => {
    const fault = { kind: "status", status: 503 } as const
    const by = await withFaults({ ...fault, pathPrefix: "/platform/fees" })
    const fees = path.replace("positions", "fees")
    expect(await statuses(by, [path, fees])).toEqual([200, 503])
    await withFaults({ ...fault, match: "fields=ratio" })
    expect(await statuses(by, [path, ratioPath])).toEqual([200, 503])
    await withFaults({ ...fault, first: 2 })
    expect(await statuses(by, [path, path, path, fees])).toEqual([503, 503, 200, 503])
  })

  it("draw a share alike in every run, however requests interleave", async () => {
    const fault = { kind: "status", status: 503, share: 0.3 } as const
    const paths = Array.from({ length: 200 }, (_, index) => `${ratioPath}&n=${index % 50}`)
    const one = await statuses(await withFaults(fault), paths)
    const other = await statuses(await start({ faults: [fault] }), paths)
    expect(other).toEqual(one)
    const share = one.filter((status) => status === 503).length / 200
    expect(share).toBeGreaterThan(0.2)
    expect(share).toBeLessThan(0.4)
  })
})

describe("the rate limit", () => {
  it("limits the transparency rows only", async () => {
    // None is refilled while this runs.
    const rateLimit = { requestsPerSecond: 1e-3, burst: 3, retryAfter: "seconds" } as const
    const { get } = await start({ rateLimit })
    const statuses = [await get(path), await get(path), await get(path), await get(path)]
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(Number(statuses[3]!.headers.get("retry-after"))).toBeGreaterThan(600)
    expect((await get("/tokenized_vault")).status).toBe(200)
  })

  it("refills", () => {
    let now = 0
    const bucket = new TokenBucket(
      { requestsPerSecond: 20, burst: 3, retryAfter: "seconds" },
      () => now,
    )
    const taken = () => {
      const { allowed, headers } = bucket.take()
      return allowed || headers["retry-after"]
    }
    expect([taken(), taken(), taken(), taken()]).toEqual([true, true, true, "1"])
    now = 49
    expect(taken()).toBe("1")
    now = 50
    expect([taken(), taken()]).toEqual([true, "1"])
    now = 10_000
    expect([taken(), taken(), taken(), taken()]).toEqual([true, true, true, "1"])
  })

  it("can speak through headers alone", async () => {
    const rateLimit = { requestsPerSecond: 1e-3, burst: 2, retryAfter: "headers" } as const
    const { get } = await start({ rateLimit })
    const answers = [await get(path), await get(path), await get(path)]
    const remaining = answers.map(({ headers }) => headers.get("x-ratelimit-remaining"))
    expect(remaining).toEqual(["1", "0", "0"])
    expect(answers[2]).toMatchObject({ status: 429 })
    expect(answers[2]!.headers.get("retry-after")).toBeNull()
    const reset = Number(answers[2]!.headers.get("x-ratelimit-reset"))
    expect(reset * 1000).toBeGreaterThan(Date.now())
  })
})
