// Which row of a key stays in vaulthouse's own tables when several arrive in one transaction, or one after the other.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Table } from "../../../src/domain/table/table.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  commitTogether,
  hour,
  inWarehouse,
  latest,
  once,
  rows,
  rowsOf,
} from "../sample.ts"

const newest = (vault_address: string, value: number) => rowsOf(latest, [{ vault_address, value }])
const first = (vault_address: string, value: number) =>
  rowsOf(once, [{ vault_address, day: 19_753, value }])

const values = Effect.gen(function* () {
  const of = (table: string) =>
    Effect.map(
      rows(`select vault_address || ' ' || value::integer as line from core.${table}
      order by line`),
      (found) => found.map(({ line }) => line),
    )
  return { latest: yield* of("latest"), once: yield* of("once") }
})

it.effect(
  "the same rows stay whether they come in one batch, one commit or one after the other",
  () =>
    Effect.gen(function* () {
      const sequence = [1, 2, 3].flatMap((value) => [newest("a", value), first("a", value)])
      const others = [newest("b", 7), first("b", 8)]
      const inOneBatch = commit(batchOf([], { bookkeeping: [...sequence, ...others] }))
      const batches = [...sequence, ...others].map((each) => batchOf([], { bookkeeping: [each] }))
      const ways = [
        Effect.asVoid(inOneBatch),
        Effect.asVoid(commitTogether(batches)),
        Effect.asVoid(Effect.forEach(batches, commit)),
      ]
      for (const way of ways) {
        const dataDir = yield* temporaryFolder
        const found = yield* inWarehouse(dataDir, Effect.andThen(way, values))
        expect(found).toEqual({ latest: ["a 3", "b 7"], once: ["a 1", "b 8"] })
      }
    }),
)

it.effect("what another process stored first stays alone, at whichever of the times it is", () =>
  Effect.gen(function* () {
    const [key, , figure] = once.columns
    const sightings: Table = {
      ...once,
      name: "sightings",
      key: ["vault_address"],
      time: "seen_at",
      columns: [
        key!,
        { name: "seen_at", type: "timestamp", required: true, comment: "Time" },
        figure!,
      ],
    }
    const seen = (value: number) => {
      const times = { a: 2, b: 1, c: 3 }
      const records = Object.entries(times).map(([vault_address, at]) => ({
        vault_address,
        seen_at: hour(at),
        value,
      }))
      return commit(batchOf([], { bookkeeping: [rowsOf(sightings, records)] }))
    }
    const dataDir = yield* temporaryFolder
    const options = { tables: [sightings] }
    yield* inWarehouse(dataDir, seen(1), options)
    const again = Effect.andThen(
      seen(2),
      rows("select vault_address as vault, value from core.sightings order by all"),
    )
    expect(yield* inWarehouse(dataDir, again, options)).toEqual(
      ["a", "b", "c"].map((vault) => ({ vault, value: 1 })),
    )
  }),
)
