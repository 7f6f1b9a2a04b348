// Shapes that nobody declared are quarantined, proposed, and settled by the configuration; contracts of tables decide
// what becomes of fields without a column.
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import { json, scriptedServer } from "../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { queryFile } from "../support/warehouseRun.ts"
import { untilSo } from "../support/until.ts"
import { start, vaulthouse } from "./command.ts"

const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

/** In place of a body: the service never responds. */
const NEVER = Symbol("never")

/** A service of one vault, whose other responses are these by the start of their path. */
const serviceOf = (bodies: () => Readonly<Record<string, unknown>>) =>
  scriptedServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost")
    if (pathname === "/tokenized_vault") {
      const isActive = searchParams.get("status") === "active"
      return json(response, isActive ? [{ address, chain: 1, vault_name: "Alpha" }] : [])
    }
    const found = Object.entries(bodies()).find(([path]) => pathname.startsWith(path))
    if (found === undefined) return json(response, { detail: "not here" }, 404)
    return found[1] === NEVER ? undefined : json(response, found[1])
  })

const begin = Effect.fnUntraced(function* (bodies: () => Readonly<Record<string, unknown>>) {
  const server = yield* serviceOf(bodies)
  const cwd = yield* temporaryFolder
  const file = join(cwd, "vaulthouse.config.yaml")
  const configure = (text: string) => writeFileSync(file, `baseUrl: ${server.url}\n${text}`)
  configure("")
  const around = { cwd, env: { VAULTHOUSE_API_KEY: "the-key-of-tests" } }
  const run = (...args: ReadonlyArray<string>) =>
    Effect.promise(() => vaulthouse(args, { ...around, columns: 200 }))
  /** What is published, each row as its values with commas between them. */
  const rows = (sql: string) =>
    Effect.map(queryFile(join(cwd, "data/published/vaulthouse.duckdb"), sql), (found) =>
      found.map((row) => Object.values(row).join(",")),
    )
  return { around, run, rows, configure, file }
})

describe("a shape that nobody declared", () => {
  it.live("is quarantined, proposed as YAML, and loaded for all history once it is declared", () =>
    Effect.gen(function* () {
      const day = (back: number) =>
        new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
      const points = [
        { date: day(2), aave: 10, morpho: 5, price: 1.0003 },
        { date: day(1), aave: 11, spark: 2, price: 1.0004 },
      ]
      const { run, rows, configure } = yield* begin(() => ({
        "/platform/historical_allocations": { points },
      }))
      expect((yield* run("sync", "allocation_history")).code).not.toBe(0)
      expect(yield* rows("select count(*) from core.allocation_history")).toEqual(["0"])

      const { stdout } = yield* run("fields")
      const line = "allocation_history: { keys: [aave, morpho, price, spark] }"
      expect(stdout).toContain(line)
      // The user decides what the keys are, and what the others are.
      configure(`fields:\n  ${line.replace("price, ", "").replace(" }", ", except: [price] }")}\n`)
      const loaded = yield* run("replay", "--quarantine")
      expect(loaded.stderr + loaded.stdout).toContain("loaded from quarantine")
      expect(
        yield* rows("select protocol, value from core.allocation_history order by date, protocol"),
      ).toEqual(["aave,10", "morpho,5", "aave,11", "spark,2"])
      expect(yield* rows("select count(*) from ops.quarantine where closed_at is null")).toEqual([
        "0",
      ])
      expect((yield* run("fields")).stdout).not.toContain("keys:")
    }),
  )

  it.live("leaves a bare amount in extra, offers its units, and writes neither by itself", () =>
    Effect.gen(function* () {
      const withdrawals = { pendingQueue: [{ id: "1", amount: "1500000", receiver: address }] }
      const { run, rows, configure, file } = yield* begin(() => ({ "/withdrawals": withdrawals }))
      expect((yield* run("sync", "withdrawals")).code).toBe(0)
      const amounts = "select amount_raw, amount from core.withdrawal_requests where is_current"
      expect(yield* rows(amounts)).toEqual([","])
      const { stdout } = yield* run("fields", "--write")
      expect(stdout).toContain("withdrawal_requests.amount_raw: amount #")
      const scaled = "withdrawal_requests.amount: { field: amount, scale: 0.000001 }"
      expect(stdout).toContain(scaled)
      expect(readFileSync(file, "utf8")).not.toContain("amount")
      configure(`fields:\n  withdrawal_requests.amount_raw: amount\n  ${scaled}\n`)
      expect((yield* run("replay")).code).toBe(0)
      expect(yield* rows(amounts)).toEqual(["1500000,1.5"])
    }),
  )
})

