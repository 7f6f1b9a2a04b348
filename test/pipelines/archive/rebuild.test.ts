// What a rebuild makes of a response that can't be read, or not all of it: nothing that only a whole reading shows, and no table
// that lacks what was stored of it.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { replay } from "../../../src/pipelines/archive/replay.ts"
import { replayQuarantine } from "../../../src/pipelines/archive/replayQuarantine.ts"
import { content, replayed, replayOptions } from "../../support/replays.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { asAdmin } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

const CAP = 3

it.live("a set of which one page can't be read retires none of its members", () =>
  Effect.gen(function* () {
    const directory = Array.from({ length: 6 }, (_, at) => ({
      address: `0x${String(at + 1).repeat(40)}`,
      name: `subaccount ${at}`,
    }))
    // Another spelling of the same records: a body of its own, and no new version.
    let indent = ""
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const offset = Number(new URL(path, "http://service").searchParams.get("offset"))
      const page = JSON.stringify(directory.slice(offset, offset + CAP), null, indent)
      response.writeHead(200, { "content-type": "application/json" }).end(page)
    })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(url, dataDir, { api: asAdmin, pipelines: ["subaccounts"] })
    expect((yield* sync).summary.outcome).toBe("complete")
    indent = " "
    expect((yield* sync).summary.outcome).toBe("complete")
    const before = yield* content(dataDir)
    const members = () =>
      query(
        dataDir,
        "select subaccount_address as address, is_current, valid_to from core.subaccounts order by address",
      )
    const listed = yield* members()
    expect(listed.map(({ address }) => address)).toEqual(directory.map(({ address }) => address))

    // The last page of the second reading.
    yield* change(
      dataDir,
      `update raw.responses set archive_offset = 100000000 where response_id = (
         select max_by(response_id, received_at) from raw.responses)`,
      "checkpoint",
    )
    const { unreadable, lost } = yield* replayed(dataDir)
    expect(unreadable).toHaveLength(1)
    expect(lost).toEqual([])
    expect(yield* members()).toEqual(listed)
    expect(yield* content(dataDir)).toEqual(before)
  }),
)

