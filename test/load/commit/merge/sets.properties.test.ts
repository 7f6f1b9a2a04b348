// Sets read repeatedly (the protocols of a day), against a plain model: the table holds the last reading of each set, and
// as of every reading what that one held.
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Value } from "../../../../src/domain/table/column.ts"
import type { Rows } from "../../../../src/domain/table/table.ts"
import { asOfMacros, asOfMacroStatements } from "../../../../src/load/marts/asOf.ts"
import { Warehouse } from "../../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  commitTogether,
  inWarehouse,
  replayed,
  rows,
  rowsOf,
} from "../../sample.ts"
import { holdings } from "../../sets.ts"

const table = holdings

const warehouse = Layer.unwrap(
  Effect.map(temporaryFolder, (dataDir) =>
    Warehouse.layer({ dataDir, tables: [table], runId: "run-1" }),
  ),
)

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Values of three protocols; null where a protocol is not in the set. */
const Members = Schema.Tuple([
  Schema.NullOr(upTo(1)),
  Schema.NullOr(upTo(1)),
  Schema.NullOr(upTo(1)),
])
const Reading = Schema.Struct({
  vault: upTo(1),
  /** Days around the end of a month; null where the response does not name the day. */
  days: Schema.Tuple([Schema.NullOr(Members), Schema.NullOr(Members), Schema.NullOr(Members)]),
})
type Reading = typeof Reading.Type
const Readings = Schema.Array(Reading).check(Schema.isMaxLength(7))

const protocols = ["Aave", "Morpho", "Pendle"]
// 2024-01-30.
const FIRST_DAY = 19_752

type Fact = readonly [vault: string, day: number, protocol: string, value: number]

const vaultOf = (prefix: string, { vault }: Reading): string => `${prefix}-${vault}`

const factsOf = (prefix: string, reading: Reading): ReadonlyArray<Fact> =>
  reading.days.flatMap((members, at) =>
    (members ?? []).flatMap((value, place): ReadonlyArray<Fact> =>
      value === null
        ? []
        : [[vaultOf(prefix, reading), FIRST_DAY + at, protocols[place] ?? "", value]],
    ),
  )

const rowsIn = (prefix: string, reading: Reading, at: number): Rows => {
  const facts = factsOf(prefix, reading)
  const vault_address = vaultOf(prefix, reading)
  const emptySets = reading.days.flatMap((members, day): ReadonlyArray<Record<string, Value>> =>
    members !== null && members.every((value) => value === null)
      ? [{ vault_address, day: FIRST_DAY + day }]
      : [],
  )
  const records = facts.map(([vault, day, protocol, value]) => ({
    vault_address: vault,
    day,
    protocol,
    value,
  }))
  return {
    ...rowsOf(table, records, at),
    ...(emptySets.length === 0 ? {} : { emptySets }),
  }
}

/** What is known after each of the readings. */
const modelled = (
  prefix: string,
  readings: ReadonlyArray<Reading>,
): ReadonlyArray<ReadonlyArray<Fact>> => {
  const sets = new Map<string, ReadonlyArray<Fact>>()
  return readings.map((reading) => {
    for (const [at, members] of reading.days.entries()) {
      if (members === null) continue
      const day = FIRST_DAY + at
      const ofDay = factsOf(prefix, reading).filter((fact) => fact[1] === day)
      sets.set(`${vaultOf(prefix, reading)} ${day}`, ofDay)
    }
    return [...sets.values()].flat()
  })
}

const stored = (prefix: string, source: string) =>
  Effect.map(
    rows(`select vault_address, (day - date '1970-01-01')::double as day, protocol, value
      from ${source} where starts_with(vault_address, '${prefix}-')`),
    (found) =>
      found.map(({ vault_address, day, protocol, value }) => [vault_address, day, protocol, value]),
  )

const sorted = (list: ReadonlyArray<unknown>) => list.map((each) => JSON.stringify(each)).toSorted()

const macros = Effect.flatMap(Warehouse, ({ execute }) =>
  execute(asOfMacros([table]).flatMap(asOfMacroStatements)),
)

let sample = 0
let now = 0

const sinceThen = (counts: { inserted: number; revised: number }) =>
  counts.inserted + counts.revised