describe("a failed check", () => {
  it.live("holds back its run alone with publishFailedChecks: false, and no command", () =>
    Effect.gen(function* () {
      let pct = 1
      const { run, rows, configure } = yield* begin(() => ({
        "/platform/fees": { management_fee_pct: pct, performance_fee_pct: 10 },
      }))
      const published = rows("select management_fee_pct from core.fees where is_current")
      const syncOf = (percent: number) =>
        Effect.suspend(() => {
          pct = percent
          return Effect.map(run("sync", "fees"), ({ code }) => code)
        })
      configure("publishFailedChecks: false\n")
      expect(yield* syncOf(1)).toBe(0)
      expect(yield* syncOf(1000)).toBe(4)
      expect(yield* published).toEqual(["1"])
      // The next run fails no check itself, and publishes both.
      expect(yield* syncOf(2)).toBe(0)
      expect(yield* published).toEqual(["2"])
      expect(yield* rows("select max(management_fee_pct) from core.fees")).toEqual(["1000"])
      for (const command of ["publish", "replay"]) {
        expect(yield* syncOf(2000)).toBe(4)
        expect(yield* published).not.toEqual(["2000"])
        expect((yield* run(command)).code).toBe(0)
        expect(yield* published).toEqual(["2000"])
        expect(yield* syncOf(3)).toBe(0)
      }
      configure("")
      expect(yield* syncOf(1000)).toBe(4)
      expect(yield* published).toEqual(["1000"])
    }),
  )
})

describe("the checks of a run that was stopped", () => {
  it.live("are made by the next one, which they hold back", () =>
    Effect.gen(function* () {
      let withdrawals: unknown = NEVER
      const { around, run, configure } = yield* begin(() => ({
        "/platform/fees": { management_fee_pct: 1000, performance_fee_pct: 10 },
        "/withdrawals": withdrawals,
      }))
      configure("publishFailedChecks: false\nlogFormat: json\n")
      const child = start(["sync", "fees", "withdrawals"], around)
      let stderr = ""
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
      yield* untilSo("the fees have landed", () => stderr.includes('"pipeline":"fees"'))
      child.kill("SIGTERM")
      yield* Effect.promise(() => once(child, "exit"))
      withdrawals = {}
      const current = join(around.cwd, "data/published/current.json")
      const next = yield* run("sync", "fees")
      expect(next.code).toBe(4)
      expect(next.stdout + next.stderr).toContain("core.fees.range")
      expect(existsSync(current)).toBe(false)
      expect((yield* run("sync", "fees")).code).toBe(0)
      expect(existsSync(current)).toBe(true)
    }),
  )
})

