// What is read back of appended rows: every value, on both sides of zero, and every null, in each of several vectors.
import { setTimeout } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { BrokenInvariant } from "../../../src/domain/invariant.ts"
import type { Value } from "../../../src/domain/table/column.ts"
import { appendRows, type Cells } from "../../../src/load/duckdb/appendRows.ts"

const VECTOR_SIZE = 2048
const TWO_TO_32 = 2 ** 32

const connection = Effect.acquireRelease(
  Effect.promise(async () => (await DuckDBInstance.create(":memory:", { threads: "1" })).connect()),
  (opened) => Effect.sync(() => opened.closeSync()),
)

/** Appends `length` rows of columns of these types; what the table then holds, as text, column by column. */
const readBack = Effect.fnUntraced(function* (
  types: ReadonlyArray<string>,
  length: number,
  columns: ReadonlyArray<Cells>,
) {
  const opened = yield* connection
  return yield* Effect.promise(async () => {
    const names = types.map((type, at) => `c${at} ${type}`)
    await opened.run(`CREATE TEMP TABLE appended (${names.join(", ")})`)
    const target = { catalog: "temp", schema: "main", name: "appended" }
    await appendRows(opened, target, [{ length, columns }])
    const asText = types.map((type, at) =>
      type === "TIMESTAMP" ? `epoch_us(c${at})::VARCHAR` : `c${at}::VARCHAR`,
    )
    const found = await opened.runAndReadAll(
      `SELECT ${asText.join(", ")} FROM appended ORDER BY rowid`,
    )
    return found.getColumns()
  })
})

it.effect("whole numbers and instants are exact, those below zero and before 1970 too", () =>
  Effect.gen(function* () {
    const values = [0, 1, 1234, TWO_TO_32 - 1, TWO_TO_32, TWO_TO_32 + 1, Number.MAX_SAFE_INTEGER]
    const both = [...values, ...values.map((value) => 0 - value)]
    const texts = both.map((value) => BigInt(value).toString())
    const types = ["BIGINT", "TIMESTAMP"]
    expect(yield* readBack(types, both.length, [both, both])).toEqual([texts, texts])
  }),
)

it.effect("an instant before 1970 is that instant, also where all rows have it", () =>
  Effect.gen(function* () {
    const moonLanding = Date.parse("1969-07-20T20:17:40Z") * 1000 + 123_456
    const [instants] = yield* readBack(["TIMESTAMP"], 3, [moonLanding])
    expect(instants).toEqual(["-14182939876544", "-14182939876544", "-14182939876544"])
  }),
)

const samples: ReadonlyArray<readonly [string, (row: number) => Value]> = [
  ["BIGINT", (row) => row - 4000],
  ["TIMESTAMP", (row) => (row - 4000) * 3_600_000_000],
  ["INTEGER", (row) => row - 4000],
  ["DOUBLE", (row) => row + 0.5],
  ["BOOLEAN", (row) => row % 2 === 0],
  ["VARCHAR", (row) => `row ${row}`],
]

it.effect("exactly the null values are null, whatever the vector before had", () =>
  Effect.gen(function* () {
    // A null in the first, third and fourth vector, at another place in each; the second has none.
    const nulls = new Set([3, 2 * VECTOR_SIZE + 9, 2 * VECTOR_SIZE + 10, 3 * VECTOR_SIZE])
    const length = 3 * VECTOR_SIZE + 20
    const columns = samples.map(([, valueOf]) =>
      Array.from({ length }, (_, row) => (nulls.has(row) ? null : valueOf(row))),
    )
    const types = samples.map(([type]) => type)
    const found = yield* readBack(types, length, columns)
    expect(found).toEqual(columns.map((values) => values.map((each) => each?.toString() ?? null)))
  }),
)

it.effect("a column of nothing but nulls leaves the values of the others alone", () =>
  Effect.gen(function* () {
    const length = VECTOR_SIZE + 10
    const rows = Array.from({ length }, (_, row) => row)
    const sparse = rows.map((row) => (row === VECTOR_SIZE + 1 ? 7 : null))
    const types = ["BIGINT", "BIGINT", "BIGINT"]
    const found = yield* readBack(types, length, [null, sparse, rows])
    expect(found).toEqual([
      rows.map(() => null),
      sparse.map((value) => value?.toString() ?? null),
      rows.map(String),
    ])
  }),
)

it.effect("a list that is too short is refused, and rows without a value for each column", () =>
  Effect.gen(function* () {
    const opened = yield* connection
    const append = (columns: ReadonlyArray<Cells>) =>
      Effect.flip(
        Effect.tryPromise({
          try: async () => {
            await opened.run("CREATE OR REPLACE TEMP TABLE appended (a BIGINT, b VARCHAR)")
            const target = { catalog: "temp", schema: "main", name: "appended" }
            await appendRows(opened, target, [{ length: 3, columns }])
          },
          catch: (cause) => cause as BrokenInvariant,
        }),
      )
    expect(
      yield* append([
        [1, 2, 3],
        ["x", "y"],
      ]),
    ).toMatchObject({
      invariant: "a column has one value for each row",
      found: { column: 1, values: 2, rows: 3 },
    })
    expect(yield* append([[1, 2, 3]])).toMatchObject({
      invariant: "rows have a value for each column of their table",
    })
    const stored = yield* Effect.promise(() => opened.runAndReadAll("FROM appended"))
    expect(stored.getRows()).toEqual([])
  }),
)

/** Has the engine collect what nothing refers to; finalizers run in turns of the event loop after that. */
const collectGarbage = async (): Promise<void> => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  for (let turn = 0; turn < 5; turn += 1) {
    await setTimeout(10)
    collect()
  }
  await setTimeout(10)
}

it.effect("rows that could not be appended are in no later transaction", () =>
  Effect.gen(function* () {
    const opened = yield* connection
    const stored = yield* Effect.promise(async () => {
      await opened.run("CREATE TABLE appended (a BIGINT UNIQUE)")
      const target = { catalog: "memory", schema: "main", name: "appended" }
      const append = (values: ReadonlyArray<number>) =>
        appendRows(opened, target, [{ length: values.length, columns: [values] }]).then(
          () => "appended",
          (cause: unknown) => String(cause).replace(/:[^:]*$/, ""),
        )
      await opened.run("BEGIN")
      expect(await append([1])).toBe("appended")
      expect(await append([2, 1])).toContain("constraint violation")
      await opened.run("ROLLBACK")
      // What is left of the second would now be stored, since nothing stands against it any more.
      await opened.run("BEGIN")
      await collectGarbage()
      await opened.run("COMMIT")
      return (await opened.runAndReadAll("FROM appended")).getRows()
    })
    expect(stored).toEqual([])
  }),
)
