// A vault's page doesn't show as none what was never read.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { publishAnyway } from "../../src/pipelines/publication/publish.ts"
import { change } from "../support/warehouseRun.ts"
import { get, smallWarehouse, startServer } from "./support.ts"

const small = smallWarehouse()

it.live("the withdrawals of a vault are unknown until their list was read, and then none", () =>
  Effect.gen(function* () {
    const dataDir = yield* small
    const page = Effect.gen(function* () {
      const url = yield* startServer(dataDir)
      const [, path = ""] = /class="vault" href="([^"]+)"/.exec((yield* get(url)).body) ?? []
      return (yield* get(`${url}${path}`)).body
    }).pipe(Effect.scoped)
    const [unknown, none] = [
      "No list of pending withdrawals is known.",
      "No withdrawal is pending.",
    ]
    const before = yield* page
    expect([before.includes(unknown), before.includes(none)]).toEqual([true, false])
    yield* change(
      dataDir,
      `insert into core.withdrawal_summaries by name
       select vault_address, chain_id, 0 as pending_requests, extra, is_current, valid_from, columns('^_')
       from core.vaults where is_current`,
    )
    yield* publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })
    const after = yield* page
    expect([after.includes(unknown), after.includes(none)]).toEqual([false, true])
  }).pipe(Effect.scoped),
)
