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
})
