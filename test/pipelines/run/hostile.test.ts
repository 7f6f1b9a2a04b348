// Everything the API document has, with an admin key, from a service in another dialect that fails one first
// request in seven, breaks one record, redirects one request elsewhere, and ties entries across pages.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type { OptionsPatch } from "../../../simulator/index.ts"
import { endpoints } from "../../../src/extract/endpoints/index.ts"
import { defaultWire } from "../../../src/extract/request.ts"
import { movableClock } from "../../support/movableClock.ts"
import { expectTruth, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { HANG_SECONDS, untilSo } from "../../support/until.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

type Fault = NonNullable<OptionsPatch["faults"]>[number]

const KEY = "demo-admin-key"
const STALL_SECONDS = 10

/** Another origin, which records the headers it receives. */
const foreign = Effect.acquireRelease(
  Effect.promise(async () => {
    const headers: Array<string> = []
    const server = createServer((request, response) => {
      headers.push(...request.rawHeaders)
      response.end("[]")
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    return { url, headers, server }
  }),
  ({ server }) => Effect.sync(() => server.close()),
)

/** What fails a task however often it is tried: a stall that ends others' attempts too does not use it up. */
const lasting = (elsewhere: string): ReadonlyArray<Fault> => [
  { kind: "contract-break", match: "/roles" },
  { kind: "redirect", location: elsewhere, match: "/fees/" },
]

const passing: ReadonlyArray<Fault> = [
  { kind: "stall-body", match: "fields=ratio", count: 2 },
  { kind: "rate-limit", retryAfter: "none", match: "/historical_apy", count: 2 },
  { kind: "status", status: 500, share: 0.03, first: 1 },
  { kind: "status", status: 503, html: true, share: 0.03, first: 1 },
  { kind: "rate-limit", retryAfterSeconds: 0.05, share: 0.01, first: 1 },
  { kind: "drop", share: 0.03, first: 1 },
  { kind: "cut-body", share: 0.03, first: 1 },
]

describe("a service that is hard on its readers", () => {
  it.live("is read whole, its key kept", () =>
    Effect.gen(function* () {
      const elsewhere = yield* foreign
      const simulator = yield* simulated({
        vaults: 3,
        days: 120,
        subaccounts: 3,
        now: "2026-06-16T07:00:00Z",
        wireCase: "snake",
        addedFields: true,
        bigIntegers: true,
        addressCase: "mixed",
        faults: [...lasting(elsewhere.url), ...passing],
      })
      const paths = {
        cefiPositions: "/subaccount/{address}/cefi_positions",
        subaccountLoans: "/subaccount/{address}/loans",
        subaccountOtcPositions: "/subaccount/{address}/otc_positions",
      }
      const dataDir = yield* temporaryFolder
      const overrides = {
        api: {
          apiKey: Redacted.make(KEY),
          wire: { ...defaultWire, case: "snake" as const, paths },
          requestTimeoutSeconds: STALL_SECONDS,
          retryBudgetSeconds: HANG_SECONDS,
        },
      }
      const clock = movableClock()
      const running = yield* Effect.forkChild(
        clock.under(runOnce(simulator.url, dataDir, overrides)),
      )
      for (const stalls of [1, 2]) {
        yield* untilSo(`${stalls} responses stall`, () => {
          const { last } = simulator.requests()
          return last.filter(({ fault }) => fault === "stall-body").length >= stalls
        })
        clock.advance(STALL_SECONDS * 1000)
      }
      const { summary } = yield* Fiber.join(running)
      expect(summary.outcome).toBe("partial")
      const failed = yield* query(
        dataDir,
        "select distinct pipeline, outcome, error_tag from ops.tasks where outcome in ('failed', 'quarantined') order by 1",
      )
      expect(failed).toEqual([
        { pipeline: "fees", outcome: "failed", error_tag: "UnexpectedStatus" },
        { pipeline: "roles", outcome: "quarantined", error_tag: "ContractViolation" },
      ])
      expect(yield* query(dataDir, "select distinct endpoint from ops.quarantine")).toEqual([
        { endpoint: "roles" },
      ])
      // Only what failed is left to request, and the rest is complete.
      simulator.patch({ faults: [] })
      const again = yield* runOnce(simulator.url, dataDir, overrides)
      expect(again.summary.outcome).toBe("complete")
      yield* expectTruth(simulator, dataDir)
      const [counts] = yield* query(
        dataDir,
        `select (select count(*)::integer from core.audit_log) as audit,
           (select count(*)::integer from core.subaccounts where is_current) as subaccounts,
           (select count(distinct vault_address || chain_id)::integer from core.fees where is_current) as fees,
           (select count(*)::integer from ops.quarantine where closed_at is null) as quarantined,
           (select count(*)::integer from ops.gaps where state = 'open') as gaps`,
      )
      const evm = simulator.truth.vaults.filter(({ kind }) => kind === "evm")
      expect(counts).toEqual({
        audit: simulator.truth.totals.auditEntries,
        subaccounts: simulator.truth.subaccounts,
        fees: evm.length,
        quarantined: 0,
        gaps: 0,
      })
      expect(evm.some(({ auditEntries }) => auditEntries.inPagesOf200 < auditEntries.n)).toBe(true)

      // Every request was to an endpoint, the other server was sent nothing, the key is in no file.
      const unknown = Object.keys(simulator.requests().counts).filter((each) =>
        each.includes("(unknown path)"),
      )
      expect(unknown).toEqual([])
      expect(elsewhere.headers.join(" ")).not.toContain(KEY)
      expect(elsewhere.headers).toEqual([])
      const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
      expect(files.filter((file) => readFileSync(file).includes(KEY))).toEqual([])
      const [archived] = yield* query(
        dataDir,
        `select count(*)::integer as with_key from read_ndjson_objects('${dataDir}/raw/*.zst') where contains(json::varchar, '${KEY}')`,
      )
      expect(archived?.["with_key"]).toBe(0)
      const requested = yield* query(dataDir, "select distinct endpoint from raw.responses")
      const left = endpoints
        .map(({ name }) => name)
        .filter((name) => !requested.some(({ endpoint }) => endpoint === name))
      // The swap and the key's check belong to commands of their own; the simulation reads configured scenarios.
      expect(left.toSorted()).toEqual(["collateral_simulation", "key_verification", "swap"])
    }),
  )
})
