// The summary of a run, from the counts of its runner.
import * as Effect from "effect/Effect"
import type { RecordedOutcome } from "../../domain/run/outcome.ts"
import { decodeRow, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import type { RunOutcome, RunSummary } from "../model/progress.ts"
import type { KeyUse } from "./KeyUse.ts"
import { isSelected, type SyncOptions } from "./selection.ts"
import { storedVaults } from "./state.ts"
import type { Tally } from "./Tally.ts"

export const summaryOf = Effect.fnUntraced(function* (
  { runId, vaults }: Pick<SyncOptions, "runId" | "vaults">,
  { key, tallies: byName }: { readonly key: KeyUse; readonly tallies: ReadonlyMap<string, Tally> },
) {
  const tallies = [...byName.values()]
  const sum = (count: (tally: Tally) => number) =>
    tallies.reduce((total, tally) => total + count(tally), 0)
  const rowsInserted = sum((tally) => tally.rowsInserted)
  const rowsRevised = sum((tally) => tally.rowsRevised)
  const isKeyRejected = yield* keyRejected(key)
  const { include } = vaults
  // What the lists hold is not known where they could not be read.
  const areListsRead = byName.get("vaults")?.has("failed", "quarantined", "deferred") !== true
  const stored = include.length === 0 ? [] : yield* storedVaults(yield* Warehouse)
  return {
    runId,
    outcome: outcomeOf(tallies, isKeyRejected),
    pipelines: tallies.map(({ summary }) => summary),
    requests: sum((tally) => tally.requests),
    rowsInserted,
    rowsRevised,
    published: false,
    nothingNew: rowsInserted + rowsRevised === 0,
    unknownVaults: include.filter(
      (address) => areListsRead && !stored.some(isSelected({ include: [address], exclude: [] })),
    ),
    isKeyUnknown: key.isUnknown,
    ...(key.access === undefined ? {} : { keyAccess: key.access }),
    keyRejected: isKeyRejected,
    failedChecks: [],
  } satisfies Omit<RunSummary, "seconds">
})

const readBefore = decodeRow({ pipeline: text("pipeline") })

/**
 * Whether the key gives access to nothing, or no longer to all it did; a key that never had more access is no failure.
 */
const keyRejected = Effect.fnUntraced(function* (key: KeyUse) {
  if (key.isUnknown) return true
  if (key.refusedPipelines.length === 0) return false
  const rows = yield* (yield* Warehouse).rows(sqlFile("state", "read_before"))
  const before = new Set(rows.map((row) => readBefore(row).pipeline))
  return key.refusedPipelines.some((name) => before.has(name))
})

const outcomeOf = (tallies: ReadonlyArray<Tally>, isKeyRejected: boolean): RunOutcome => {
  const isAny = (...outcomes: ReadonlyArray<RecordedOutcome>) =>
    tallies.some((tally) => tally.has(...outcomes))
  if (isAny("failed", "quarantined") || isKeyRejected) {
    return tallies.some(({ rows }) => rows > 0) ||
      isAny("loaded", "unchanged", "empty", "suspicious_empty", "unsupported")
      ? "partial"
      : "failed"
  }
  return isAny("deferred") ? "deferred" : "complete"
}
