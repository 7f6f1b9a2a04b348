// core.position_subaccounts: what each subaccount of a vault was worth at each position snapshot.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, subaccountAddress, vaultAddress } from "../shared.ts"

export const positionSubaccounts: Table = {
  schema: "core",
  name: "position_subaccounts",
  mode: "history",
  grain: "vault, snapshot and subaccount",
  comment:
    "Subaccounts of each hourly position snapshot. A snapshot served again has the subaccounts it then had; one it no longer has is in the versions.",
  source: "GET /platform/positions/{vault_address}, subaccounts (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "snapshot_at", "subaccount_address"],
  setKey: ["vault_address", "chain_id", "snapshot_at"],
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
      ...subaccountAddress,
      comment:
        "Subaccount address; EVM in lower case. Where none is served its place in the list, `#1` being the first",
    },
    {
      name: "subaccount_address_as_served",
      type: "text",
      fields: ["address", "subaccount_address", "subaccountAddress"],
      comment: "The address as the service spells it",
    },
    {
      name: "name",
      type: "text",
      fields: ["name", "friendly_name", "friendlyName", "internal_name", "internalName"],
      comment: "Name of the subaccount",
    },
    {
      name: "total_usd",
      type: "double",
      unit: "USD",
      fields: ["total_usd"],
      comment: "What the subaccount holds",
    },
    {
      name: "positions",
      type: "json",
      fields: ["positions"],
      comment: "Positions of the subaccount, as served",
    },
    extra,
  ],
  example:
    "select snapshot_at, subaccount_address, total_usd from core.position_subaccounts order by snapshot_at desc limit 20",
}