layer(warehouse)("sets of a day", (it) => {
  it.effect.prop(
    "are what they were last read as, and were at each reading what it read",
    [Readings, Schema.Boolean],
    ([readings, together]) =>
      Effect.gen(function* () {
        yield* macros
        const prefix = `s${(sample += 1)}`
        const times = readings.map(() => (now += 1000))
        const batches = readings.map((reading, at) =>
          batchOf([rowsIn(prefix, reading, times[at] ?? 0)]),
        )
        if (together) yield* commitTogether(batches)
        else for (const batch of batches) yield* commit(batch)
        const expected = modelled(prefix, readings)
        const check = Effect.gen(function* () {
          expect(sorted(yield* stored(prefix, "core.holdings"))).toEqual(
            sorted(expected.at(-1) ?? []),
          )
          for (const [at, time] of times.entries()) {
            const source = `mart.holdings_as_of(make_timestamp(${time}))`
            expect(sorted(yield* stored(prefix, source))).toEqual(sorted(expected[at] ?? []))
          }
        })
        yield* check
        // The archive again, oldest first, changes nothing.
        for (const batch of batches) expect(sinceThen(yield* commit(batch))).toBe(0)
        yield* check
      }),
    { arbitrary: { runs: 40 } },
  )
})

/** All stored columns, with those of the versions. */
const content = (prefix: string) =>
  Effect.map(
    Effect.all([
      rows(
        `select * exclude (_run_id) from core.holdings where starts_with(vault_address, '${prefix}-')`,
      ),
      rows(`select * exclude (_run_id, _superseded_by_run_id) from core.holdings_versions
        where starts_with(vault_address, '${prefix}-')`),
    ]),
    (both) => both.map(sorted),
  )

layer(warehouse)("the same readings", (it) => {
  it.effect.prop(
    "make the same rows and versions one after the other, together, and in a warehouse of their own",
    [Readings],
    ([readings]) =>
      Effect.gen(function* () {
        const prefix = `t${(sample += 1)}`
        const times = readings.map(() => (now += 1000))
        const batches = readings.map((reading, at) =>
          batchOf([rowsIn(prefix, reading, times[at] ?? 0)]),
        )
        for (const batch of batches) yield* commit(batch)
        const expected = yield* content(prefix)
        // Into an empty warehouse, which skips the search for stored rows.
        const dataDir = yield* temporaryFolder
        const together = yield* inWarehouse(
          dataDir,
          Effect.andThen(commitTogether(batches), content(prefix)),
          { tables: [table] },
        )
        expect(together).toEqual(expected)
      }),
    { arbitrary: { runs: 15 } },
  )
})

