// Random sequences of groups of batches, against a plain model that applies one batch after the other.
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Committed } from "../../../../src/domain/run/outcome.ts"
import { Warehouse } from "../../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import {
  batchOf,
  commitTogether,
  descriptions,
  hour,
  type Reading,
  reading,
  readingsBatch,
  rows,
  rowsOf,
  sampleTables,
} from "../../sample.ts"

const warehouse = Layer.unwrap(
  Effect.map(temporaryFolder, (dataDir) =>
    Warehouse.layer({ dataDir, tables: sampleTables, runId: "run-1" }),
  ),
)

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

// Few vaults, hours and values, so that keys meet and values return.
const Point = Schema.Struct({ vault: upTo(2), at: upTo(12), value: Schema.NullOr(upTo(2)) })
type Point = typeof Point.Type
const Groups = Schema.Array(
  Schema.Array(Schema.Array(Point).check(Schema.isMaxLength(8))).check(Schema.isMaxLength(4)),
).check(Schema.isMaxLength(5))
const Titles = Schema.Array(Schema.Array(upTo(2)).check(Schema.isMaxLength(4))).check(
  Schema.isMaxLength(5),
)

const many = { arbitrary: { runs: 40 } }

/** All samples share a warehouse, each with its own vaults. */
let sample = 0
const nextSample = (): string => `s${(sample += 1)}`

class HistoryModel {
  readonly current = new Map<string, Reading>()
  readonly superseded: Array<Reading> = []

  apply(batch: ReadonlyArray<Reading>): Committed {
    const counts = { inserted: 0, revised: 0, unchanged: 0 }
    const last = new Map(batch.map((row) => [`${row.vault_address} ${row.observed_at}`, row]))
    for (const [key, row] of last) {
      const old = this.current.get(key)
      if (old === undefined) counts.inserted += 1
      else if (old["value"] === row["value"]) {
        counts.unchanged += 1
        continue
      } else {
        counts.revised += 1
        this.superseded.push(old)
      }
      this.current.set(key, row)
    }
    return counts
  }
}

const plain = (readings: Iterable<Reading>) =>
  [...readings].map(({ vault_address, observed_at, value }) => [vault_address, observed_at, value])

const stored = (table: string, prefix: string) =>
  Effect.map(
    rows(`SELECT vault_address, epoch_us(observed_at) AS at, value FROM core.${table}
      WHERE starts_with(vault_address, '${prefix}-')`),
    (found) => found.map(({ vault_address, at, value }) => [vault_address, at, value]),
  )

const sorted = (lists: ReadonlyArray<ReadonlyArray<unknown>>) =>
  lists.map((list) => JSON.stringify(list)).toSorted()

const agrees = Effect.fnUntraced(function* (
  groups: ReadonlyArray<ReadonlyArray<ReadonlyArray<Point>>>,
  vaultOf: (prefix: string, point: Point, batch: number) => string,
) {
  const prefix = nextSample()
  const model = new HistoryModel()
  for (const group of groups) {
    const batches = group.map((points, batch) =>
      points.map((point) => reading(vaultOf(prefix, point, batch), point.at, point.value)),
    )
    const expected = batches.map((batch) => model.apply(batch))
    const committed = yield* commitTogether(batches.map((batch) => readingsBatch(batch)))
    expect(committed).toEqual(expected)
  }
  expect(sorted(yield* stored("readings", prefix))).toEqual(sorted(plain(model.current.values())))
  expect(sorted(yield* stored("readings_versions", prefix))).toEqual(
    sorted(plain(model.superseded)),
  )
})

layer(warehouse)("history of series read one at a time", (it) => {
  it.effect.prop(
    "agrees with the model",
    [Groups],
    ([groups]) => agrees(groups, (prefix, _, batch) => `${prefix}-${batch % 2}`),
    many,
  )
})

layer(warehouse)("history of series read together", (it) => {
  it.effect.prop(
    "agrees with the model",
    [Groups],
    ([groups]) => agrees(groups, (prefix, { vault }) => `${prefix}-${vault}`),
    many,
  )

  it.effect("the model counts a revision and keeps the old value", () =>
    Effect.sync(() => {
      const model = new HistoryModel()
      const first = model.apply([reading("a", 0, 1), reading("a", 0, 2)])
      expect(first).toEqual({ inserted: 1, revised: 0, unchanged: 0 })
      expect(model.apply([reading("a", 0, 1)])).toEqual({ inserted: 0, revised: 1, unchanged: 0 })
      expect(plain(model.superseded)).toEqual([["a", hour(0), 2]])
    }),
  )
})

layer(warehouse)("slowly changing content", (it) => {
  it.effect.prop(
    "has one period for each change, without gap or overlap",
    [Titles],
    ([groups]) =>
      Effect.gen(function* () {
        const vault = nextSample()
        const expected: Array<number> = []
        for (const group of groups) {
          yield* commitTogether(
            group.map((title) =>
              batchOf([rowsOf(descriptions, [{ vault_address: vault, title: String(title) }])]),
            ),
          )
          for (const title of group) if (expected.at(-1) !== title) expected.push(title)
        }
        const periods = yield* rows(`SELECT title, is_current, valid_to IS NULL AS open,
            coalesce(valid_from = lag(valid_to) OVER (ORDER BY valid_from), true) AS meets,
            valid_to > valid_from IS NOT FALSE AS forward
          FROM core.descriptions WHERE vault_address = '${vault}' ORDER BY valid_from`)
        expect(periods).toEqual(
          expected.map((title, at) => ({
            title: String(title),
            is_current: at === expected.length - 1,
            open: at === expected.length - 1,
            meets: true,
            forward: true,
          })),
        )
      }),
    many,
  )
})
