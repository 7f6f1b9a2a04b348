// What a rebuild leaves out changes nothing: with it and without it the tables are the same.
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Rows, Table } from "../../../src/domain/table/table.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { Repetitions } from "../../../src/pipelines/archive/repetitions.ts"
import { batchOf, commitTogether, rows, rowsOf } from "../../load/sample.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

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
    { name: "seen_at", type: "timestamp", comment: "Seen", isIncidental: true },
  ],
  example: "select 1",
}

const warehouse = Layer.unwrap(
  Effect.map(temporaryFolder, (dataDir) =>
    Warehouse.layer({ dataDir, tables: [members], runId: "run-1" }),
  ),
)

type Kind = "whole" | "part" | "one"

/** Readings of one group: the whole of it, a part, or one member by itself, with the titles of its members. */
const readings: ReadonlyArray<readonly [Kind, ReadonlyArray<string>]> = [
  ["whole", ["first", "first"]],
  ["whole", ["first"]],
  ["whole", []],
  ["part", ["second", "first"]],
  ["one", ["second"]],
]

const rowsFor = (
  vault_address: string,
  [kind, titles]: (typeof readings)[number],
  at: number,
): Rows => {
  const present = titles.map((title, place) => ({
    vault_address,
    member: String(place),
    title,
    seen_at: at,
  }))
  const found = rowsOf(members, present, at)
  if (kind === "whole") return { ...found, mergeKey: { vault_address } }
  return kind === "part" ? { ...found, isPartial: true } : found
}

const stored = (prefix: string) =>
  rows(`select substr(vault_address, 2) as "group", * exclude (vault_address) from core.members
    where starts_with(vault_address, '${prefix}') order by all`)

const every = readings.flatMap((one) =>
  readings.flatMap((two) => readings.map((three) => [one, two, three] as const)),
)

layer(warehouse)("readings that repeat the one before them", (it) => {
  it.effect("change nothing, whatever the two before them were", () =>
    Effect.gen(function* () {
      const memories = every.map(() => new Repetitions())
      let left = 0
      for (const step of [0, 1, 2] as const) {
        const at = 1000 * (step + 1)
        const all = every.map((sequence, group) => rowsFor(`a${group}`, sequence[step], at))
        yield* commitTogether(all.map((each) => batchOf([each])))
        const kept = every.flatMap(
          (sequence, group) =>
            memories[group]?.without([rowsFor(`b${group}`, sequence[step], at)]) ?? [],
        )
        left += all.length - kept.length
        yield* commitTogether(kept.map((each) => batchOf([each])))
      }
      expect(yield* stored("b")).toEqual(yield* stored("a"))
      // Four of the five readings can repeat themselves, before or after any other.
      expect(left).toBe(40)
    }),
  )

  it.effect("are left out, in all lists of a set at once or in none", () =>
    Effect.sync(() => {
      const repetitions = new Repetitions()
      const list = (title: string, seen_at: number): Rows => ({
        ...rowsOf(members, [{ vault_address: "a", member: "1", title, seen_at }]),
        mergeKey: { vault_address: "a" },
      })
      const kept = (...lists: ReadonlyArray<Rows>) => repetitions.without(lists).length
      expect([
        kept(list("first", 1), list("second", 1)),
        kept(list("first", 2), list("second", 2)),
        kept(list("first", 3), list("third", 3)),
        kept(list("first", 4), list("third", 4)),
        kept(list("first", 5), list("second", 5)),
      ]).toEqual([2, 0, 2, 0, 2])
    }),
  )
})
