// A vault summary: §2.10 tells its parts (latest snapshot, returns, strategy allocation) but names none.
import * as Result from "effect/Result"
import { asNumber, isJsonObject, type JsonObject, stableStringify } from "../../../domain/json.ts"
import { parseInstant } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { allocationsOf } from "../../fields/allocations.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoed } from "../../fields/echoed.ts"
import { daysNamed, hasWord } from "../../fields/fieldWords.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { vaultSummaries } from "./vault_summaries.ts"
import { vaultSummaryAllocations } from "./vault_summary_allocations.ts"

const returnWords = new Set(["return", "returns", "performance"])
const allocationWords = new Set(["allocation", "allocations", "strategies"])
const snapshotFields = ["latest_snapshot", "latestSnapshot", "snapshot"]

/** Returns by days: one field each, or together in an object; `served` as they came. */
const returnsIn = (record: JsonObject) => {
  const byDays = new Map<number, number>()
  const served: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    if (!hasWord(name, returnWords)) continue
    const found = isJsonObject(value) ? Object.entries(value) : [[name, value] as const]
    const named = found.filter(([inner]) => daysNamed(inner) !== undefined)
    if (named.length === 0) continue
    served[name] = value
    for (const [inner, figure] of named) {
      const days = daysNamed(inner)
      const number = asNumber(figure)
      if (days === undefined || number === undefined || byDays.has(days)) continue
      byDays.set(days, number)
    }
  }
  return { byDays, served }
}

const nameFields = [
  "protocol",
  "protocol_name",
  "protocolName",
  "protocol_id",
  "name",
  "strategy",
  "strategy_name",
  "strategyName",
  "position",
  "position_name",
  "positionName",
  "label",
  "title",
  "symbol",
  "asset",
  "subaccount_address",
  "subaccountAddress",
  "address",
]

/** An allocation under the name that allocationsOf knows. */
const withProtocol = (item: JsonObject, index: number): JsonObject => {
  const field = nameFields.find((name) => typeof item[name] === "string" && item[name] !== "")
  const { [field ?? ""]: name, ...rest } = item
  return { ...rest, protocol: name ?? `#${index + 1}` }
}

const isAllocation = (value: unknown): boolean =>
  isJsonObject(value) || (Array.isArray(value) && value.every(isJsonObject))

const allocationsIn = (record: JsonObject) => {
  const field = Object.keys(record).find(
    (name) => hasWord(name, allocationWords) && isAllocation(record[name]),
  )
  const value = field === undefined ? undefined : record[field]
  const allocations = Array.isArray(value)
    ? value.flatMap((item: JsonObject, index) => allocationsOf(withProtocol(item, index), ""))
    : isJsonObject(value)
      ? allocationsOf({ allocations: value }, "")
      : []
  // A shape that tells no allocation stays with the summary.
  const understood = allocations.length > 0 || (Array.isArray(value) && value.length === 0)
  return { allocations, consumed: understood && field !== undefined ? [field] : [] }
}

const snapshotAt = (record: JsonObject, timeFields: ReadonlyArray<string>): number | null => {
  const snapshot = snapshotFields.map((name) => record[name]).find(isJsonObject)
  const times = timeFields.map((name) => parseInstant(snapshot?.[name]))
  return times.find((time) => time !== undefined) ?? null
}

/** The summary, and a row for each of its allocations. */
export const vaultSummaryRows = (
  record: JsonObject,
  { origin, subject, timeFields }: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const { byDays, served } = returnsIn(record)
  const { allocations, consumed } = allocationsIn(record)
  const key = { vault_address: subject.address, chain_id: subject.chainId }
  const parts = mapCurrent({
    table: vaultSummaryAllocations,
    records: allocations,
    origin,
    computed: { ...key, position: contentKeys(allocations, ["protocol"]) },
    consumed: ["protocol"],
  })
  return Result.succeed(
    together(
      mapCurrent({
        table: vaultSummaries,
        records: [record],
        origin,
        computed: {
          ...key,
          return_1_day: byDays.get(1) ?? null,
          return_7_day: byDays.get(7) ?? null,
          return_30_day: byDays.get(30) ?? null,
          recent_returns: Object.keys(served).length === 0 ? null : stableStringify(served),
          latest_snapshot_at: snapshotAt(record, timeFields),
        },
        consumed: [...Object.keys(served), ...consumed, ...echoed(record, subject)],
      }),
      // A summary that tells no allocation ends none.
      consumed.length === 0
        ? parts
        : { ...parts, rows: { ...parts.rows, scope: { vault_address: subject.address } } },
    ),
  )
}
