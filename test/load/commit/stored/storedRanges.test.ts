// Pages of single series and of sets, new and overlapping, in groups, against a simple model: a map, and a list of replaced
// values.
// Each sample begins with an empty warehouse, which skips the search for stored rows.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Table } from "../../../../src/domain/table/table.ts"
import { extentOf } from "../../../../src/load/commit/merge/seriesExtent.ts"
import { noteText } from "../../../../src/load/commit/stored/note.ts"
import { StoredRanges } from "../../../../src/load/commit/stored/storedRanges.ts"
import { storedRows } from "../../../../src/load/commit/stored/storedRows.ts"
import { Warehouse } from "../../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import {
  batchOf,
  commitTogether,
  descriptions,
  inWarehouse,
  reading,
  readings,
  rows,
  rowsOf,
} from "../../sample.ts"

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Consecutive hours of one vault; `step` −1 is newest first, 0 the same hour again and again. */
const Page = Schema.Struct({
  vault: Schema.Literals(["a", "b", "c"]),
  from: between(0, 30),
  length: between(1, 8),
  step: between(-1, 1),
  value: between(0, 2),
})
type Page = typeof Page.Type

const Groups = Schema.Array(Schema.Array(Page).check(Schema.isMaxLength(5))).check(
  Schema.isMaxLength(5),
)

const rowsIn = ({ vault, from, length, step, value }: Page) =>
  Array.from({ length }, (_, at) => reading(vault, from + at * step, value))

interface Model {
  readonly stored: Map<string, number>
  readonly versions: Array<string>
}

const apply = (model: Model, page: Page): { inserted: number; revised: number } => {
  const counts = { inserted: 0, revised: 0 }
  // Within a batch the last row of a key is the one that counts.
  const last = new Map(
    rowsIn(page).map((row) => [`${row.vault_address} ${row.observed_at}`, page.value]),
  )
  for (const [key, value] of last) {
    const before = model.stored.get(key)
    if (before === value) continue
    if (before === undefined) counts.inserted += 1
    else {
      counts.revised += 1
      model.versions.push(`${key} ${before}`)
    }
    model.stored.set(key, value)
  }
  return counts
}

const inTemporary = <A, E>(work: Effect.Effect<A, E, Warehouse>) =>
  Effect.scoped(Effect.flatMap(temporaryFolder, (dataDir) => inWarehouse(dataDir, work)))

const listed = (table: string) =>
  Effect.map(
    rows(`SELECT vault_address || ' ' || epoch_us(observed_at) || ' ' || value::INTEGER AS line
      FROM core.${table} ORDER BY ALL`),
    (found) => found.map((row) => String(row["line"])),
  )

describe("pages of series", () => {
  it.effect.prop(
    "keeps exactly what a map would, and every value a revision replaced",
    [Groups],
    ([groups]) =>
      inTemporary(
        Effect.gen(function* () {
          const model: Model = { stored: new Map(), versions: [] }
          for (const group of groups) {
            if (group.length === 0) continue
            const committed = yield* commitTogether(
              group.map((page) => batchOf([rowsOf(readings, rowsIn(page))])),
            )
            const expected = group.map((page) => apply(model, page))
            for (const [at, counts] of committed.entries()) {
              expect(counts).toMatchObject(expected[at] ?? {})
            }
          }
          expect(yield* listed("readings")).toEqual(
            [...model.stored].map(([key, value]) => `${key} ${value}`).toSorted(),
          )
          expect(yield* listed("readings_versions")).toEqual(model.versions.toSorted())
        }),
      ),
    { arbitrary: { runs: 30 } },
  )
})

/** Members of a vault's set and their values, in their order; `isWhole`: the vault has no others. */
const SetPage = Schema.Struct({
  vault: Schema.Literals(["a", "b", "c"]),
  isWhole: Schema.Boolean,
  members: Schema.Array(
    Schema.Struct({ title: Schema.Literals(["x", "y", "z"]), fee: between(0, 1) }),
  ).check(Schema.isMaxLength(4)),
})
type SetPage = typeof SetPage.Type

const SetGroups = Schema.Array(Schema.Array(SetPage).check(Schema.isMaxLength(4))).check(
  Schema.isMaxLength(5),
)

const members: Table = {
  ...descriptions,
  name: "members",
  key: ["vault_address", "title"],
  columns: descriptions.columns.map((column) =>
    column.name === "title" ? { ...column, required: true } : column,
  ),
}

const applySet = (model: Model, { vault, isWhole, members: read }: SetPage) => {
  const counts = { inserted: 0, revised: 0 }
  const last = new Map(read.map(({ title, fee }) => [`${vault} ${title}`, fee]))
  for (const [key, before] of model.stored) {
    if (!isWhole || !key.startsWith(vault) || last.has(key)) continue
    counts.revised += 1
    model.versions.push(`${key} ${before}`)
    model.stored.delete(key)
  }
  for (const [key, fee] of last) {
    const before = model.stored.get(key)
    if (before === fee) continue
    if (before === undefined) counts.inserted += 1
    else {
      counts.revised += 1
      model.versions.push(`${key} ${before}`)
    }
    model.stored.set(key, fee)
  }
  return counts
}

