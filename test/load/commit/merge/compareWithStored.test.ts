// What a row that is read again becomes, by its values and the time of its response: new, revised or unchanged.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Value } from "../../../../src/domain/table/column.ts"
import type { Table } from "../../../../src/domain/table/table.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  commitTogether,
  descriptions,
  hour,
  inWarehouse,
  reading,
  readings,
  rows,
  rowsOf,
} from "../../sample.ts"

const [FIRST, SECOND, THIRD] = [1_000_000, 2_000_000, 3_000_000]

/** A warehouse in which the hour of a vault was stored, so that what follows is compared with stored rows. */
const compared = <A, E>(
  work: Effect.Effect<A, E, Effect.Services<ReturnType<typeof commit>>>,
  tables: ReadonlyArray<Table> = [readings, descriptions],
) => Effect.flatMap(temporaryFolder, (dataDir) => inWarehouse(dataDir, work, { tables }))

const readAt = (receivedAt: number, values: Readonly<Record<string, Value>>) =>
  batchOf([rowsOf(readings, [{ ...reading("a", 0, 1), ...values }], receivedAt)])

const NEW = { inserted: 1, revised: 0, unchanged: 0 }
const REVISED = { inserted: 0, revised: 1, unchanged: 0 }
const UNCHANGED = { inserted: 0, revised: 0, unchanged: 1 }

describe("a row of a history that is read again", () => {
  it.effect("is revised by any other value, null included, and by no equal one", () =>
    compared(
      Effect.gen(function* () {
        let at = FIRST
        let row: Readonly<Record<string, Value>> = {}
        const read = (changed: Readonly<Record<string, Value>>) =>
          commit(readAt((at += 1), (row = { ...row, ...changed })))
        expect(yield* read({})).toEqual(NEW)
        const values = { count: 0, flag: false, day: -1, note: "", amount: "0", extra: "{}" }
        for (const [name, value] of Object.entries(values)) {
          expect([name, yield* read({ [name]: value })]).toEqual([name, REVISED])
        }
        expect(yield* read({})).toEqual(UNCHANGED)
        for (const name of Object.keys(values)) {
          expect([name, yield* read({ [name]: null })]).toEqual([name, REVISED])
        }
        expect(yield* read({})).toEqual(UNCHANGED)
        const versions = yield* rows(`select count(*)::int as n, count("count")::int as counts,
          count(extra)::int as extras from core.readings_versions`)
        expect(versions).toEqual([{ n: 12, counts: 6, extras: 6 }])
      }),
    ),
  )

  it.effect("is not replaced by what an older response said", () =>
    compared(
      Effect.gen(function* () {
        expect(yield* commit(readAt(SECOND, { value: 2 }))).toEqual(NEW)
        expect(yield* commit(readAt(FIRST, { value: 1 }))).toEqual(UNCHANGED)
        // Nor by another one of the same moment.
        expect(yield* commit(readAt(SECOND, { value: 3 }))).toEqual(UNCHANGED)
        expect(yield* commit(readAt(THIRD, { value: 3 }))).toEqual(REVISED)
        expect(yield* rows("select value from core.readings")).toEqual([{ value: 3 }])
        expect(yield* rows("select value from core.readings_versions")).toEqual([{ value: 2 }])
      }),
    ),
  )

  it.effect("takes the last of several rows in one response, however many there are", () =>
    compared(
      Effect.gen(function* () {
        yield* commit(readAt(FIRST, { value: 1 }))
        const values = [5, 3, 4, 2]
        const page = values.map((value) => reading("a", 0, value))
        expect(yield* commit(batchOf([rowsOf(readings, page, SECOND)]))).toEqual(REVISED)
        expect(yield* rows("select value from core.readings")).toEqual([{ value: 2 }])
      }),
    ),
  )

  it.effect("keeps what each of three batches of a commit said, in their order", () =>
    compared(
      Effect.gen(function* () {
        const batches = [7, 8, 9].map((value, at) => readAt(FIRST + at, { value }))
        expect(yield* commitTogether(batches)).toEqual([NEW, REVISED, REVISED])
        expect(yield* rows("select value from core.readings")).toEqual([{ value: 9 }])
        const versions = yield* rows(`select value, epoch_us(_superseded_at)::double as until
          from core.readings_versions order by until`)
        expect(versions).toEqual([
          { value: 7, until: FIRST + 1 },
          { value: 8, until: FIRST + 2 },
        ])
      }),
    ),
  )

  it.effect("is not revised by a column that changes with every response", () => {
    const columns = readings.columns.map((column) =>
      column.name === "count" ? { ...column, isIncidental: true as const } : column,
    )
    const table = { ...readings, columns }
    const read = (at: number, count: number, value: number) =>
      commit(batchOf([rowsOf(table, [{ ...reading("a", 0, value), count }], at)]))
    return compared(
      Effect.gen(function* () {
        yield* read(FIRST, 1, 1)
        expect(yield* read(SECOND, 2, 1)).toEqual(UNCHANGED)
        expect(yield* read(THIRD, 3, 2)).toEqual(REVISED)
      }),
      [table],
    )
  })

  it.effect("is found at its own time only", () =>
    compared(
      Effect.gen(function* () {
        yield* commit(readAt(FIRST, { value: 1 }))
        const next = { ...reading("a", 1, 1) }
        expect(yield* commit(batchOf([rowsOf(readings, [next], SECOND)]))).toEqual(NEW)
        const stored = yield* rows(
          "select epoch_us(observed_at)::double as observed from core.readings order by 1",
        )
        expect(stored).toEqual([{ observed: hour(0) }, { observed: hour(1) }])
      }),
    ),
  )
})

describe("a row of a slowly changing table whose set was read without it", () => {
  const read = (at: number, titles: ReadonlyArray<string>) =>
    commit(
      batchOf([
        {
          ...rowsOf(
            descriptions,
            titles.map((title) => ({ vault_address: title, title, fee: 1 })),
            at,
          ),
          mergeKey: {},
        },
      ]),
    )
  const history = Effect.map(
    rows(`select title, is_current, epoch_us(valid_from)::double as since,
        epoch_us(valid_to)::double as until, epoch_us(_first_seen_at)::double as seen
      from core.descriptions order by title, since`),
    (found) => found,
  )

  it.effect("ends then, and begins again when it is back, since first seen", () =>
    compared(
      Effect.gen(function* () {
        yield* read(FIRST, ["A", "B"])
        expect(yield* read(SECOND, ["A"])).toEqual({ inserted: 0, revised: 1, unchanged: 1 })
        expect(yield* read(THIRD, ["A", "B"])).toEqual({ inserted: 1, revised: 0, unchanged: 1 })
        const a = { title: "A", is_current: true, since: FIRST, until: null, seen: FIRST }
        const b = { title: "B", seen: FIRST }
        expect(yield* history).toEqual([
          a,
          { ...b, is_current: false, since: FIRST, until: SECOND },
          { ...b, is_current: true, since: THIRD, until: null },
        ])
      }),
    ),
  )

  it.effect("is not brought back by a response from before that", () =>
    compared(
      Effect.gen(function* () {
        yield* read(FIRST, ["A", "B"])
        yield* read(THIRD, ["A"])
        yield* commit(
          batchOf([rowsOf(descriptions, [{ vault_address: "B", title: "B", fee: 2 }], SECOND)]),
        )
        const ended = yield* history
        expect(ended.filter(({ title }) => title === "B")).toEqual([
          { title: "B", is_current: false, since: FIRST, until: THIRD, seen: FIRST },
        ])
      }),
    ),
  )
})
