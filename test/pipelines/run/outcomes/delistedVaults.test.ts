// Vaults that the lists hold no more: retired when both lists were read, never by a list that failed or is empty for the
// first time. Replays make the same rows.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readProblems } from "../../../../src/pipelines/readers/problems/problems.ts"
import { expectReplays } from "../../../support/replays.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, outcomes, query, runOnce } from "../../../support/warehouseRun.ts"

const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`

/** Lists as a test sets them: numbers are vaults, a text is the body's stand-in for a broken record. */
interface Lists {
  active: ReadonlyArray<unknown>
  closed: ReadonlyArray<unknown>
  /** Vaults whose histories are not as documented. */
  broken?: ReadonlyArray<number>
}

const listing = (lists: Lists) =>
  Effect.map(
    scriptedServer(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://localhost")
      if (pathname === "/tokenized_vault") {
        const status = searchParams.get("status") === "closed" ? "closed" : "active"
        const listed = lists[status]
        if (listed[0] === "down") return json(response, { detail: "down" }, 418)
        return json(
          response,
          listed.map((n) =>
            typeof n === "number"
              ? { address: address(n), chain: 1, name: `Vault ${n}`, latest_reported_tvl: n }
              : { name: n },
          ),
        )
      }
      if (pathname.includes("/fees/")) {
        return json(response, { management_fee_pct: 1, performance_fee_pct: 10 })
      }
      const isBroken = lists.broken?.some((n) => url.includes(address(n))) === true
      return json(response, isBroken ? [{ timestamp: "never" }] : [])
    }),
    (server) => ({ server, lists }),
  )

const listed = (dataDir: string, table = "vaults") =>
  Effect.map(
    query(dataDir, `select vault_address from core.${table} where is_current order by 1`),
    (rows) => rows.map((row) => Number(row["vault_address"])),
  )

describe("a vault that no list holds any more", () => {
  it.live("is retired with its figures, and read only when it is named", () =>
    Effect.gen(function* () {
      const { server, lists } = yield* listing({ active: [1, 2, 3], closed: [8, 9] })
      const dataDir = yield* temporaryFolder
      const sync = (include: ReadonlyArray<string> = []) =>
        runOnce(server.url, dataDir, {
          pipelines: ["fees"],
          vaults: { include, exclude: [] },
        })
      yield* sync()
      expect(yield* listed(dataDir)).toEqual([1, 2, 3, 8, 9])
      // One is delisted, one is closed, one closed vault is taken from the list.
      lists.active = [1]
      lists.closed = [3, 8]
      yield* sync()
      expect(yield* listed(dataDir)).toEqual([1, 3, 8])
      expect(yield* listed(dataDir, "vault_reported_metrics")).toEqual([1, 3, 8])
      const [closed] = yield* query(
        dataDir,
        `select old.status || '>' || new.status as became from core.vaults old join core.vaults new
         using (chain_id, vault_address) where old.valid_to = new.valid_from`,
      )
      expect(closed).toEqual({ became: "active>closed" })
      const requests = () =>
        server.requests.filter(({ url }) => url.includes("/fees/")).map(({ url }) => url)
      const before = requests().length
      yield* sync()
      expect(requests().slice(before)).toHaveLength(3)
      const named = yield* sync([address(2)])
      expect(requests().at(-1)).toContain(address(2))
      expect(requests()).toHaveLength(before + 4)
      expect(named.summary.unknownVaults).toEqual([])
      // What was read of it stays, as last seen.
      expect(yield* listed(dataDir, "fees")).toEqual([1, 2, 3, 8, 9])
      lists.active = [1, 2]
      yield* sync()
      expect(yield* listed(dataDir)).toEqual([1, 2, 3, 8])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("leaves its open gap and its entries in quarantine on record, and no problem", () =>
    Effect.gen(function* () {
      const { server, lists } = yield* listing({ active: [1, 2], closed: [9] })
      const dataDir = yield* temporaryFolder
      const problemsAfter = Effect.fnUntraced(function* (
        active: ReadonlyArray<number>,
        include: ReadonlyArray<string> = [],
      ) {
        lists.active = active
        yield* runOnce(server.url, dataDir, {
          pipelines: ["ratio_history"],
          vaults: { include, exclude: [] },
        })
        const problems = yield* readProblems(dataDir)
        return problems.map(({ kind }) => kind).filter((kind) => kind !== "stale")
      })
      const open = Effect.map(
        query(
          dataDir,
          `select (select count(*) from ops.gaps where state = 'open')
             + (select count(*) from ops.quarantine where closed_at is null) as n`,
        ),
        ([row]) => Number(row?.["n"]),
      )
      // The newest window is a gap; the request for anything older is an entry alone.
      lists.broken = [2]
      expect(yield* problemsAfter([1, 2])).toEqual(["quarantine", "gap"])
      expect(yield* open).toBe(3)
      for (let run = 1; run <= 2; run += 1) {
        expect(yield* problemsAfter([1])).toEqual([])
        expect(yield* open).toBe(3)
      }
      expect(yield* problemsAfter([1, 2])).toEqual(["quarantine", "gap"])
      lists.broken = []
      expect(yield* problemsAfter([1], [address(2)])).toEqual([])
      expect(yield* open).toBe(0)
    }),
  )

  it.live("stays while a list can't be read, or not all of it", () =>
    Effect.gen(function* () {
      const { server, lists } = yield* listing({ active: [1, 2, 3], closed: [8] })
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, {
        pipelines: ["vaults"],
        api: { retryBudgetSeconds: 0 },
      })
      yield* sync
      lists.active = [1, 4]
      for (const broken of [["down"], [8, "no address"]]) {
        lists.closed = broken
        const { summary } = yield* sync
        expect(summary.outcome).not.toBe("complete")
        expect(yield* listed(dataDir)).toEqual([1, 2, 3, 4, 8])
      }
      lists.closed = [8]
      yield* sync
      expect(yield* listed(dataDir)).toEqual([1, 4, 8])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("is retired after a failure of the other list, if that was known to be empty", () =>
    Effect.gen(function* () {
      const { server, lists } = yield* listing({ active: [1, 2, 3, 4], closed: [] })
      const dataDir = yield* temporaryFolder
      const sync = (active: ReadonlyArray<unknown>, closed: ReadonlyArray<unknown>) => {
        Object.assign(lists, { active, closed })
        return Effect.andThen(
          runOnce(server.url, dataDir, { pipelines: ["vaults"], api: { retryBudgetSeconds: 0 } }),
          listed(dataDir),
        )
      }
      const last = Effect.map(outcomes(dataDir, "vaults"), (all) => all.at(-1))
      yield* sync([1, 2, 3, 4], [])
      yield* sync([1, 2, 3, 4], ["down"])
      yield* sync([1, 2, 3, 4], ["down"])
      expect(yield* sync([1, 2, 3], [])).toEqual([1, 2, 3])
      expect(yield* last).toBe("loaded")
      expect(yield* sync(["down"], ["down"])).toEqual([1, 2, 3])
      expect(yield* sync([1, 2], [])).toEqual([1, 2])
      // It had one, if in no whole reading: its empty response is to be confirmed.
      expect(yield* sync(["down"], [8])).toEqual([1, 2, 8])
      expect(yield* sync([1, 2], ["down"])).toEqual([1, 2, 8])
      expect(yield* sync([1], [])).toEqual([1, 2, 8])
      expect(yield* last).toContain("suspicious_empty")
      expect(yield* sync([1], [])).toEqual([1])
      // 1.0.0 did not record which lists were empty.
      yield* sync([1], ["down"])
      yield* change(
        dataDir,
        "update ops.cursors set cursor = json_merge_patch(cursor, '{\"empty\": null}') where pipeline = 'vaults'",
      )
      expect(yield* sync([9], [])).toEqual([1, 9])
      expect(yield* sync([9], [])).toEqual([9])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("is not retired by one list's first empty response", () =>
    Effect.gen(function* () {
      const { server, lists } = yield* listing({ active: [1, 2], closed: [8] })
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, { pipelines: ["vaults"] })
      yield* sync
      lists.active = []
      lists.closed = [8, 9]
      yield* sync
      expect(yield* listed(dataDir)).toEqual([1, 2, 8, 9])
      expect((yield* outcomes(dataDir, "vaults")).at(-1)).toBe("loaded suspicious_empty")
      yield* sync
      expect(yield* listed(dataDir)).toEqual([8, 9])
      lists.closed = []
      yield* sync
      expect(yield* listed(dataDir)).toEqual([8, 9])
      expect((yield* outcomes(dataDir, "vaults")).at(-1)).toBe("suspicious_empty")
      yield* sync
      expect(yield* listed(dataDir)).toEqual([])
      yield* sync
      expect((yield* outcomes(dataDir, "vaults")).at(-1)).toBe("empty")
      yield* expectReplays(dataDir)
    }),
  )
})

describe("vaults that both lists have lost", () => {
  it.live("stay when one list held some, and the other failed, in between", () =>
    Effect.gen(function* () {
      const { server, lists } = yield* listing({ active: [1, 2], closed: [8] })
      const dataDir = yield* temporaryFolder
      const sync = (active: ReadonlyArray<unknown>, closed: ReadonlyArray<unknown>) => {
        Object.assign(lists, { active, closed })
        return Effect.andThen(
          runOnce(server.url, dataDir, { pipelines: ["vaults"], api: { retryBudgetSeconds: 0 } }),
          listed(dataDir),
        )
      }
      yield* sync([1, 2], [8])
      expect(yield* sync([], [])).toEqual([1, 2, 8])
      expect(yield* sync([1, 2], ["down"])).toEqual([1, 2, 8])
      expect(yield* sync([], [])).toEqual([1, 2, 8])
      // That reading confirms no list's empty response after a failure.
      expect(yield* sync(["down"], [8])).toEqual([1, 2, 8])
      expect(yield* sync([], [8])).toEqual([1, 2, 8])
      expect(yield* sync(["down"], ["down"])).toEqual([1, 2, 8])
      expect(yield* sync([], [])).toEqual([1, 2, 8])
      expect(yield* sync([], [])).toEqual([])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("stay when a list is empty after it failed, until the next run confirms it", () =>
    Effect.gen(function* () {
      const { server, lists } = yield* listing({ active: [1, 2], closed: [8] })
      const dataDir = yield* temporaryFolder
      const sync = (active: ReadonlyArray<unknown>, closed: ReadonlyArray<unknown>) => {
        Object.assign(lists, { active, closed })
        return Effect.andThen(
          runOnce(server.url, dataDir, { pipelines: ["vaults"], api: { retryBudgetSeconds: 0 } }),
          listed(dataDir),
        )
      }
      yield* sync([1, 2], [8])
      expect(yield* sync(["down"], [8])).toEqual([1, 2, 8])
      expect(yield* sync([], [8])).toEqual([1, 2, 8])
      // A failure starts the rule again.
      expect(yield* sync(["down"], [8])).toEqual([1, 2, 8])
      expect(yield* sync([], [8])).toEqual([1, 2, 8])
      expect(yield* sync(["down"], ["down"])).toEqual([1, 2, 8])
      expect(yield* sync([], [8])).toEqual([1, 2, 8])
      expect((yield* outcomes(dataDir, "vaults")).at(-1)).toBe("suspicious_empty unchanged")
      expect(yield* sync([], [8])).toEqual([8])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("are not looked for in a list that failed in the first run and holds none", () =>
    Effect.gen(function* () {
      const { server, lists } = yield* listing({ active: ["down"], closed: [8, 9] })
      const dataDir = yield* temporaryFolder
      const sync = runOnce(server.url, dataDir, {
        pipelines: ["vaults"],
        api: { retryBudgetSeconds: 0 },
      })
      yield* sync
      lists.active = []
      lists.closed = [8]
      yield* sync
      expect(yield* listed(dataDir)).toEqual([8, 9])
      const { summary } = yield* sync
      expect(summary.outcome).toBe("complete")
      expect(yield* listed(dataDir)).toEqual([8])
    }),
  )
})
