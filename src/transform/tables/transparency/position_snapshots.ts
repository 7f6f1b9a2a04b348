// core.position_snapshots: hourly net asset value of each EVM vault, and the part outside its subaccounts.
import { documented, double, integer, type Reader } from "../../../domain/table/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { isExact, numberOf } from "../../fields/numbers.ts"
import { canonicalSpelling } from "../../../domain/values/address.ts"
import { columnReader, readColumn } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { vaultChainId, extra, vaultAddress } from "../shared.ts"
import { positionSubaccounts } from "./position_subaccounts.ts"

// §2.9 does not give its type.
const anyFigure: Reader = (value) => {
  const number = numberOf(value)
  return { value: number ?? null, isWhole: number !== undefined && isExact(number, value) }
}

export const positionSnapshots: Table = {
  schema: "core",
  name: "position_snapshots",
  mode: "history",
  grain: "vault and snapshot",
  comment: "Hourly position snapshots; all figures are from the same instant (§4.1).",
  source: "GET /platform/positions/{vault_address} (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "snapshot_at"],
  time: "snapshot_at",
  columns: [
    vaultAddress,
    vaultChainId,
    documented.timestamp("snapshot_at", "Instant of the snapshot", { required: true }),
    documented.double("total_nav", "Net asset value", { unit: "USD", range: { from: 0 } }),
    documented.double("reported_tvl", "Total assets that the vault contract reports", {
      unit: "as sent",
      range: { from: 0 },
      read: anyFigure,
    }),
    double("subaccounts_total_usd", "Sum of the subaccounts' holdings", { unit: "USD" }),
    double(
      "buffer_usd",
      "Held by the vault contract: total_nav minus subaccounts_total_usd (§2.9)",
      {
        unit: "USD",
      },
    ),
    integer("subaccount_count", "Number of subaccounts in the list", { range: { from: 0 } }),
    extra,
  ],
  example:
    "select snapshot_at, total_nav, buffer_usd / total_nav as buffer_share from core.position_snapshots order by snapshot_at desc limit 24",
}

/** One row for the snapshot, and one for each of its subaccounts. */
export const positionRows = (
  record: JsonObject & { readonly subaccounts: ReadonlyArray<JsonObject> },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { subject } = source
  const { subaccounts } = record
  const vault = { vault_address: subject.address, chain_id: subject.chainId }
  const snapshotAt = readColumn(record, positionSnapshots, "snapshot_at", source)
  const nav = readColumn(record, positionSnapshots, "total_nav", source)
  const leftOut = source.leftOut?.filter(isSubaccount).length ?? 0
  const total = leftOut > 0 ? null : sumOf(subaccounts, source)
  const snapshot = mapRecords({
    table: positionSnapshots,
    records: [record],
    source,
    computed: {
      ...vault,
      subaccounts_total_usd: total,
      buffer_usd: typeof nav !== "number" || total === null ? null : nav - total,
      subaccount_count: subaccounts.length + leftOut,
    },
    consumed: ["subaccounts", ...echoedFields(record, subject)],
    at: () => "$",
  })
  // A record without an instant is rejected, together with its subaccounts.
  if (snapshotAt === null) return combined(snapshot)
  const key = { ...vault, snapshot_at: snapshotAt }
  const held = mapRecords({
    table: positionSubaccounts,
    records: subaccounts,
    source,
    computed: { ...key, subaccount_address: addressesOf(subaccounts, source) },
    at: (row) => `$.subaccounts[${row}]`,
  })
  return combined(
    snapshot,
    subaccounts.length === 0 ? { ...held, rows: { ...held.rows, emptySets: [key] } } : held,
  )
}

const isSubaccount = ({ path }: Violation): boolean => path.startsWith("$.subaccounts[")

/** The sum of the subaccounts; null if one of them has no figure. */
const sumOf = (subaccounts: ReadonlyArray<JsonObject>, source: Source<unknown>): number | null => {
  const figureOf = columnReader(positionSubaccounts, "total_usd", source)
  let sum = 0
  for (const subaccount of subaccounts) {
    const figure = figureOf(subaccount)
    if (typeof figure !== "number") return null
    sum += figure
  }
  return sum
}

const addressesOf = (
  subaccounts: ReadonlyArray<JsonObject>,
  source: Source<unknown>,
): ReadonlyArray<string> =>
  contentKeys(
    subaccounts.map((subaccount, index) => {
      const wire = readColumn(subaccount, positionSubaccounts, "subaccount_address_wire", source)
      return { id: typeof wire === "string" ? canonicalSpelling(wire) : `#${index + 1}` }
    }),
  )
