// Revert reasons: each transaction is requested once, and one without a trace is remembered.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { asAdmin, simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

const hash = (digit: string): string => `0x${digit.repeat(64)}`
const pipelines = ["revert_reasons"]

describe("revert_reasons", () => {
  it.live("requests each transaction once, and not again where there is no trace", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 20, vaults: 1 })
      const dataDir = yield* temporaryFolder
      const revertReasons = [
        { chainId: 1, transactionHash: hash("A") },
        { chainId: 1, transactionHash: hash("a") },
        { chainId: 42161, transactionHash: hash("b") },
        { chainId: 8453, transactionHash: hash("c") },
      ]
      const run = (settings = { revertReasons }) =>
        Effect.map(runOnce(simulator.url, dataDir, { pipelines, settings }), ({ summary }) => [
          summary.outcome,
          summary.pipelines.find(({ name }) => name === "revert_reasons")?.requests,
        ])
      expect(yield* run()).toEqual(["complete", 3])
      const rows = yield* query(
        dataDir,
        "select chain_id, transaction_hash, revert_reasons from core.revert_reasons order by all",
      )
      expect(rows.map((row) => [Number(row["chain_id"]), row["transaction_hash"]])).toEqual([
        [1, hash("a")],
        [42161, hash("b")],
      ])
      for (const row of rows) {
        expect(JSON.parse(String(row["revert_reasons"]))).toBeInstanceOf(Array)
      }
      const tasks = yield* query(
        dataDir,
        `select entity, "window", outcome from ops.tasks
         where pipeline = 'revert_reasons' and outcome <> 'loaded' order by all`,
      )
      expect(tasks).toEqual([
        { entity: `${hash("c")}@8453`, window: "snapshot", outcome: "unsupported" },
      ])
      expect(yield* run()).toEqual(["complete", 0])
      const more = [...revertReasons, { chainId: 1, transactionHash: hash("d") }]
      expect(yield* run({ revertReasons: more })).toEqual(["complete", 1])
    }),
  )

  it.live("finds the failed transactions, of selected vaults only where some are selected", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({
        now: "2026-06-01T12:00:00Z",
        days: 45,
        vaults: 2,
        subaccounts: 8,
      })
      const api = asAdmin
      const failed =
        "select distinct chain_id, transaction_hash from core.transactions where is_failed"
      const explained = "select chain_id, transaction_hash from core.revert_reasons"
      const dataDir = yield* temporaryFolder
      const first = yield* runOnce(simulator.url, dataDir, { pipelines, api })
      expect(first.summary.outcome).toBe("complete")
      const all = yield* query(dataDir, `${failed} order by all`)
      expect(all.length).toBeGreaterThan(1)
      expect(yield* query(dataDir, `${explained} order by all`)).toEqual(all)
      const again = yield* runOnce(simulator.url, dataDir, { pipelines, api })
      const found = again.summary.pipelines.find(({ name }) => name === "revert_reasons")
      expect(found?.requests).toBe(0)

      const ofOne = yield* temporaryFolder
      const include = [simulator.truth.vaults[0]?.address ?? ""]
      const named = [...pipelines, "vault_subaccounts"]
      // Once to know whose subaccounts are whose, once with the selection.
      yield* runOnce(simulator.url, ofOne, { pipelines: ["transactions", ...named.slice(1)], api })
      const vaults = { include, exclude: [] }
      yield* runOnce(simulator.url, ofOne, { pipelines: named, api, vaults })
      const own = yield* query(
        ofOne,
        `${failed} and subaccount_address in (select subaccount_address
           from core.vault_subaccounts where vault_address = '${include[0]?.toLowerCase()}')
         order by all`,
      )
      expect(own.length).toBeGreaterThan(0)
      expect(own.length).toBeLessThan(all.length)
      expect(yield* query(ofOne, `${explained} order by all`)).toEqual(own)
    }),
  )

  const requested = (chainId: number, ...digits: ReadonlyArray<string>) =>
    digits.map((digit) => ({ chainId, transactionHash: hash(digit) }))

  /** For chain 10 `answer` decides, by the transaction and the number of its requests; any other chain is traced. */
  const serverOf = (
    answer: (digit: string, times: number) => readonly [status: number, detail: string] | undefined,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    Effect.gen(function* () {
      const times = new Map<string, number>()
      const server = yield* scriptedServer(({ url }, response) => {
        if (!url.startsWith("/revert_reason")) return json(response, [])
        const inputs = new URL(url, "http://x").searchParams
        const digit = inputs.get("transactionHash")?.at(-1) ?? ""
        times.set(digit, (times.get(digit) ?? 0) + 1)
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        const refusal =
          inputs.get("chain") === "10" ? answer(digit, times.get(digit) ?? 0) : undefined
        if (refusal === undefined) json(response, { revert_reasons: [] })
        else json(response, { detail: refusal[1] }, refusal[0])
      })
      const dataDir = yield* temporaryFolder
      return {
        dataDir,
        /** Requests sent so far, by the last digit of their transaction. */
        requests: () => Object.fromEntries(times),
        traced: () =>
          Effect.map(
            query(dataDir, "select transaction_hash from core.revert_reasons order by 1"),
            (rows) => rows.map((row) => String(row["transaction_hash"]).at(-1)).join(""),
          ),
        run: (revertReasons: ReturnType<typeof requested>, unsupportedRetryDays = 7) =>
          Effect.map(
            runOnce(server.url, dataDir, {
              pipelines,
              settings: { revertReasons },
              unsupportedRetryDays,
              api: { retryBudgetSeconds: 5 },
            }),
            ({ summary }) => summary.outcome,
          ),
      }
    })

  it.live.each([{}, { "x-ratelimit-reset": "3600" }])(
    "remembers each transaction of a chain without tracing, with the headers %j",
    (headers) =>
      Effect.gen(function* () {
        const detail = "the RPC does not support debug tracing"
        const { run, requests, dataDir } = yield* serverOf(() => [500, detail], headers)
        const all = [...requested(10, "a", "b"), ...requested(1, "e")]
        expect(yield* run(all)).toBe("complete")
        const before = requests()
        expect(Object.keys(before).toSorted((a, b) => a.localeCompare(b))).toEqual(["a", "b", "e"])
        const absences = yield* query(
          dataDir,
          `select entity, error_text from ops.tasks
           where pipeline = 'revert_reasons' and outcome = 'unsupported' order by entity`,
        )
        expect(absences).toEqual(
          ["a", "b"].map((digit) => ({
            entity: `${hash(digit)}@10`,
            error_text: expect.stringContaining(detail) as unknown,
          })),
        )
        yield* run([...all, ...requested(1, "8")])
        expect(requests()).toEqual({ ...before, 8: 1 })
      }),
  )

  it.live("a refusal that passes is none: every transaction is traced", () =>
    Effect.gen(function* () {
      const { run, requests, traced } = yield* serverOf((digit, times) =>
        times === 1 && digit !== "c"
          ? [digit === "a" ? 502 : 500, "Temporary upstream failure"]
          : undefined,
      )
      expect(yield* run(requested(10, "a", "b", "c", "d"))).toBe("complete")
      expect(yield* traced()).toBe("abcd")
      expect(requests()).toEqual({ a: 2, b: 2, c: 1, d: 2 })
    }),
  )

  it.live("one that is refused for good keeps no other from being requested", () =>
    Effect.gen(function* () {
      const { run, requests, traced } = yield* serverOf((digit) =>
        digit === "a" ? [500, `transaction ${hash("a")} not found`] : undefined,
      )
      expect(yield* run(requested(10, "a"))).toBe("complete")
      expect(yield* run(requested(10, "a", "b", "c"))).toBe("complete")
      expect(yield* traced()).toBe("bc")
      expect(requests()).toEqual({ a: 3, b: 1, c: 1 })
      // It is remembered.
      expect(yield* run(requested(10, "a", "b", "c"))).toBe("complete")
      expect(requests()).toEqual({ a: 3, b: 1, c: 1 })
    }),
  )

  it.live("one that fails is requested again by the next run", () =>
    Effect.gen(function* () {
      let isUp = false
      const { run, traced } = yield* serverOf(() =>
        isUp ? undefined : [503, "Service Unavailable"],
      )
      const all = requested(10, "a", "b", "c")
      yield* run([...all, ...requested(1, "e")])
      expect(yield* traced()).toBe("e")
      isUp = true
      expect(yield* run(all)).toBe("complete")
      expect(yield* traced()).toBe("abce")
    }),
  )

  it.live("one transaction without a trace leaves the others of its chain standing", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(({ url }, response) => {
        if (!url.startsWith("/revert_reason")) json(response, [])
        else if (url.includes(hash("b"))) json(response, { detail: "trace pruned" }, 500)
        else json(response, { revert_reasons: [] })
      })
      const dataDir = yield* temporaryFolder
      const run = (revertReasons: ReturnType<typeof requested>) =>
        runOnce(server.url, dataDir, { pipelines, settings: { revertReasons } })
      yield* run(requested(1, "a"))
      yield* run(requested(1, "a", "b", "c"))
      expect(
        yield* query(dataDir, "select transaction_hash from core.revert_reasons order by 1"),
      ).toEqual([{ transaction_hash: hash("a") }, { transaction_hash: hash("c") }])
    }),
  )

  it.live.each([
    ["a page", "text/html", "<html><body>Internal Server Error</body></html>"],
    ["nothing", "application/json", ""],
    ["the name of the status", "application/json", '{"detail":"Internal server error"}'],
  ])(
    "a 5xx that is %s is an error, and requested again by the next run",
    ([, type = "", body = ""]) =>
      Effect.gen(function* () {
        let isTracing = false
        const server = yield* scriptedServer(({ url }, response) => {
          if (!url.startsWith("/revert_reason")) json(response, [])
          else if (isTracing) json(response, { revert_reasons: [], other: [] })
          else response.writeHead(500, { "content-type": type }).end(body)
        })
        const dataDir = yield* temporaryFolder
        const options = {
          pipelines,
          api: { retryBudgetSeconds: 1 },
          settings: { revertReasons: requested(1, "a") },
        }
        const failed = yield* runOnce(server.url, dataDir, options)
        expect(failed.summary.outcome).not.toBe("complete")
        expect(
          yield* query(dataDir, "select outcome from ops.tasks where pipeline = 'revert_reasons'"),
        ).toEqual([{ outcome: "failed" }])
        isTracing = true
        const whole = yield* runOnce(server.url, dataDir, options)
        expect(whole.summary.outcome).toBe("complete")
        expect(yield* query(dataDir, "select revert_reasons from core.revert_reasons")).toEqual([
          { revert_reasons: "[]" },
        ])
      }),
  )
})
