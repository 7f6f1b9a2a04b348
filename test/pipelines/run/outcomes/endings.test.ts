// When the last member of a set is retired: by a second empty response, never by an incomplete reading.
import { readdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultWire } from "../../../../src/extract/request.ts"
import { expectReplays, loseTheWarehouse, replayed } from "../../../support/replays.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { asAdmin, simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import {
  letAnHourPass,
  outcomes,
  outcomesByPipeline,
  query,
  runOnce,
} from "../../../support/warehouseRun.ts"

const now = "2026-06-01T12:00:00Z"

const api = {
  ...asAdmin,
  wire: {
    ...defaultWire,
    paths: {
      cefiPositions: "/subaccount/{address}/cefi_positions",
      subaccountOtcPositions: "/subaccount/{address}/otc_positions",
      subaccountLoans: "/subaccount/{address}/loans",
    },
  },
}

const current = (dataDir: string, table: string) =>
  Effect.map(
    query(dataDir, `select count(*)::integer as n from core.${table} where is_current`),
    ([row]) => row?.["n"],
  )

/** The current rows of each table of `sets`, by its name. */
const currentRows = (dataDir: string) =>
  Effect.map(
    query(
      dataDir,
      sets
        .map(
          ([, table]) =>
            `select '${table}' as name, count(*)::integer as n from core.${table} where is_current`,
        )
        .join(" union all "),
    ),
    (rows) => new Map(rows.map(({ name, n }) => [String(name), n])),
  )

/** Sets and the responses they are read from. */
const sets = [
  ["loans", "loans", "/dashboard/loans"],
  ["otc_positions", "otc_positions", "/otc/position"],
  ["otc_margin_requirements", "otc_margin_requirements", "/otc/margin_requirement"],
  ["cefi_positions", "cefi_positions", "/cefi_positions"],
  ["subaccount_otc_positions", "subaccount_otc_positions", "/otc_positions"],
  ["subaccount_loans", "subaccount_loans", "/loans?"],
  ["vault_subaccounts", "vault_subaccounts", "/curator/vaults/"],
  ["whitelist_status", "whitelist_status", "/whitelist"],
  ["permissions", "permissions", "/permissions"],
  ["roles", "roles", "/roles"],
  ["timelock_requests", "timelock_requests", "/timelock-requests"],
  ["discount_factors", "discount_factors", "/risk/discount_factors"],
  ["my_subaccounts", "my_subaccounts", "/subaccounts"],
  ["subaccounts", "subaccounts", "/subaccount?"],
] as const

