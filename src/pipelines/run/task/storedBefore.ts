// What is already stored of a task's partition. Many tasks look it up at once, and a statement takes long in a lake, so
// lookups that arrive during one statement share the next.
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { type Rows, tableName } from "../../../domain/table/table.ts"
import { number } from "../../../load/duckdb/decodeRow.ts"
import type { LoadError } from "../../../load/errors.ts"
import { identifier, qualified, storedType } from "../../../load/sql/sql.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"
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

const columnsOf = ({ mergeKey = {} }: Rows): ReadonlyArray<string> => Object.keys(mergeKey)

/** Selects the places of the sets in `$parameter` that have a current row; all sets have the columns of `set`. */
const currentSets = (set: Rows, parameter: number): string => {
  const types = Object.fromEntries(
    set.table.columns
      .filter(({ name }) => columnsOf(set).includes(name))
      .map(({ name, type }) => [name, storedType[type]]),
  )
  const same = columnsOf(set).map(
    (name) => `t.${identifier(name)} is not distinct from w.${identifier(name)}`,
  )
  return `select distinct w._place as place
    from (select unnest(
      from_json($${parameter}, '${JSON.stringify([{ ...types, _place: "INTEGER" }])}'), recursive := true)) w
    join ${qualified(set.table)} t on ${["t.is_current", ...same].join(" and ")}`
}

const holdsCurrent = batched<Rows>((sets) =>
  Effect.gen(function* () {
    const groups = Map.groupBy(
      sets.map((set, _place) => ({ set, values: { ...set.mergeKey, _place } })),
      ({ set }) => `${tableName(set.table)} ${columnsOf(set).join()}`,
    )
    const selects: Array<string> = []
    const parameters: Array<string> = []
    for (const each of groups.values()) {
      parameters.push(JSON.stringify(each.map(({ values }) => values)))
      if (each[0] !== undefined) selects.push(currentSets(each[0].set, parameters.length))
    }
    const { rows } = yield* Warehouse
    const found = yield* rows(selects.join(" union all "), parameters)
    return new Set(found.map(number("place")))
  }),
)

/** Whether any of these sets has a current row. */
export const holdCurrent = Effect.fnUntraced(function* (sets: ReadonlyArray<Rows>) {
  const { mayHold } = yield* Warehouse
  const found = yield* Effect.forEach(sets.filter(mayHold), holdsCurrent, {
    concurrency: "unbounded",
  })
  return found.includes(true)
})
