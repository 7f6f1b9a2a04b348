// The checks of what columns declare, on rows of a real warehouse.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Table } from "../../../src/domain/table/table.ts"
import { findOffenders } from "../../../src/load/checks/runChecks.ts"
import { tableChecks } from "../../../src/load/checks/tableChecks.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { batchOf, commit, inWarehouse, latest, reading, readings, rowsOf } from "../sample.ts"

const declared: Table = {
  ...readings,
  columns: readings.columns.map((column) => {
    if (column.name === "value") return { ...column, range: { from: 0 } }
    if (column.name !== "note") return column
    const to = [{ table: "core.latest", columns: ["vault_address"] }]
    return { ...column, references: { name: "note_known", columns: ["note"], to } }
  }),
}
const checks = tableChecks([declared]).filter(({ name }) => /\.(range|note_known)$/.test(name))

it("what a column declares is checked in its table, and not in its superseded versions", () => {
  expect(checks.map(({ name }) => name)).toEqual([
    "core.readings.range",
    "core.readings.note_known",
  ])
})

it.effect("finds a figure that can't be, and a reference to nothing", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const work = Effect.gen(function* () {
      yield* commit(batchOf([], { bookkeeping: [rowsOf(latest, [{ vault_address: "known" }])] }))
      const of = (at: number, value: number, note: string | null) => ({
        ...reading("a", at, value),
        note,
      })
      const given = [of(0, 0, "known"), of(1, -1, null), of(2, 1, "unknown"), of(3, -2, "unknown?")]
      yield* commit(batchOf([rowsOf(declared, given)]))
      return yield* findOffenders(checks, { since: undefined })
    })
    const found = yield* inWarehouse(dataDir, work, { tables: [declared, latest] })
    expect(found.map(({ name, failures, examples }) => [name, failures, examples])).toEqual([
      [
        "core.readings.range",
        2,
        [
          expect.objectContaining({ broken_values: "value=-1.0" }),
          expect.objectContaining({ broken_values: "value=-2.0" }),
        ],
      ],
      [
        "core.readings.note_known",
        2,
        [
          expect.objectContaining({ unknown_note: "unknown" }),
          expect.objectContaining({ unknown_note: "unknown?" }),
        ],
      ],
    ])
  }),
)
