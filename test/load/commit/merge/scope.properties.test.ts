// Sets read repeatedly, against a plain model: members that left a set are retired, members that return start again.
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Table } from "../../../../src/domain/table/table.ts"
import { Warehouse } from "../../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { batchOf, commit, commitTogether, rows, rowsOf } from "../../sample.ts"

const members: Table = {
  schema: "core",
  name: "members",
  mode: "slowly_changing",
  grain: "group, member and version",
  comment: "Members",
  source: "a test",
  key: ["vault_address", "member"],
  columns: [
    { name: "vault_address", type: "text", required: true, comment: "Group" },
    { name: "member", type: "text", required: true, comment: "Member" },
    { name: "title", type: "text", comment: "Title" },
  ],
  example: "select 1",
}

const warehouse = Layer.unwrap(
  Effect.map(temporaryFolder, (dataDir) =>
    Warehouse.layer({ dataDir, tables: [members], runId: "run-1" }),
  ),
)

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const Observation = Schema.Struct({
  group: upTo(1),
  /** Title of each of three members; null where it is not among them. */
  titles: Schema.Tuple([Schema.NullOr(upTo(1)), Schema.NullOr(upTo(1)), Schema.NullOr(upTo(1))]),
})
type Observation = typeof Observation.Type
const Observations = Schema.Array(Observation).check(Schema.isMaxLength(8))

interface Period {
  readonly group: string
  readonly member: string
  readonly title: string
  readonly from: number
  to: number | null
}

const modelled = (
  prefix: string,
  observations: ReadonlyArray<readonly [Observation, number]>,
): ReadonlyArray<Period & { readonly isCurrent: boolean }> => {
  const periods: Array<Period> = []
  for (const [{ group: index, titles }, at] of observations) {
    const group = `${prefix}-${index}`
    for (const [place, title] of titles.entries()) {
      const member = String(place)
      const current = periods.find(
        (period) => period.group === group && period.member === member && period.to === null,
      )
      const wanted = title === null ? undefined : String(title)
      if (current?.title === wanted) continue
      if (current !== undefined) current.to = at
      if (wanted !== undefined) periods.push({ group, member, title: wanted, from: at, to: null })
    }
  }
  return periods.map((period) => ({ ...period, isCurrent: period.to === null }))
}

const batchFor = (prefix: string, { group: index, titles }: Observation, at: number) => {
  const vault_address = `${prefix}-${index}`
  const present = titles.flatMap((title, place) =>
    title === null ? [] : [{ vault_address, member: String(place), title: String(title) }],
  )
  return batchOf([{ ...rowsOf(members, present, at), mergeKey: { vault_address } }])
}

const stored = (prefix: string) =>
  rows(`select vault_address as "group", member, title, epoch_us(valid_from)::double as "from",
      epoch_us(valid_to)::double as "to", is_current as "isCurrent" from core.members
    where starts_with(vault_address, '${prefix}-')`)

const sorted = (list: ReadonlyArray<unknown>) => list.map((each) => JSON.stringify(each)).toSorted()

let sample = 0

layer(warehouse)("sets", (it) => {
  it.effect.prop(
    "end what they leave out, one after the other or together",
    [Observations, Schema.Boolean],
    ([observations, together]) =>
      Effect.gen(function* () {
        const prefix = `s${(sample += 1)}`
        const timed = observations.map((each, index) => [each, 1000 * (index + 1)] as const)
        const batches = timed.map(([each, at]) => batchFor(prefix, each, at))
        if (together) yield* commitTogether(batches)
        else for (const batch of batches) yield* commit(batch)
        const expected = sorted(modelled(prefix, timed))
        expect(sorted(yield* stored(prefix))).toEqual(expected)
        // The archive again, oldest first, changes nothing.
        for (const batch of batches) {
          expect(yield* commit(batch)).toMatchObject({ inserted: 0, revised: 0 })
        }
        expect(sorted(yield* stored(prefix))).toEqual(expected)
      }),
    { arbitrary: { runs: 40 } },
  )

  it.effect("in several pages are one set, and the whole table can be one", () =>
    Effect.gen(function* () {
      yield* rows("select 1")
      const page = (at: number, ...names: ReadonlyArray<string>) => ({
        ...rowsOf(
          members,
          names.map((member) => ({ vault_address: "w", member, title: "t" })),
          at,
        ),
        mergeKey: {},
      })
      const current = rows(`select member from core.members where is_current order by member`)
      yield* commit(batchOf([page(10_000_000, "a", "b"), page(10_000_001, "c")]))
      expect(yield* current).toEqual([{ member: "a" }, { member: "b" }, { member: "c" }])
      const counts = yield* commit(batchOf([page(10_000_002, "a"), page(10_000_003, "c")]))
      expect(counts).toEqual({ inserted: 0, revised: 1, unchanged: 2 })
      expect(yield* current).toEqual([{ member: "a" }, { member: "c" }])
    }),
  )
})
