// Rebuilds the tables from the response archive without a request, or compares them with it.
import * as Effect from "effect/Effect"
import { segmentFiles } from "../../archive/segments.ts"
import { type Table, versionsOf, tableName } from "../../domain/table/table.ts"
import {
  compareTables,
  type Difference,
  type Comparison,
} from "../../load/transfer/compareTables.ts"
import { replaceTables } from "../../load/transfer/replaceTables.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { pipelineTables } from "../pipelines.ts"
import { noWarehouse, warehouseExists } from "../publication/warehouse.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import { recordHealth } from "../publication/health.ts"
import {
  type Published,
  type PublishOptions,
  publishNewsEverywhere,
} from "../publication/publish.ts"
import { indexedResponses } from "../../load/state/archiveIndex.ts"
import { findMoved } from "../retention/findMoved.ts"
import { endAllRuns } from "../run/endDeadRuns.ts"
import {
  type LostRows,
  lostTo,
  type RebuildOptions,
  withRebuilt,
  type UnreadableResponse,
  warehouseIn,
} from "./rebuild.ts"
import { lostRows } from "./rowsOfResponses.ts"
import { rebuildIndex, type UnendedRun } from "./rebuildIndex.ts"

export interface ReplayOptions extends RebuildOptions {
  readonly publish: PublishOptions | undefined
}

export interface ReplaySummary extends Published {
  readonly responses: number
  readonly tables: ReadonlyArray<Comparison>
  /** Responses that made rows before and were left out, or records of them. */
  readonly unreadable: ReadonlyArray<UnreadableResponse>
  /** Rows a rebuild would lose: their tables stay as they are. */
  readonly lost: ReadonlyArray<LostRows>
  /** Runs indexed from a segment without an end. */
  readonly unended: ReadonlyArray<UnendedRun>
}

const REPLAYING = "Replaying the archive"

export const replay = Effect.fnUntraced(function* (options: ReplayOptions) {
  const files = yield* inArchive(() => segmentFiles(archiveOf(options)))
  const canReplay = files.length > 0 || (yield* warehouseExists(options))
  if (!canReplay) return yield* noWarehouse(REPLAYING, options)
  return yield* replayed(options).pipe(Effect.provide(warehouseIn(options)))
})

const replayed = Effect.fnUntraced(function* (options: ReplayOptions) {
  // The rows that replace the stored ones would lack what a run in progress commits meanwhile.
  yield* endAllRuns(REPLAYING, options)
  const store = archiveOf(options)
  yield* findMoved(store, yield* inArchive(() => segmentFiles(store)), true)
  const unended = yield* rebuildIndex(options, options)
  const responses = yield* indexedResponses("is_landed")
  const rebuilt = yield* withRebuilt(
    options,
    responses,
    Effect.fnUntraced(function* (rebuiltDir, leftOut) {
      const { lost, unreadable } = yield* lostTo(leftOut, pipelineTables, rebuiltDir)
      const tables = yield* replaceTables(pipelineTables.filter(without(lost)), rebuiltDir)
      return { tables, unreadable, lost }
    }),
  )
  yield* recordHealth
  const published = yield* publishNewsEverywhere(options.publish)
  return { responses: responses.length, ...rebuilt, unended, ...published } satisfies ReplaySummary
})

const without = (lost: ReadonlyArray<LostRows>) => {
  const names = new Set(lost.map(({ table }) => table))
  return (table: Table): boolean =>
    !names.has(tableName(table)) && !names.has(tableName(versionsOf(table)))
}

export interface ArchiveComparison {
  readonly responses: number
  readonly tables: ReadonlyArray<Difference>
  readonly lost: ReadonlyArray<LostRows>
  readonly unreadable: ReadonlyArray<UnreadableResponse>
}

/** What a replay would change of what is committed now, also while a run goes on. Changes nothing. */
export const compareWithArchive = (options: RebuildOptions) =>
  Effect.gen(function* () {
    const lost = yield* lostRows(pipelineTables, [])
    const responses = yield* indexedResponses("is_landed")
    return yield* withRebuilt(options, responses, (rebuiltDir, { unreadable }) =>
      Effect.map(compareTables(pipelineTables, rebuiltDir), (tables): ArchiveComparison => ({
        responses: responses.length,
        tables,
        lost,
        unreadable,
      })),
    )
  }).pipe(
    (compared) => Effect.flatMap(Warehouse, ({ atOneMoment }) => atOneMoment(compared)),
    Effect.provide(warehouseIn(options)),
  )
