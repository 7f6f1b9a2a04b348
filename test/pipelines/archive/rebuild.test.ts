// What a rebuild makes of a commit with a response that can't be read: nothing that only a whole reading shows.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { content, replayed } from "../../support/replays.ts"
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
