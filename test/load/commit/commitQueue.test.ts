// How long a commit that fails is tried: alone where a batch may be bad, not at all where nothing can be written.
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Batch } from "../../../src/domain/run/outcome.ts"
import { commitQueue } from "../../../src/load/commit/commitQueue.ts"
import { databaseError } from "../../../src/load/errors.ts"

const BATCHES = 5

/** The sizes of the groups that were tried, and how the batches failed. */
const failing = Effect.fnUntraced(function* (cause: Error) {
  const groups: Array<number> = []
  const queue = yield* commitQueue(
    (take) =>
      Effect.suspend(() => {
        groups.push(take().length)
        return Effect.fail(databaseError("Committing rows", cause))
      }),
    () => undefined,
    0,
  )
  const commit = (batch: Batch) => Effect.flatMap(queue(batch), Deferred.await)
  const batches = Array.from({ length: BATCHES }, (): Batch => ({ rows: [], bookkeeping: [] }))
  const failures = yield* Effect.forEach(batches, (batch) => Effect.flip(commit(batch)), {
    concurrency: "unbounded",
  })
  return { groups, messages: new Set(failures.map(({ message }) => message)) }
})

describe("a group that can't be committed", () => {
  it.live("is tried once where its disk is full, which each says with what to do", () =>
    Effect.gen(function* () {
      const { groups, messages } = yield* failing(
        new Error(
          'IO Error: Could not write file "/lake/core/fees/ducklake-1.parquet": No space left on device',
        ),
      )
      expect(groups).toEqual([BATCHES])
      expect([...messages]).toEqual([
        "Committing rows: the disk is full (/lake/core/fees/ducklake-1.parquet). Free space there, then run again: what was not committed is read again.",
      ])
    }),
  )

  it.live("is tried once where the catalog fails", () =>
    Effect.gen(function* () {
      const { groups } = yield* failing(
        new Error('Failed to execute query "BEGIN": server closed the connection unexpectedly'),
      )
      expect(groups).toEqual([BATCHES])
    }),
  )

  it.live("is tried batch by batch where one of them may be bad", () =>
    Effect.gen(function* () {
      const { groups } = yield* failing(new Error("Out of Memory Error: failed to pin block"))
      expect(groups).toEqual([BATCHES, 1, 1, 1, 1, 1])
    }),
  )

  it.live("takes with it what follows a batch that failed, and nothing else", () =>
    Effect.gen(function* () {
      const batch = (): Batch => ({ rows: [], bookkeeping: [] })
      const bad = batch()
      const committed: Array<Batch> = []
      const queue = yield* commitQueue(
        (take) =>
          Effect.suspend(() => {
            const group = take()
            if (group.includes(bad)) {
              return Effect.fail(databaseError("Committing rows", new Error("Conversion Error")))
            }
            committed.push(...group)
            const counts = { inserted: 0, revised: 0, unchanged: 0 }
            return Effect.succeed({ batches: group.map(() => counts), tables: new Map() })
          }),
        () => undefined,
        0,
      )
      const [second, third, other, follower] = [batch(), batch(), batch(), batch()]
      const first = yield* queue(bad)
      const next = yield* queue(second, first)
      const last = yield* queue(third, next)
      const unrelated = yield* queue(other)
      const following = yield* queue(follower, unrelated)
      for (const each of [unrelated, following]) yield* Deferred.await(each)
      const messages = yield* Effect.forEach([first, next, last], (each) =>
        Effect.map(Effect.flip(Deferred.await(each)), ({ message }) => message),
      )
      expect(messages).toEqual([
        expect.stringContaining("Conversion Error"),
        ...Array.from({ length: 2 }, () =>
          expect.stringContaining("the batch before it was not committed"),
        ),
      ])
      expect(committed).toEqual([other, follower])
    }),
  )
})