describe("a contract", () => {
  it.live("freeze: a change fails the check and holds publication back until it is accepted", () =>
    Effect.gen(function* () {
      let fees: Record<string, unknown> = { management_fee_pct: 1, performance_fee_pct: 10 }
      const { run, rows, configure } = yield* begin(() => ({ "/platform/fees": fees }))
      configure("contracts:\n  fees: freeze\n")
      expect((yield* run("sync", "fees")).code).toBe(0)
      fees = { ...fees, management_fee_pct: 2, entry_fee: 1 }
      const published = "select management_fee_pct from core.fees where is_current"
      for (const _ of ["seen", "still there"]) {
        const changed = yield* run("sync", "fees")
        expect(changed.code).toBe(4)
        expect(changed.stdout + changed.stderr).toContain("core.fees.contract")
        expect(yield* rows(published)).toEqual(["1"])
      }
      // Nothing with the field is published, so it is the check that names it.
      const named = yield* run("check", "--name", "core.fees.contract")
      expect(named.stdout).toContain("fees.entry_fee")
      configure("contracts:\n  fees: freeze\nfields:\n  fees.extra: [entry_fee]\n")
      expect((yield* run("check")).code).toBe(0)
      fees = { ...fees, management_fee_pct: 3 }
      expect((yield* run("sync", "fees")).code).toBe(0)
      expect(yield* rows(published)).toEqual(["3"])
      configure("contracts:\n  fees: freeze\n")
      expect((yield* run("check")).code).toBe(4)
      // There is no such check any more, so nothing could ever pass it.
      configure("contracts:\n  fees: evolve\n")
      expect((yield* run("sync", "fees", "--fail-on", "checks")).code).toBe(0)
      expect((yield* run("status")).stdout).not.toContain("core.fees.contract")
    }),
  )

  it.live("freeze: of a nested record, only the fields that no column reads are changes", () =>
    Effect.gen(function* () {
      const summary = {
        address,
        name: "Alpha",
        type: "subaccount",
        chains: [],
        tokens: [],
        healthFactor: 2,
        netAccountValue: 1,
        totalAccountValue: 1,
        totalCollateralValue: 1,
        totalEquityValue: 1,
        totalLoanValue: 0,
        loanbook: { aggregatesByToken: [], loans: [], totalCredit: 0, totalDebt: 0 },
        portfolio: {
          cefiPositions: [],
          collateralBalances: [],
          defiPositions: [],
          discountedValue: 1,
          legacyHedgerPositions: [],
          marginBalances: [],
          otcPositions: [],
          strategyContractPositions: [],
          tokens: [],
          totalValue: 1,
          trsPositions: [],
        },
      }
      let record: Record<string, unknown> = {
        address,
        risk_metadata: { min_health_factor: 1.3 },
      }
      const { run, rows, configure } = yield* begin(() => ({
        "/subaccounts/summary": summary,
        "/subaccounts": [{ address }],
        "/subaccount": [record],
        "/curator/vaults": [],
      }))
      const frozen = "contracts: { subaccounts: freeze, subaccount_summaries: freeze }\n"
      configure(frozen)
      const first = yield* run("sync", "subaccounts", "subaccount_summaries")
      expect(first.stderr).not.toContain(".contract")
      expect(first.code, first.stdout + first.stderr).toBe(0)
      const published = `select min_health_factor, extra from core.subaccounts where is_current`
      expect(yield* rows(published)).toEqual(['1.3,{"risk_metadata":{"min_health_factor":1.3}}'])
      expect(yield* rows("select extra from core.subaccount_summaries")).toEqual([
        `{"address":"${address}"}`,
      ])
      record = { address, risk_metadata: { min_health_factor: 1.4, other: 1 } }
      expect((yield* run("sync", "subaccounts")).code).toBe(4)
      const failed = yield* run("check", "--name", "core.subaccounts.contract")
      expect(failed.stdout).toContain("subaccounts.risk_metadata.other")
      for (const named of ["risk_metadata.other", "risk_metadata"]) {
        configure(`${frozen}fields: { subaccounts.extra: ${named} }\n`)
        expect((yield* run("check")).code, named).toBe(0)
      }
    }),
  )

  it.live("freeze: a nested record is accepted when its fields are given to columns", () =>
    Effect.gen(function* () {
      const { run, configure } = yield* begin(() => ({
        "/platform/fees": { management_fee_pct: 1, performance_fee_pct: 10, exit: { pct: 2 } },
      }))
      const frozen = "contracts: { fees: freeze }\n"
      configure(frozen)
      expect((yield* run("sync", "fees")).code).toBe(4)
      configure(`${frozen}fields: { fees.management_fee_pct: exit.pct }\n`)
      expect((yield* run("replay")).code).toBe(0)
      expect((yield* run("check")).code).toBe(0)
    }),
  )

  it.live("discard: fields without a column are reported, and are not in extra", () =>
    Effect.gen(function* () {
      const { run, rows, configure } = yield* begin(() => ({
        "/platform/fees": { management_fee_pct: 1, performance_fee_pct: 10, entry_fee: 1, to: "x" },
      }))
      configure("contracts:\n  fees: discard\nfields:\n  fees.extra: [to]\n")
      expect((yield* run("sync", "fees")).code).toBe(0)
      expect(yield* rows("select extra ->> 'to', extra ->> 'entry_fee' from core.fees")).toEqual([
        "x,",
      ])
      expect(yield* rows("select json_path from ops.schema_drift where endpoint = 'fees'")).toEqual(
        ["$.entry_fee"],
      )
      configure("")
      expect((yield* run("replay")).code).toBe(0)
      expect(yield* rows("select extra ->> 'entry_fee' from core.fees")).toEqual(["1"])
    }),
  )

  it.live(
    "of a table that does not exist, or a mapping that can't be, is refused with its place",
    () =>
      Effect.gen(function* () {
        const { run, configure } = yield* begin(() => ({}))
        const wrong: ReadonlyArray<[string, string]> = [
          ["contracts:\n  feess: freeze\n", "did you mean `fees`?"],
          ["contracts:\n  fees: frozen\n", "`evolve`, `freeze`, `discard`"],
          ["fields:\n  fees: things\n", "is not a table whose records can be in another place"],
          ["fields:\n  fees.extra: { keys: [a] }\n", "is a column"],
          ["fields:\n  fees.management_fee_pct: { scale: 2 }\n", "without a `field`"],
          ["fields:\n  vaults.status: { field: s, scale: 2 }\n", "is not a column of numbers"],
          ["fields:\n  oracle_classification: { keys: [a] }\n", "is not a table of numbers by key"],
          ["fields:\n  allocation_history: { except: [a] }\n", "`except` without `keys`"],
        ]
        for (const [text, said] of wrong) {
          configure(text)
          const { code, stderr } = yield* run("sync", "fees")
          expect(code, text).toBe(2)
          expect(stderr).toContain(said)
        }
      }),
  )
})
