// The checks of what columns declare, on rows of a real warehouse.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Table } from "../../../src/domain/table/table.ts"
import { notAccepted, outside, rangeText } from "../../../src/load/checks/constraintRules.ts"
import { findOffenders } from "../../../src/load/checks/runChecks.ts"
import { tableChecks } from "../../../src/load/checks/tableChecks.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  descriptions,
  inWarehouse,
  latest,
  reading,
  readings,
  rowsOf,
} from "../sample.ts"

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

it("a range and accepted values are conditions over a column, in any case, and words", () => {
  const ranges = [{ from: 0 }, { to: 1 }, { from: 0, to: 1 }]
  expect(ranges.map((range) => outside("v", range))).toEqual(["v < 0", "v > 1", "v < 0 or v > 1"])
  expect(ranges.map(rangeText)).toEqual(["at least 0", "at most 1", "0 to 1"])
  expect(notAccepted("v", ["A", "b'"])).toBe("lower(v) not in ('a', 'b''')")
})

/** With every rule about a figure, a text and an instant. */
const ruled: Table = {
  ...readings,
  columns: readings.columns.map((column) => {
    if (column.name === "value") return { ...column, plausible: { to: 5 } }
    if (column.name === "note") return { ...column, accepted: ["good", "better"] }
    return column.name === "day" ? { ...column, isPast: true } : column
  }),
}
const priced: Table = {
  ...descriptions,
  columns: descriptions.columns.map((column) =>
    column.name === "fee" ? { ...column, range: { from: 0 } } : column,
  ),
}
const rules = tableChecks([ruled, priced]).filter(({ name }) =>
  /^core\.(readings|descriptions)\.(finite|range|plausible_range|accepted_values|in_platform_life|plausible_instants)$/.test(
    name,
  ),
)

it("each table has the rules that its columns need, those about figures and instants undeclared", () => {
  expect(rules.map(({ name, severity }) => `${name} ${severity}`)).toEqual([
    "core.readings.finite error",
    "core.readings.plausible_range warn",
    "core.readings.accepted_values warn",
    "core.readings.in_platform_life error",
    "core.readings.plausible_instants warn",
    "core.descriptions.finite error",
    "core.descriptions.range error",
    "core.descriptions.plausible_instants warn",
  ])
  const described = rules.map(({ description }) => description)
  expect(described).toContain("Figures are plausible (value: at most 5)")
  expect(described).toContain("Values are those that the document names (note: good, better)")
})

it.effect("finds what is no number, not plausible, not named, or at no possible time", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const work = Effect.gen(function* () {
      const given = [
        { ...reading("fine", 0, 5), note: "GOOD", day: 19_700 },
        { ...reading("unknown", 0, null) },
        reading("no number", 0, 0),
        reading("much", 0, 6),
        { ...reading("odd", 0, 0), note: "odd" },
        { ...reading("old", 0, 0), observed_at: 0 },
        { ...reading("old day", 0, 0), day: 0 },
        { ...reading("later", 0, 0), day: 40_000 },
      ]
      const ofVault = (vault_address: string, fee: number) =>
        commit(batchOf([rowsOf(priced, [{ vault_address, fee }])]))
      yield* commit(batchOf([rowsOf(ruled, given)]))
      // Which no batch may hold.
      const toNaN = "update core.readings set value = 'nan' where vault_address = 'no number'"
      yield* Effect.flatMap(Warehouse, ({ execute }) => execute([toNaN]))
      // What is over is not checked.
      yield* ofVault("a", -1)
      yield* ofVault("a", 1)
      yield* ofVault("b", -2)
      return yield* findOffenders(rules, { since: undefined })
    })
    const found = yield* inWarehouse(dataDir, work, { tables: [ruled, priced] })
    const offending = found.flatMap(({ name, failures, examples }) => {
      expect(examples).toHaveLength(failures)
      return examples.map((row) => [name, row["vault_address"], row["broken_values"]].join(" "))
    })
    expect(offending.toSorted()).toEqual([
      "core.descriptions.range b fee=-2.0",
      "core.readings.accepted_values odd note=odd",
      "core.readings.finite no number value=nan",
      "core.readings.in_platform_life old observed_at=1970-01-01 00:00:00",
      "core.readings.plausible_instants later day=2079-07-08",
      "core.readings.plausible_instants old day day=1970-01-01",
      "core.readings.plausible_range much value=6.0",
      "core.readings.plausible_range no number value=nan",
    ])
  }),
)
