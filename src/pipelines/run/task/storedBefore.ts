// What is already stored of a task's partition. Many tasks look it up at once, and a statement takes long in a lake, so
// lookups that arrive during one statement share the next.
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Rows } from "../../../domain/table/table.ts"
import { number } from "../../../load/duckdb/decodeRow.ts"
import type { LoadError } from "../../../load/errors.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"
import { haveCurrentRow } from "./currentSets.ts"
import { Warehouse } from "../../../load/Warehouse.ts"

/** Lookups that share a statement. */
interface Lookups<Key> {
  readonly keys: Array<Key>
  /** Indexes of the keys for which the result is true; absent until the statement has run. */
  found?: ReadonlySet<number>
}

/**
 * A lookup in batches; `read` returns the indexes of the keys for which the result is true. Not a `RequestResolver`:
 * every run would load its 19 modules.
 */
const batched = <Key>(
  read: (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlySet<number>, LoadError, Warehouse>,
) => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  const waiting = new WeakMap<Warehouse["Service"], Lookups<Key>>()
  return Effect.fnUntraced(function* (key: Key) {
    const warehouse = yield* Warehouse
    const lookups: Lookups<Key> = waiting.get(warehouse) ?? { keys: [] }
    waiting.set(warehouse, lookups)
    const at = lookups.keys.push(key) - 1
    // The first of them reads for all.
    return yield* oneAtATime.withPermit(
      Effect.gen(function* () {
        if (waiting.get(warehouse) === lookups) waiting.delete(warehouse)
        lookups.found ??= yield* read(lookups.keys)
        return lookups.found.has(at)
      }),
    )
  })
}

interface Window {
  readonly pipeline: string
  readonly entity: string
  readonly window: string | null
}

const loaded = batched<Window>((windows) =>
  Effect.gen(function* () {
    const wanted = windows.map((each, place) => ({ ...each, place }))
    const { rows } = yield* Warehouse
    const found = yield* rows(sqlFile("state", "loaded_before"), [JSON.stringify(wanted)])
    return new Set(found.map(number("place")))
  }),
)

/** Whether an earlier task of the partition had rows; of one window where that is not null. */
export const wasLoaded = ({ pipeline, entity, window }: Window) =>
  Effect.flatMap(Warehouse, ({ mayBeRecorded }) =>
    window === null || mayBeRecorded({ pipeline, entity, window })
      ? loaded({ pipeline, entity, window })
      : Effect.succeed(false),
  )

const holdsCurrent = batched<Rows>(haveCurrentRow)

/** Whether any of these sets has a current row. */
export const holdCurrent = Effect.fnUntraced(function* (sets: ReadonlyArray<Rows>) {
  const { mayHold } = yield* Warehouse
  const found = yield* Effect.forEach(sets.filter(mayHold), holdsCurrent, {
    concurrency: "unbounded",
  })
  return found.includes(true)
})