describe("the last member of a set", () => {
  it.live(
    "is kept at the first empty response, retired at the second, and the third changes nothing",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({ now, days: 5, vaults: 2, subaccounts: 3 })
        const dataDir = yield* temporaryFolder
        const pipelines = sets.map(([pipeline]) => pipeline)
        const sync = Effect.andThen(letAnHourPass(dataDir), () =>
          runOnce(simulator.url, dataDir, { pipelines, api }),
        )
        yield* runOnce(simulator.url, dataDir, { pipelines, api })
        const held = yield* currentRows(dataDir)
        expect([...held].filter(([, rows]) => rows === 0)).toEqual([])
        simulator.patch({
          serverCaches: false,
          // The directories stay, so that every partition is read.
          faults: sets
            .filter(([pipeline]) => pipeline !== "subaccounts" && pipeline !== "my_subaccounts")
            .map(([, , match]) => ({ kind: "empty" as const, match })),
        })
        yield* sync
        const kept = yield* currentRows(dataDir)
        const atFirst = yield* outcomesByPipeline(dataDir)
        for (const [pipeline, table, match] of sets) {
          if (match.startsWith("/subaccount")) continue
          expect(kept.get(table), table).toBe(held.get(table))
          expect(atFirst(pipeline).at(-1), pipeline).toContain("suspicious")
        }
        const second = yield* sync
        const ended = yield* query(
          dataDir,
          `select count(*)::integer as n, count(distinct valid_to)::integer as instants,
             bool_and(valid_to in (select received_at from raw.responses where is_landed)) as archived
           from core.loans where not is_current`,
        )
        expect(ended).toEqual([{ n: held.get("loans"), instants: 1, archived: true }])
        const left = yield* currentRows(dataDir)
        const atSecond = yield* outcomesByPipeline(dataDir)
        for (const [pipeline, table, match] of sets) {
          if (match.startsWith("/subaccount")) continue
          expect(left.get(table), table).toBe(0)
          expect(atSecond(pipeline).at(-1), pipeline).toBe("empty")
        }
        expect(second.summary.nothingNew).toBe(false)
        const third = yield* sync
        expect(third.summary.nothingNew).toBe(true)
        expect((yield* outcomes(dataDir, "loans")).at(-1)).toBe("empty")
        yield* expectReplays(dataDir)
      }),
  )

  it.live(
    "is not retired by the same response from the server's cache, however often it is forced",
    () =>
      Effect.gen(function* () {
        const simulator = yield* simulated({ now, days: 5, vaults: 1, subaccounts: 6 })
        const dataDir = yield* temporaryFolder
        const sync = runOnce(simulator.url, dataDir, {
          pipelines: ["loans"],
          api,
          settings: { full: true },
        })
        yield* sync
        const held = yield* current(dataDir, "loans")
        simulator.patch({ faults: [{ kind: "empty", match: "/dashboard/loans" }] })
        yield* sync
        yield* sync
        expect(yield* outcomes(dataDir, "loans")).toEqual([
          "loaded",
          "suspicious_empty",
          "suspicious_empty",
        ])
        expect(yield* current(dataDir, "loans")).toBe(held)
        yield* letAnHourPass(dataDir)
        yield* sync
        expect(yield* current(dataDir, "loans")).toBe(0)
      }),
  )

  it.live("of a series is not retired by any empty response", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now, days: 20, vaults: 1, subaccounts: 1 })
      const dataDir = yield* temporaryFolder
      const pipelines = ["ratio_history", "pnl_history", "oracle_classification"]
      yield* runOnce(simulator.url, dataDir, { pipelines, api })
      const counted = () =>
        query(
          dataDir,
          `select (select count(*) from core.ratio_history)::integer as ratio,
             (select count(*) from core.pnl_history)::integer as pnl,
             (select count(*) from core.oracle_classification)::integer as oracle`,
        )
      const before = yield* counted()
      simulator.patch({ faults: [{ kind: "empty", pathPrefix: "/platform" }] })
      for (const _ of [1, 2, 3]) yield* runOnce(simulator.url, dataDir, { pipelines, api })
      expect(yield* counted()).toEqual(before)
      for (const pipeline of ["ratio_history", "pnl_history"]) {
        expect((yield* outcomes(dataDir, pipeline)).slice(1), pipeline).toEqual([
          "suspicious_empty",
          "suspicious_empty",
          "suspicious_empty",
        ])
      }
    }),
  )
})

const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`

describe("the archive alone", () => {
  it.live("has all responses, though two runs of one millisecond are in the wrong order", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(({ url }, response) =>
        json(response, url === "/otc/position" ? [{ id: "a", amount: 1 }] : []),
      )
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, { pipelines: ["otc_positions"], api })
      yield* sync
      yield* sync
      const before = yield* query(dataDir, "select response_id from raw.responses order by all")
      expect(before).toHaveLength(2)
      // The second run wrote its body again in no file: it is the first one's.
      const raw = join(dataDir, "raw")
      const [first = ""] = readdirSync(raw).toSorted((a, b) => a.localeCompare(b))
      renameSync(join(raw, first), join(raw, first.replace(/^\d{4}/, "9999")))
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      expect(yield* query(dataDir, "select response_id from raw.responses order by all")).toEqual(
        before,
      )
    }),
  )
})

describe("a reading that was interrupted", () => {
  it.live("retires nothing when it is rebuilt from the archive alone", () =>
    Effect.gen(function* () {
      let isBroken = false
      const server = yield* scriptedServer(({ url }, response) => {
        const { pathname, searchParams } = new URL(url, "http://localhost")
        if (pathname !== "/subaccount") return json(response, [])
        const offset = Number(searchParams.get("offset"))
        if (isBroken && offset > 0) return json(response, { detail: "no" }, 418)
        const page = Array.from({ length: 1500 }, (_, n) => n).slice(offset, offset + 1000)
        json(
          response,
          page.map((n) => ({ address: address(n), status: isBroken ? "inactive" : "active" })),
        )
      })
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, { pipelines: ["subaccounts"], api })
      yield* sync
      isBroken = true
      yield* sync
      expect(yield* outcomes(dataDir, "subaccounts")).toEqual(["loaded", "failed"])
      expect(yield* current(dataDir, "subaccounts")).toBe(1500)
      const index = () =>
        query(dataDir, "select * from raw.responses order by received_at, response_id")
      const before = yield* index()
      yield* expectReplays(dataDir)
      expect(yield* current(dataDir, "subaccounts")).toBe(1500)
      expect(yield* index()).toEqual(before)
    }),
  )
})
