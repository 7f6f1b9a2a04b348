// The two lists of vaults are requested at once where earlier runs know what is in them, and are as good as read one after the
// other: a vault that is closed meanwhile ends in no run.
import type { ServerResponse } from "node:http"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { expectReplays } from "../../../support/replays.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

type Status = "active" | "closed"
type Respond = (status: Status, response: ServerResponse) => void

const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`

const listOf = (...vaults: ReadonlyArray<number>) =>
  vaults.map((n) => ({ address: address(n), chain: 1, name: `Vault ${n}` }))

const inLists =
  (active: ReadonlyArray<number>, closed: ReadonlyArray<number>): Respond =>
  (status, response) =>
    json(response, listOf(...(status === "active" ? active : closed)))

/** Responds to the first two lists only once both have been requested, to the second first. */
const atOnce = (active: ReadonlyArray<number>, closed: ReadonlyArray<number>): Respond => {
  const waiting = new Map<Status, ServerResponse>()
  const respond = inLists(active, closed)
  return (status, response) => {
    waiting.set(status, response)
    const [first, second] = [waiting.get("active"), waiting.get("closed")]
    if (first === undefined || second === undefined) return
    second.once("close", () => respond("active", first))
    respond("closed", second)
  }
}

const service = Effect.gen(function* () {
  const state: { respond: Respond } = { respond: inLists([1, 2, 3], [8]) }
  const server = yield* scriptedServer(({ url }, response) =>
    state.respond(url.endsWith("status=closed") ? "closed" : "active", response),
  )
  const dataDir = yield* temporaryFolder
  const sync = Effect.gen(function* () {
    const before = server.requests.length
    const { summary } = yield* runOnce(server.url, dataDir, {
      pipelines: ["vaults"],
      api: { retryBudgetSeconds: 0 },
    })
    const sent = server.requests.slice(before).map(({ url }) => url.split("status=")[1])
    expect(summary.requests).toBe(sent.length)
    return { outcome: summary.outcome, sent }
  })
  const listed = Effect.map(
    query(dataDir, "select vault_address, status from core.vaults where is_current order by 1"),
    (rows) => rows.map((row) => `${Number(row["vault_address"])} ${String(row["status"])}`),
  )
  return { state, dataDir, sync, listed }
})

const versions = (dataDir: string) =>
  query(dataDir, "select vault_address, valid_from, valid_to from core.vaults")

describe("the lists of vaults", () => {
  it.live("are requested at once by later runs", () =>
    Effect.gen(function* () {
      const { state, dataDir, sync, listed } = yield* service
      expect((yield* sync).sent).toEqual(["active", "closed"])
      state.respond = atOnce([1, 3], [2, 8])
      expect(new Set((yield* sync).sent)).toEqual(new Set(["active", "closed"]))
      expect(yield* listed).toEqual(["1 active", "2 closed", "3 active", "8 closed"])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("keep a vault that is closed between their two responses", () =>
    Effect.gen(function* () {
      const { state, dataDir, sync, listed } = yield* service
      yield* sync
      // The second list is read while the vault is active, the first once it is closed.
      const both = atOnce([1, 2], [8])
      let received = 0
      state.respond = (status, response) => {
        received += 1
        if (received <= 2) both(status, response)
        else inLists([1, 2], [3, 8])(status, response)
      }
      expect((yield* sync).sent.slice(2)).toEqual(["closed"])
      expect(yield* listed).toEqual(["1 active", "2 active", "3 closed", "8 closed"])
      expect(yield* versions(dataDir)).toHaveLength(5)
      const [indexed] = yield* query(
        dataDir,
        "select count(*)::int as read, count(*) filter (is_landed)::int as landed from raw.responses",
      )
      expect(indexed).toEqual({ read: 5, landed: 4 })
      yield* expectReplays(dataDir)
    }),
  )

  it.live("change nothing while a vault stays in both", () =>
    Effect.gen(function* () {
      const { state, dataDir, sync, listed } = yield* service
      state.respond = inLists([1, 2, 3], [3, 8])
      yield* sync
      const first = yield* versions(dataDir)
      for (const _run of [1, 2]) expect((yield* sync).sent).toEqual(["active", "closed"])
      expect(yield* versions(dataDir)).toEqual(first)
      expect(yield* listed).toContain("3 closed")
    }),
  )

  it.live("retire nothing if the second can't be read again", () =>
    Effect.gen(function* () {
      const { state, dataDir, sync, listed } = yield* service
      yield* sync
      const both = atOnce([1, 2], [8])
      let received = 0
      state.respond = (status, response) => {
        received += 1
        if (received <= 2) both(status, response)
        else json(response, { detail: "down" }, 418)
      }
      const { outcome, sent } = yield* sync
      expect(outcome).not.toBe("complete")
      expect(sent.slice(2)).toEqual(["closed"])
      expect(yield* listed).toEqual(["1 active", "2 active", "3 active", "8 closed"])
      const [indexed] = yield* query(dataDir, "select count(*)::int as n from raw.responses")
      expect(indexed).toEqual({ n: 5 })
      state.respond = inLists([1, 2], [8])
      expect((yield* sync).sent).toEqual(["active", "closed"])
      expect(yield* listed).toEqual(["1 active", "2 active", "8 closed"])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("that could never be read are not suspicious where one of them is then empty", () =>
    Effect.gen(function* () {
      const { state, sync, listed } = yield* service
      state.respond = (_status, response) => json(response, { detail: "down" }, 418)
      expect((yield* sync).outcome).not.toBe("complete")
      state.respond = inLists([1], [])
      expect((yield* sync).outcome).toBe("complete")
      expect(yield* listed).toEqual(["1 active"])
    }),
  )
})
