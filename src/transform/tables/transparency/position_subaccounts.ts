// core.position_subaccounts: the value of each subaccount of a vault at each position snapshot.
import { documented, field, text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { extra, vaultAddress, vaultChainId, wireSpelling } from "../shared.ts"

export const positionSubaccounts: Table = {
  schema: "core",
  name: "position_subaccounts",
  mode: "history",
  grain: "vault, snapshot and subaccount",
  comment:
    "Subaccounts of each hourly position snapshot. Reading a snapshot again replaces its set of subaccounts; a subaccount that it no longer has moves to the versions.",
  source: "GET /platform/positions/{vault_address}, subaccounts (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "snapshot_at", "subaccount_address"],
  mergeKey: ["vault_address", "chain_id", "snapshot_at"],
  time: "snapshot_at",
  columns: [
    vaultAddress,
    vaultChainId,
    timestamp("snapshot_at", "Instant of the snapshot", { required: true }),
    text(
      "subaccount_address",
      "Subaccount address; EVM in lower case. If none is sent, the place in the list, such as `#1`; with `#2` and so on after it where the list repeats it",
      { required: true },
    ),
    wireSpelling("subaccount_address", ["address", "subaccount_address"]),
    field.text("name", "Name of the subaccount", {
      names: ["name", "friendly_name", "internal_name"],
    }),
    documented.double("total_usd", "Value of the subaccount's holdings", { unit: "USD" }),
    field.json("positions", "Positions of the subaccount, as sent"),
    extra,
  ],
  example:
    "select snapshot_at, subaccount_address, total_usd from core.position_subaccounts order by snapshot_at desc limit 20",
}
