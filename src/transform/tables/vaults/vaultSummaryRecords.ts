// Maps a vault summary. §2.10 describes its parts (latest snapshot, returns, strategy allocation) without their names.
import type * as Result from "effect/Result"
import { isJsonObject, type JsonObject, stableStringify } from "../../../domain/json.ts"
import { parseInstant } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { allocationsOf } from "../../fields/allocations.ts"
import { contentKeys } from "../../contentKey.ts"
import { namesOf } from "../../fields/wireNames.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { daysNamed, hasWord } from "../../fields/fieldWords.ts"
import { numberOf } from "../../fields/numbers.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { vaultSummaries } from "./vault_summaries.ts"
import { vaultSummaryAllocations } from "./vault_summary_allocations.ts"

const returnWords = new Set(["return", "returns", "performance"])
const allocationWords = new Set(["allocation", "allocations", "strategies"])

/** The returns by number of days, from separate fields or an object; `wireReturns` has them as sent. */
const returnsIn = (record: JsonObject) => {
  const byDays = new Map<number, number>()
  const wireReturns: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    if (!hasWord(name, returnWords)) continue
    const found = isJsonObject(value) ? Object.entries(value) : [[name, value] as const]
    const named = found.filter(([inner]) => daysNamed(inner) !== undefined)
    if (named.length === 0) continue
    wireReturns[name] = value
    for (const [inner, figure] of named) {
      const days = daysNamed(inner)
      const number = numberOf(figure)
      if (days === undefined || number === undefined || byDays.has(days)) continue
      byDays.set(days, number)
    }
  }
  return { byDays, wireReturns }
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

/** The record with its name in the field `protocol`, which `allocationsOf` reads. */
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
  // A field without a readable allocation stays with the summary.
  const isReadable = allocations.length > 0 || (Array.isArray(value) && value.length === 0)
  return { allocations, consumed: isReadable && field !== undefined ? [field] : [] }
}

const snapshotAt = (record: JsonObject, source: Source<VaultRef>): number | null => {
  const snapshot = namesOf(vaultSummaries, "latest_snapshot", source)
    .map((name) => record[name])
    .find(isJsonObject)
  const times = source.timeFields.map((name) => parseInstant(snapshot?.[name]))
  return times.find((time) => time !== undefined) ?? null
}

/** One row for the summary, and one for each of its allocations. */
export const vaultSummaryRows = (
  record: JsonObject,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { subject } = source
  const { byDays, wireReturns } = returnsIn(record)
  const { allocations, consumed } = allocationsIn(record)
  const key = { vault_address: subject.address, chain_id: subject.chainId }
  return combined(
    mapRecords({
      table: vaultSummaries,
      records: [record],
      source,
      computed: {
        ...key,
        return_1_day: byDays.get(1) ?? null,
        return_7_day: byDays.get(7) ?? null,
        return_30_day: byDays.get(30) ?? null,
        recent_returns: Object.keys(wireReturns).length === 0 ? null : stableStringify(wireReturns),
        latest_snapshot_at: snapshotAt(record, source),
      },
      consumed: [...Object.keys(wireReturns), ...consumed, ...echoedFields(record, subject)],
      at: () => "$",
    }),
    mapRecords({
      table: vaultSummaryAllocations,
      records: allocations,
      source,
      computed: { ...key, position: contentKeys(allocations, ["protocol"]) },
      consumed: ["protocol"],
      // A summary without a readable allocation retires none.
      ...(consumed.length === 0 ? {} : { mergeKey: { vault_address: subject.address } }),
    }),
  )
}
