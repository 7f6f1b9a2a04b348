// core.position_snapshots: net asset value of each EVM vault at the hour, and what of it is in no subaccount.
import * as Result from "effect/Result"
import { canonicalAddress } from "../../../domain/address.ts"
import { asNumber, type JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import { parseInstant } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoed } from "../../fields/echoed.ts"
import { mapRecords } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { chainId, extra, vaultAddress } from "../shared.ts"
import { positionSubaccounts } from "./position_subaccounts.ts"

export const positionSnapshots: Table = {
  schema: "core",
  name: "position_snapshots",
  mode: "history",
  grain: "vault and snapshot",
  comment: "Hourly position snapshots; every figure is of the one instant (§4.1).",
  source: "GET /platform/positions/{vault_address} (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "snapshot_at"],
  time: "snapshot_at",
  columns: [
    vaultAddress,
    { ...chainId, required: true },
    {
      name: "snapshot_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "Instant of the snapshot",
    },
    {
      name: "total_nav",
      type: "double",
      unit: "USD",
      fields: ["total_nav"],
      comment: "Net asset value",
    },
    {
      name: "reported_tvl",
      type: "double",
      unit: "as served",
      fields: ["reported_tvl"],
      comment: "Total assets the vault contract reports",
    },
    {
      name: "subaccounts_total_usd",
      type: "double",
      unit: "USD",
      comment: "Sum of what the subaccounts hold",
    },
    {
      name: "buffer_usd",
      type: "double",
      unit: "USD",
      comment: "Held by the vault itself: total_nav minus subaccounts_total_usd (§2.9)",
    },
    { name: "subaccount_count", type: "integer", comment: "How many subaccounts were listed" },
    extra,
  ],
  example:
    "select snapshot_at, total_nav, buffer_usd / total_nav as buffer_share from core.position_snapshots order by snapshot_at desc limit 24",
}

/** What the positions endpoint is known to serve. */
export interface PositionsRecord {
  readonly snapshot_at: string | number
  readonly total_nav: number
  readonly subaccounts: ReadonlyArray<JsonObject & { readonly total_usd: number }>
}

const subaccountFields = ["address", "subaccount_address", "subaccountAddress"]

/** The snapshot and a row for each of its subaccounts. Fails when its instant can't be read. */
export const positionRows = (
  record: PositionsRecord,
  { origin, subject }: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const snapshotAt = parseInstant(record.snapshot_at)
  if (snapshotAt === undefined) {
    return Result.fail({
      path: "$.snapshot_at",
      detail: `is not an instant: ${JSON.stringify(record.snapshot_at)}`,
    })
  }
  const { subaccounts } = record
  // Numbers may come as raw digits.
  const total = subaccounts.reduce((sum, { total_usd }) => sum + (asNumber(total_usd) ?? 0), 0)
  const snapshot: JsonObject = { ...record }
  const key = {
    vault_address: subject.address,
    chain_id: subject.chainId,
    snapshot_at: snapshotAt,
  }
  const held = mapRecords({
    table: positionSubaccounts,
    records: subaccounts,
    origin,
    computed: { ...key, subaccount_address: addressesOf(subaccounts) },
  })
  return Result.succeed(
    together(
      mapRecords({
        table: positionSnapshots,
        records: [snapshot],
        origin,
        computed: {
          ...key,
          subaccounts_total_usd: total,
          buffer_usd: (asNumber(record.total_nav) ?? 0) - total,
          subaccount_count: subaccounts.length,
        },
        consumed: ["snapshot_at", "subaccounts", ...echoed(snapshot, subject)],
      }),
      subaccounts.length === 0 ? { ...held, rows: { ...held.rows, emptySets: [key] } } : held,
    ),
  )
}

const addressesOf = (subaccounts: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  contentKeys(
    subaccounts.map((subaccount, index) => {
      const served = subaccountFields
        .map((name) => subaccount[name])
        .find((value) => typeof value === "string" && value !== "")
      return typeof served === "string"
        ? { id: canonicalAddress(served)?.canonical ?? served }
        : { id: `#${index + 1}` }
    }),
  )
