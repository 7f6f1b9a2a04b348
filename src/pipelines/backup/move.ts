// Copies every row of a warehouse from its file into a lake, or back, while nothing writes to either. Afterwards the
// settings still name the old one, which stays as it is.
import * as Effect from "effect/Effect"
import { commandId } from "../../domain/run/commandId.ts"
import { storedTables } from "../../domain/table/table.ts"
import { LoadError } from "../../load/errors.ts"
import { type CopiedTable, moveToFile, moveToLake } from "../../load/transfer/moveWarehouse.ts"
import { databaseFile } from "../../load/storage/file/duckdbFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { tables as declared } from "../pipelines.ts"
import { createMartViews } from "../publication/martViews.ts"
import {
  existingWarehouse,
  openWarehouse,
  type Place,
  storageOf,
} from "../publication/warehouse.ts"
import { endAllRuns, endDeadRuns } from "../run/endDeadRuns.ts"

export interface Moved {
  readonly from: string
  readonly to: string
  readonly rows: number
  /** Every table, with how many rows were compared. */
  readonly tables: ReadonlyArray<CopiedTable>
}

const MOVING = "Moving the warehouse"

const tables = declared.flatMap(storedTables)

// A second thread would mix up the order of the rows.
const IN_ORDER = { threads: 1 }

/** `from` is what the settings name; both have the same data directory. */
export const move = Effect.fnUntraced(function* (from: Place, to: Place) {
  const [source, target] = [yield* storageOf(from), yield* storageOf(to)]
  const isToFile = to.warehouse === "file"
  if (isToFile === (from.warehouse === "file")) {
    return yield* new LoadError({
      reason: "Files",
      what: MOVING,
      ...(isToFile
        ? {
            why: `it is already the file in ${target.shown}`,
            advice: "Name the lake that holds it with the setting `warehouse` or with --warehouse.",
          }
        : {
            why: `${source.shown} and ${target.shown} are both lakes`,
            advice: "Move it to a file first, and from there.",
          }),
    })
  }
  const runId = yield* commandId("move")
  const copied = yield* isToFile ? toFile(from, runId) : toLake(from, to, runId)
  const moved: Moved = {
    from: source.shown,
    to: target.shown,
    rows: copied.reduce((sum, { rows }) => sum + rows, 0),
    tables: copied,
  }
  return moved
})

const toLake = Effect.fnUntraced(function* (from: Place, to: Place, runId: string) {
  const { shown } = yield* storageOf(to)
  // Migrates the file to the layout of this version, writes its log back into it, and closes it.
  yield* Effect.scoped(
    Effect.provide(
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        yield* endDeadRuns(from)
        yield* warehouse.exclusively(MOVING, ({ checkpoint }) => checkpoint())
      }),
      existingWarehouse(MOVING, { ...from, runId }),
    ),
  )
  return yield* Effect.provide(
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      yield* createMartViews
      return yield* warehouse.exclusively(MOVING, (session) =>
        moveToLake(session, databaseFile(from.dataDir), shown, tables),
      )
    }),
    openWarehouse({ ...to, ...IN_ORDER, runId }),
  )
})

const toFile = (from: Place, runId: string) =>
  Effect.provide(
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      yield* endAllRuns(MOVING, from)
      return yield* warehouse.exclusively(MOVING, (session) =>
        moveToFile(session, databaseFile(from.dataDir), declared, tables),
      )
    }),
    existingWarehouse(MOVING, { ...from, ...IN_ORDER, runId }),
  )
