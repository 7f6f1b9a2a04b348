// What an answer leaves out has ended only where the answer is whole: not figures that a list has stopped telling, not
// vaults beyond the number a list may be cut off at, not tokens of which it says that it could not resolve them.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { allColumns, type Table, versionsOf } from "../../src/domain/table.ts"
import { defaultTimeFields } from "../../src/domain/timeFields.ts"
import { replay } from "../../src/pipelines/archive/replay.ts"
import { oracleClassification } from "../../src/transform/tables/transparency/oracle_classification.ts"
import { vaultReportedMetrics } from "../../src/transform/tables/vaults/vault_reported_metrics.ts"
import { vaults } from "../../src/transform/tables/vaults/vaults.ts"
import { json, scriptedServer } from "../support/scriptedServer.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { query, runOnce } from "../support/warehouseRun.ts"

const tables: ReadonlyArray<Table> = [
  vaults,
  vaultReportedMetrics,
  oracleClassification,
  versionsOf(oracleClassification),
]

/** Every stored column, as one number a table. */
const content = (dataDir: string) =>
  query(
    dataDir,
    tables
      .map(
        (table) =>
          `select '${table.name}' as name, count(*)::integer as rows, sum(hash(t))::varchar as content
           from (select ${allColumns(table)
             .map(({ name }) => name)
             .join(", ")} from core.${table.name}) t`,
      )
      .join(" union all "),
  )

/** The archive makes the tables again: beside the warehouse, and when that is lost. */
const expectReplays = Effect.fnUntraced(function* (dataDir: string) {
  const before = yield* content(dataDir)
  const options = {
    dataDir,
    timeFields: defaultTimeFields,
    publish: undefined,
    onResponse: () => undefined,
  }
  const again = yield* replay(options)
  expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
  rmSync(join(dataDir, "vaulthouse.duckdb"))
  rmSync(join(dataDir, "vaulthouse.duckdb.wal"), { force: true })
  yield* replay(options)
  expect(yield* content(dataDir)).toEqual(before)
})

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
  it.live("stay when the list that told them stops, and the other has no vaults", () =>
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

  it.live("stay when only the list of closed vaults tells any", () =>
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

  it.live("end where all lists with vaults tell some", () =>
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

describe("a list of vaults as long as somebody's most", () => {
  it.live("ends nobody, and says so once", () =>
    Effect.gen(function* () {
      const { lists, dataDir, sync } = yield* listing({
        active: upTo(130).map(figured),
        closed: [figured(200)],
      })
      expect((yield* sync).warnings).toEqual([])
      lists.active = upTo(100).map(figured)
      lists.closed = [figured(201)]
      const first = yield* sync
      expect(first.summary.outcome).toBe("complete")
      expect(first.warnings).toHaveLength(1)
      expect(first.warnings[0]).toContain("exactly 100 active vaults")
      for (const table of ["vaults", "vault_reported_metrics"]) {
        expect(yield* current(dataDir, table), table).toEqual([...upTo(130), 200, 201])
      }
      expect((yield* sync).warnings).toEqual([])
      expect(yield* current(dataDir, "vaults")).toHaveLength(132)
      lists.active = upTo(99).map(figured)
      expect((yield* sync).warnings).toEqual([])
      expect(yield* current(dataDir, "vaults")).toEqual([...upTo(99), 201])
      expect(yield* current(dataDir, "vault_reported_metrics")).toEqual([...upTo(99), 201])
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
