// Partitions that no request can succeed for are recorded or left out: they fail no run.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaultWire } from "../../../../src/extract/request.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

const vault = `0x${"11".repeat(20)}`
const evm = `0x${"ab".repeat(20)}`
const solana = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"

const api = {
  apiKey: Redacted.make("key-of-an-admin"),
  retryBudgetSeconds: 0,
  wire: { ...defaultWire, paths: { subaccountLoans: "/subaccount/{address}/loans" } },
}

const tasksOf = (dataDir: string, address: string) =>
  query(
    dataDir,
    `select run_id, pipeline, outcome, requests::integer as requests from ops.tasks
     where entity = '${address}' order by pipeline`,
  )

it.live("a vault whose address no endpoint takes is recorded as unsupported", () =>
  Effect.gen(function* () {
    const sui = `0x${"cd".repeat(32)}`
    const server = yield* scriptedServer(({ url }, response) => {
      if (url.includes(sui)) return json(response, { detail: "no such vault" }, 422)
      const isActive = url.endsWith("status=active")
      if (!isActive) return json(response, [])
      return json(response, [
        { address: vault, chain: 1, name: "Alpha" },
        { address: sui, chain: 784, name: "Sui" },
      ])
    })
    const dataDir = yield* temporaryFolder
    const pipelines = ["vaults", "pnl_history", "annualized_apy"]
    yield* runOnce(server.url, dataDir, { pipelines, api })
    expect(yield* tasksOf(dataDir, sui)).toMatchObject(
      ["annualized_apy", "pnl_history"].map((pipeline) => ({
        pipeline,
        outcome: "unsupported",
        requests: 0,
      })),
    )
    expect(server.requests.filter(({ url }) => url.includes(sui))).toEqual([])
  }),
)

describe("a subaccount with a Solana address", () => {
  it.live("is recorded as unsupported where the endpoint takes EVM addresses only", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(({ url }, response) => {
        if (url.includes(solana)) return json(response, { detail: "not an EVM address" }, 422)
        const isDirectory = url.startsWith("/subaccount?")
        json(response, isDirectory ? [evm, solana].map((address) => ({ address })) : [])
      })
      const dataDir = yield* temporaryFolder
      const pipelines = ["transactions", "subaccount_loans"]
      const { summary } = yield* runOnce(server.url, dataDir, { pipelines, api })
      expect(summary.outcome).toBe("complete")
      expect(yield* tasksOf(dataDir, solana)).toMatchObject(
        ["subaccount_loans", "transactions"].map((pipeline) => ({
          pipeline,
          outcome: "unsupported",
          requests: 0,
        })),
      )
      expect(yield* tasksOf(dataDir, evm)).toHaveLength(2)
    }),
  )

  it.live("is recorded once where it has debt and tokens have ladders", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname } = new URL(url, "http://service")
        if (url.includes(solana)) return json(response, { detail: "not an EVM address" }, 422)
        if (pathname === "/subaccount") {
          return json(
            response,
            [evm, solana].map((address) => ({ address })),
          )
        }
        if (pathname === "/dashboard/loans") {
          return json(
            response,
            [evm, solana].map((borrower) => ({ id: borrower, borrower, state: "ACTIVE" })),
          )
        }
        if (pathname === "/risk/discount_factors") {
          const ladder = [{ up_to_usd: 1, discount_factor: 0.9 }]
          return json(
            response,
            [1, 2].map((n) => ({ address: `0x${`${n}${n}`.repeat(20)}`, chain: 1, ladder })),
          )
        }
        json(response, pathname.startsWith("/risk/") ? { amount_usd: 0 } : [])
      })
      const dataDir = yield* temporaryFolder
      const pipelines = ["collateral_excess"]
      yield* runOnce(server.url, dataDir, { pipelines, api })
      expect(
        yield* query(
          dataDir,
          `select outcome, count(*)::integer as tasks, sum(requests)::integer as requests
           from ops.tasks where pipeline = 'collateral_excess' group by all order by all`,
        ),
      ).toEqual([
        { outcome: "loaded", tasks: 2, requests: 2 },
        { outcome: "unsupported", tasks: 1, requests: 0 },
      ])
    }),
  )
})

describe("a subaccount known only from a vault that has ended", () => {
  it.live("is read no more: the key may not see it", () =>
    Effect.gen(function* () {
      let isOver = false
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname, searchParams } = new URL(url, "http://service")
        if (pathname === "/tokenized_vault") {
          const isActive = searchParams.get("status") === "active"
          const other = { address: `0x${"22".repeat(20)}`, chain: 1 }
          const listed = isOver ? [other] : [other, { address: vault, chain: 1 }]
          return json(response, isActive ? listed : [])
        }
        if (pathname === "/subaccount") {
          return json(response, isOver ? [{ address: solana }] : [{ address: evm }])
        }
        if (pathname === `/curator/vaults/${vault}/subaccounts`) {
          return json(response, [{ address: evm }])
        }
        if (isOver && url.includes(evm)) return json(response, { detail: "gone" }, 500)
        json(response, [])
      })
      const dataDir = yield* temporaryFolder
      const pipelines = ["transactions", "subaccount_loans", "vault_subaccounts"]
      expect((yield* runOnce(server.url, dataDir, { pipelines, api })).summary.outcome).toBe(
        "complete",
      )
      isOver = true
      const { summary } = yield* runOnce(server.url, dataDir, { pipelines, api })
      expect(summary.outcome).toBe("complete")
      const [last] = yield* query(dataDir, "select max(run_id) as run_id from ops.runs")
      const tasks = yield* tasksOf(dataDir, evm)
      expect(tasks.length).toBeGreaterThan(0)
      expect(tasks.filter(({ run_id }) => run_id === last?.["run_id"])).toEqual([])
    }),
  )
})
