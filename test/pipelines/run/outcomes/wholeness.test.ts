// What an answer leaves out has ended only where the answer is whole: not figures that a list has stopped telling, not
// vaults beyond the number a list may be cut off at, not tokens of which it says that it could not resolve them.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { expectReplays } from "../../../support/replays.ts"
import { json, scriptedServer } from "../../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at)

/** A vault of a list, without figures and with them. */
const bare = (n: number) => ({ address: address(n), chain: 1, name: `Vault ${n}` })
const figured = (n: number) => ({ ...bare(n), latest_reported_tvl: n * 2 })

interface Lists {
  active: ReadonlyArray<object>
  closed: ReadonlyArray<object>
}

const listing = Effect.fnUntraced(function* (lists: Lists) {
  const server = yield* scriptedServer(({ url }, response) =>
    json(response, url.endsWith("status=closed") ? lists.closed : lists.active),
  )
  const dataDir = yield* temporaryFolder
  const sync = Effect.map(
    runOnce(server.url, dataDir, { pipelines: ["vaults"] }),
    ({ summary, events }) => ({
      summary,
      warnings: events.flatMap((event) => (event.kind === "warning" ? [event.text] : [])),
    }),
  )
  return { lists, dataDir, sync }
})

const current = (dataDir: string, table: string) =>
  Effect.map(
    query(dataDir, `select vault_address from core.${table} where is_current order by 1`),
    (rows) => rows.map((row) => Number(row["vault_address"])),
  )

describe("the reported figures", () => {
  it.live("stay when the list that had them has none any more, and the other has no vaults", () =>
    Effect.gen(function* () {
      const { lists, dataDir, sync } = yield* listing({ active: upTo(2).map(figured), closed: [] })
      yield* sync
      lists.active = upTo(3).map(bare)
      yield* sync
      expect(yield* current(dataDir, "vaults")).toEqual([1, 2, 3])
      expect(yield* current(dataDir, "vault_reported_metrics")).toEqual([1, 2])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("stay when only the list of closed vaults has any", () =>
    Effect.gen(function* () {
      const { lists, dataDir, sync } = yield* listing({
        active: upTo(2).map(figured),
        closed: [figured(8)],
      })
      yield* sync
      lists.active = upTo(2).map(bare)
      yield* sync
      expect(yield* current(dataDir, "vault_reported_metrics")).toEqual([1, 2, 8])
      yield* expectReplays(dataDir)
    }),
  )

  it.live("end where all lists with vaults have some", () =>
    Effect.gen(function* () {
      const { lists, dataDir, sync } = yield* listing({ active: upTo(2).map(figured), closed: [] })
      yield* sync
      lists.active = [figured(1), bare(2)]
      yield* sync
      expect(yield* current(dataDir, "vault_reported_metrics")).toEqual([1])
      yield* expectReplays(dataDir)
    }),
  )
})

describe("a list of exactly 100 vaults", () => {
  it.live("retires those it leaves out, like any other", () =>
    Effect.gen(function* () {
      const { lists, dataDir, sync } = yield* listing({
        active: upTo(130).map(figured),
        closed: [figured(200)],
      })
      yield* sync
      lists.active = upTo(100).map(figured)
      expect((yield* sync).warnings).toEqual([])
      for (const table of ["vaults", "vault_reported_metrics"]) {
        expect(yield* current(dataDir, table), table).toEqual([...upTo(100), 200])
      }
      yield* expectReplays(dataDir)
    }),
  )
})

describe("a token that could not be resolved", () => {
  const day = "2026-06-01"

  it.live("has not left the day's classification", () =>
    Effect.gen(function* () {
      const readings: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
        [["A", "B", "C"], []],
        [["A", "B"], ["could not resolve C"]],
        [["A"], []],
        [["A"], ["could not resolve B"]],
      ]
      let run = 0
      const server = yield* scriptedServer(({ url }, response) => {
        if (!url.includes("/oracle_classification/")) {
          return json(response, url.endsWith("status=active") ? [bare(1)] : [])
        }
        const [symbols, warnings] = readings[run] ?? [[], []]
        json(response, {
          date: day,
          warnings,
          positions: symbols.map((symbol) => ({
            token_symbol: symbol,
            pricing_class: "Primary",
            usd_value: run,
          })),
        })
      })
      const dataDir = yield* temporaryFolder
      const held: Array<unknown> = []
      for (run of readings.keys()) {
        yield* runOnce(server.url, dataDir, { pipelines: ["oracle_classification"] })
        const [row] = yield* query(
          dataDir,
          `select string_agg(token_symbol || usd_value::integer, ' ' order by token_symbol) as held
           from core.oracle_classification where date = date '${day}'`,
        )
        held.push(row?.["held"])
      }
      // What was resolved is as of the answer that warned; the next without a warning is believed.
      expect(held).toEqual(["A0 B0 C0", "A1 B1 C0", "A2", "A3"])
      yield* expectReplays(dataDir)
    }),
  )
})