it.live("a table stays as it is where only superseded values would be lost", () =>
  Effect.gen(function* () {
    let value = 1
    const { url } = yield* scriptedServer(({ url: path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://service")
      if (pathname.endsWith("unrealized_pnl")) {
        const snapshots = [3, 2, 1].map((hour) => ({
          timestamp: `2026-01-01T0${hour}:00:00Z`,
          unrealizedPnl: hour * value,
          unrealizedPnlInAsset: hour * value,
        }))
        return json(response, snapshots)
      }
      const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
      json(response, searchParams.get("status") === "active" ? vaults : [])
    })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(url, dataDir, { pipelines: ["pnl_history"] })
    yield* sync
    value = 10
    yield* sync
    const versions = query(
      dataDir,
      "select unrealized_pnl as value from core.pnl_history_versions order by value",
    )
    const superseded = [1, 2, 3].map((each) => ({ value: each }))
    expect(yield* versions).toEqual(superseded)
    const before = yield* content(dataDir)
    yield* change(
      dataDir,
      `update raw.responses set archive_offset = 100000000 where response_id = (
         select min_by(response_id, received_at) from raw.responses where pipeline = 'pnl_history')`,
      "checkpoint",
    )
    const { lost, tables } = yield* replayed(dataDir)
    expect(lost).toEqual([{ table: "core.pnl_history_versions", rows: 3 }])
    expect(tables.map(({ table }) => table)).not.toContain("core.pnl_history")
    expect(yield* versions).toEqual(superseded)
    expect(yield* content(dataDir)).toEqual(before)
  }),
)

const executedAt = { fields: { "transactions.executed_at": ["mined_at"] } }

/** Transactions of two chains, of which the second names their time as only the setting does. */
const transactions = Effect.gen(function* () {
  const sent = [
    { hash: "0xaa", block_timestamp: "2026-01-01T01:00:00Z", status: "ok" },
    { hash: "0xbb", mined_at: "2026-01-01T02:00:00Z", status: "ok" },
    { hash: "0xcc", mined_at: "2026-01-01T03:00:00Z", status: "ok" },
  ]
  let broken: object | undefined
  const { url } = yield* scriptedServer(({ url: path }, response) => {
    const { pathname, searchParams } = new URL(path, "http://service")
    if (pathname === "/subaccounts") return json(response, [{ address: `0x${"1".repeat(40)}` }])
    if (pathname !== "/transactions/v2" || searchParams.has("endTime")) return json(response, [])
    json(response, broken ?? sent)
  })
  const dataDir = yield* temporaryFolder
  const run = (settings: object = executedAt) =>
    runOnce(url, dataDir, {
      pipelines: ["my_subaccounts", "transactions"],
      api: asAdmin,
      settings,
    })
  const breakDown = (body: object | undefined): void => {
    broken = body
  }
  return { sent, dataDir, run, breakDown }
})

it.live("a table stays as it is where it would lose rows of records that can't be read now", () =>
  Effect.gen(function* () {
    const { dataDir, run } = yield* transactions
    expect((yield* run()).summary.outcome).toBe("complete")
    const before = yield* content(dataDir)
    const { lost, unreadable, tables } = yield* replayed(dataDir)
    expect(lost).toEqual([{ table: "core.transactions", rows: 2 }])
    expect(unreadable).toMatchObject([
      { pipeline: "transactions", why: expect.stringContaining("executed_at") },
    ])
    expect(tables.map(({ table }) => table)).not.toContain("core.transactions")
    expect(yield* content(dataDir)).toEqual(before)

    yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
    const again = yield* replay({ ...replayOptions(dataDir), ...executedAt })
    expect([...again.unreadable, ...again.lost]).toEqual([])
    expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
    expect(yield* content(dataDir)).toEqual(before)
  }),
)

it.live("a record that was in quarantine from the beginning holds up no replay", () =>
  Effect.gen(function* () {
    const { dataDir, run } = yield* transactions
    expect((yield* run({})).summary.outcome).toBe("partial")
    yield* change(dataDir, "update core.transactions set status = 'other'")
    const { lost, unreadable, tables } = yield* replayed(dataDir)
    expect([...lost, ...unreadable]).toEqual([])
    expect(tables.filter(({ isSame }) => !isSame)).toMatchObject([{ table: "core.transactions" }])
  }),
)

it.live("what is loaded from quarantine takes no rows from other responses", () =>
  Effect.gen(function* () {
    const { dataDir, run, breakDown } = yield* transactions
    yield* run()
    breakDown([{ hash: "0xdd", sealed_at: "2026-01-01T04:00:00Z" }])
    expect((yield* run()).summary.outcome).toBe("partial")
    const before = yield* content(dataDir)
    const sealedAt = { fields: { "transactions.executed_at": ["sealed_at"] } }
    const failure = yield* Effect.flip(replayQuarantine({ ...replayOptions(dataDir), ...sealedAt }))
    expect(failure.message).toContain("2 rows of core.transactions")
    expect(yield* content(dataDir)).toEqual(before)
  }),
)

it.live("a table stays as it is where it would lose values, whatever earlier responses have", () =>
  Effect.gen(function* () {
    const { sent, dataDir, run, breakDown } = yield* transactions
    const [one, two] = sent
    breakDown([one, { ...two, block_timestamp: two?.mined_at, mined_at: undefined }])
    yield* run()
    breakDown([one, { ...two, status: "failed" }])
    yield* run()
    const before = yield* content(dataDir)
    const { lost, unreadable } = yield* replayed(dataDir)
    expect(lost).toMatchObject([{ table: "core.transactions" }])
    expect(unreadable).toHaveLength(1)
    expect(yield* content(dataDir)).toEqual(before)
  }),
)

it.live("rows that an earlier response has now are not lost", () =>
  Effect.gen(function* () {
    const { sent, dataDir, run, breakDown } = yield* transactions
    const named = (hash: string, field: string) => ({
      ...sent[0],
      block_timestamp: undefined,
      hash,
      [field]: "2026-01-01T01:00:00Z",
    })
    breakDown([named("0xaa", "mined_at")])
    yield* run({})
    breakDown([named("0xaa", "block_timestamp"), named("0xcc", "sealed_at")])
    yield* run({})
    const { closed } = yield* replayQuarantine({ ...replayOptions(dataDir), ...executedAt })
    expect(closed).toBe(1)
    expect(yield* query(dataDir, "select count(*)::int as n from core.transactions")).toEqual([
      { n: 1 },
    ])
  }),
)

/** The totals of a vault, and its queue in a field that only the setting names. */
const withdrawals = Effect.gen(function* () {
  const request = (at: number) => ({
    id: `0x${at}`,
    withdrawalId: `w${at}`,
    owner: `0x${"2".repeat(40)}`,
    assets: String(at),
    requested_at: "2026-01-01T00:00:00Z",
  })
  let waiting: ReadonlyArray<unknown> = [request(1), request(2)]
  const { url } = yield* scriptedServer(({ url: path }, response) => {
    const { pathname, searchParams } = new URL(path, "http://service")
    if (pathname.includes("withdrawals")) return json(response, { total_assets: "100", waiting })
    const vaults = [{ address: `0x${"1".repeat(40)}`, chain: 1 }]
    json(response, searchParams.get("status") === "active" ? vaults : [])
  })
  const dataDir = yield* temporaryFolder
  const settings = { fields: { withdrawal_requests: ["waiting"] } }
  const run = runOnce(url, dataDir, { pipelines: ["withdrawals"], settings })
  const add = (...elements: ReadonlyArray<unknown>): void => {
    waiting = [...waiting, ...elements]
  }
  const ids = query(dataDir, "select request_id from core.withdrawal_requests order by 1")
  return { dataDir, settings, run, add, ids }
})

it.live("a table stays as it is where the setting no longer names the place of its records", () =>
  Effect.gen(function* () {
    const { dataDir, run, ids } = yield* withdrawals
    yield* run
    const before = yield* ids
    const { lost, unreadable } = yield* replayed(dataDir)
    expect(lost).toEqual([{ table: "core.withdrawal_requests", rows: 2 }])
    expect(unreadable).toMatchObject([
      { pipeline: "withdrawals", why: "has no rows of core.withdrawal_requests any more" },
    ])
    expect(yield* ids).toEqual(before)
  }),
)

it.live("a setting that changes all keys is applied beside a record in quarantine", () =>
  Effect.gen(function* () {
    const { dataDir, settings, run, add, ids } = yield* withdrawals
    add("odd")
    yield* run
    expect(yield* ids).toHaveLength(2)
    const fields = { ...settings.fields, "withdrawal_requests.request_id": ["withdrawalId"] }
    const { lost, unreadable } = yield* replay({ ...replayOptions(dataDir), fields })
    expect([...lost, ...unreadable]).toEqual([])
    expect(yield* ids).toEqual([{ request_id: "w1" }, { request_id: "w2" }])
  }),
)