const batchOfSet = ({ vault, isWhole, members: read }: SetPage) =>
  batchOf([
    {
      ...rowsOf(
        members,
        read.map((member) => ({ vault_address: vault, ...member })),
      ),
      ...(isWhole ? { mergeKey: { vault_address: vault } } : {}),
    },
  ])

const listedMembers = (isCurrent: boolean) =>
  Effect.map(
    rows(`SELECT vault_address || ' ' || title || ' ' || fee::INTEGER AS line
      FROM core.members WHERE is_current = ${isCurrent} ORDER BY ALL`),
    (found) => found.map((row) => String(row["line"])),
  )

describe("pages of sets", () => {
  it.effect.prop(
    "keeps the members of the last reading, and every one that ended",
    [SetGroups],
    ([groups]) =>
      Effect.scoped(
        Effect.flatMap(temporaryFolder, (dataDir) =>
          Effect.gen(function* () {
            const model: Model = { stored: new Map(), versions: [] }
            for (const group of groups) {
              if (group.length === 0) continue
              const committed = yield* commitTogether(group.map(batchOfSet))
              const expected = group.map((page) => applySet(model, page))
              for (const [at, counts] of committed.entries()) {
                expect(counts).toMatchObject(expected[at] ?? {})
              }
            }
            expect(yield* listedMembers(true)).toEqual(
              [...model.stored].map(([key, value]) => `${key} ${value}`).toSorted(),
            )
            expect(yield* listedMembers(false)).toEqual(model.versions.toSorted())
          }).pipe(Effect.provide(Warehouse.layer({ dataDir, tables: [members], runId: "run-1" }))),
        ),
      ),
    { arbitrary: { runs: 30 } },
  )
})

describe("what is known to be stored", () => {
  const page = (vault: string, from: number, to: number) =>
    extentOf(rowsOf(readings, [reading(vault, from, 0), reading(vault, to, 0)]))
  const known = (): StoredRanges => {
    const ranges = new StoredRanges()
    ranges.addEmptyTables(["core.readings", "core.readings_versions"])
    ranges.remember("core.readings", [page("a", 0, 9)])
    return ranges
  }
  const areNew = (ranges: StoredRanges, ...pages: ReadonlyArray<ReturnType<typeof page>>) =>
    ranges.newPages(
      readings,
      pages,
      pages.map((_, at) => at),
    )

  it("is the range of what was remembered, in its series", () => {
    const pages = [page("a", 9, 12), page("a", 13, 20), page("b", 0, 9)]
    expect(areNew(known(), ...pages)).toEqual(new Set([1, 2]))
    expect(areNew(known(), page("a", 3, 4))).toEqual(new Set())
  })

  it("is nothing once another process has written", () => {
    const ranges = known()
    expect(areNew(ranges, page("a", 10, 12))).toEqual(new Set([0]))
    ranges.forget()
    expect(areNew(ranges, page("a", 10, 12), page("b", 0, 9))).toEqual(new Set())
    // What is remembered later says nothing of what the other one wrote.
    ranges.remember("core.readings", [page("b", 0, 9)])
    expect(areNew(ranges, page("b", 20, 29))).toEqual(new Set())
  })

  it("is what other processes have noted, too, unless one of them has noted nothing", async () => {
    const empty = new Map(["core.readings", "core.readings_versions"].map((name) => [name, 0]))
    const others = noteText({ extents: [["core.readings", [page("a", 0, 9)]]], keys: [] })
    const unknown = noteText({
      extents: [["core.readings", [page("b", 0, 9), undefined]]],
      keys: [],
    })
    const learnt = async (notes: ReadonlyArray<string> | undefined) => {
      const { findEmptyTables, learn, marked, ranges } = storedRows(async () => empty)
      await findEmptyTables()
      ranges.remember("core.readings", [page("a", 10, 19)])
      marked.add("core.readings/2024-01")
      learn(notes)
      return { marked, found: areNew(ranges, page("a", 5, 6), page("a", 20, 29)) }
    }
    const marked = new Set(["core.readings/2024-01"])
    expect(await learnt([others])).toEqual({ marked, found: new Set([1]) })
    expect(await learnt([others, unknown])).toEqual({ marked, found: new Set() })
    const nothing = { marked: new Set(), found: new Set() }
    const newer = others.replace('"format":1', '"format":2')
    for (const notes of [undefined, [others, newer], [others, "no JSON"]]) {
      expect(await learnt(notes)).toEqual(nothing)
    }
  })

  it("is nothing for a table that had rows, or whose versions had", () => {
    const ranges = new StoredRanges()
    ranges.addEmptyTables(["core.readings"])
    expect(areNew(ranges, page("a", 0, 9))).toEqual(new Set())
  })
})
