// Commits batches until a test kills it, several of a vault at once, and prints a line after each:
// node test/load/committer.ts DATA_DIR [publish]
// Batch n of a vault holds hours 10n to 10n + 9 and revises the hour before; its cursor is n + 1.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Queued } from "../../src/load/commit/commitQueue.ts"
import { publish } from "../../src/load/published/publish.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { reading, readingsBatch, sampleTables } from "./sample.ts"

const [dataDir = "", publishes] = process.argv.slice(2)
const HOURS = 10
const AT_ONCE = 4

const batch = (vault: string, count: number) => {
  const first = count * HOURS
  const rows = Array.from({ length: HOURS }, (_, at) => reading(vault, first + at, first + at))
  return readingsBatch(count === 0 ? rows : [reading(vault, first - 1, first - 0.5), ...rows], {
    cursor: { pipeline: "sample", entity: vault, cursor: count + 1 },
  })
}

const commitForever = Effect.fnUntraced(function* (vault: string) {
  const warehouse = yield* Warehouse
  const cursors = (yield* warehouse.cursors)("sample")
  const waiting: Array<Queued> = []
  for (let count = Number(cursors.get(vault) ?? 0); ; count += 1) {
    const queued = yield* warehouse.queue(batch(vault, count), waiting.at(-1))
    waiting.push(queued)
    const oldest = waiting.length < AT_ONCE ? undefined : waiting.shift()
    if (oldest === undefined) continue
    yield* Deferred.await(oldest)
    process.stdout.write("committed\n")
  }
})

const work = Effect.gen(function* () {
  const committing = Effect.forEach(["a", "b", "c"], commitForever, {
    concurrency: "unbounded",
    discard: true,
  })
  const publishing = Effect.forever(
    publishes === undefined
      ? Effect.never
      : Effect.andThen(
          publish({ parquet: { marts: false }, keep: { copies: 3, days: 1 } }),
          Effect.sync(() => process.stdout.write("published\n")),
        ),
  )
  yield* Effect.all([committing, publishing], { concurrency: "unbounded" })
})

await Effect.runPromise(
  Effect.provide(
    work,
    Warehouse.layer({ dataDir, tables: sampleTables, runId: `killed-${process.pid}` }),
  ),
)