layer(warehouse)("a member that is gone", (it) => {
  const day = FIRST_DAY
  const reading = (vault: string, at: number, values: Readonly<Record<string, number>>) => {
    const records = Object.entries(values).map(([protocol, value]) => ({
      vault_address: vault,
      day,
      protocol,
      value,
    }))
    const emptySets = records.length === 0 ? { emptySets: [{ vault_address: vault, day }] } : {}
    return { ...rowsOf(table, records, at), ...emptySets }
  }
  const versions = (vault: string) =>
    rows(`select protocol, value, epoch_us(_updated_at)::double as since,
        epoch_us(_superseded_at)::double as until, _superseded_by_run_id as by
      from core.holdings_versions where vault_address = '${vault}' order by until, protocol`)
  const current = (vault: string) =>
    rows(`select protocol, value, epoch_us(_first_seen_at)::double as first,
        epoch_us(_updated_at)::double as since
      from core.holdings where vault_address = '${vault}' order by protocol`)

  it.effect("moves to the versions, counts as revised, and starts again when it is back", () =>
    Effect.gen(function* () {
      const at = [1, 2, 3].map((step) => (now += step * 1000))
      const [first = 0, second = 0, third = 0] = at
      yield* commit(batchOf([reading("g", first, { Aave: 50, Morpho: 50 })]))
      const counts = yield* commit(replayed("run-2", [reading("g", second, { Aave: 100 })]))
      expect(counts).toEqual({ inserted: 0, revised: 2, unchanged: 0 })
      expect(yield* current("g")).toEqual([{ protocol: "Aave", value: 100, first, since: second }])
      expect(yield* versions("g")).toEqual([
        { protocol: "Aave", value: 50, since: first, until: second, by: "run-2" },
        { protocol: "Morpho", value: 50, since: first, until: second, by: "run-2" },
      ])
      expect(yield* commit(batchOf([reading("g", third, { Aave: 100, Morpho: 1 })]))).toEqual({
        inserted: 1,
        revised: 0,
        unchanged: 1,
      })
      expect(yield* current("g")).toEqual([
        { protocol: "Aave", value: 100, first, since: second },
        { protocol: "Morpho", value: 1, first, since: third },
      ])
    }),
  )

  it.effect("is not restored by an older response", () =>
    Effect.gen(function* () {
      const [first = 0, between = 0, second = 0] = [1, 2, 3].map(() => (now += 1000))
      yield* commit(batchOf([reading("h", first, { Aave: 1, Morpho: 1 })]))
      yield* commit(batchOf([reading("h", second, { Aave: 1 })]))
      expect(yield* commit(batchOf([reading("h", between, { Aave: 1, Morpho: 2 })]))).toEqual({
        inserted: 0,
        revised: 0,
        unchanged: 2,
      })
      expect(yield* current("h")).toEqual([{ protocol: "Aave", value: 1, first, since: first }])
    }),
  )

  it.effect("of a set in two pages stays when either page has it", () =>
    Effect.gen(function* () {
      const [first = 0, second = 0, third = 0] = [1, 2, 3].map(() => (now += 1000))
      yield* commit(batchOf([reading("p", first, { Aave: 1, Morpho: 1, Pendle: 1 })]))
      yield* commit(
        batchOf([reading("p", second, { Aave: 1 }), reading("p", third, { Pendle: 1 })]),
      )
      expect((yield* current("p")).map(({ protocol }) => protocol)).toEqual(["Aave", "Pendle"])
      expect(yield* versions("p")).toMatchObject([{ protocol: "Morpho", until: third }])
    }),
  )

  it.effect("marks the month of the table and of its versions as changed", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const work = Effect.gen(function* () {
        const marks = rows(`select table_name, month, epoch_us(changed_at)::double as at
          from ops.partition_changes where table_schema = 'core' order by table_name`)
        yield* commit(batchOf([reading("m", 1000, { Aave: 1, Morpho: 1 })]))
        const before = yield* marks
        const { exclusively } = yield* Warehouse
        yield* exclusively("As after an export", async ({ marked }) => marked.clear())
        yield* commit(batchOf([reading("m", 2000, { Aave: 1 })]))
        return { before, after: yield* marks }
      })
      const { before, after } = yield* inWarehouse(dataDir, work, { tables: [table] })
      expect(before).toMatchObject([{ table_name: "holdings", month: "2024-01" }])
      expect(after).toMatchObject([
        { table_name: "holdings", month: "2024-01" },
        { table_name: "holdings_versions", month: "2024-01" },
      ])
      expect(Number(after[0]?.["at"])).toBeGreaterThan(Number(before[0]?.["at"]))
    }),
  )

  it.effect("leaves other sets alone, and other times of the same vault", () =>
    Effect.gen(function* () {
      const [first = 0, second = 0] = [1, 2].map(() => (now += 1000))
      yield* commit(
        batchOf([reading("o", first, { Aave: 1 }), reading("q", first + 1, { Aave: 1 })]),
      )
      yield* commit(
        batchOf([
          rowsOf(
            table,
            [{ vault_address: "o", day: day + 1, protocol: "Morpho", value: 1 }],
            second,
          ),
        ]),
      )
      expect(yield* current("o")).toHaveLength(2)
      expect(yield* current("q")).toHaveLength(1)
    }),
  )

  it.effect("is retired with all others by an empty set", () =>
    Effect.gen(function* () {
      const [first = 0, second = 0] = [1, 2].map(() => (now += 1000))
      yield* commit(batchOf([reading("e", first, { Aave: 1, Morpho: 2 })]))
      expect(yield* commit(batchOf([reading("e", second, {})]))).toEqual({
        inserted: 0,
        revised: 2,
        unchanged: 0,
      })
      expect(yield* current("e")).toEqual([])
      expect(yield* versions("e")).toHaveLength(2)
    }),
  )
})
