// core.vault_integrations: where each vault's receipt token can be used.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultIntegrations: Table = {
  schema: "core",
  name: "vault_integrations",
  mode: "slowly_changing",
  grain: "vault, integration and version",
  comment:
    "Receipt-token and composability integrations of each vault. One that is no longer listed has ended.",
  source: "GET /tokenized_vault/{vault_address} (§4.2, §2.10)",
  key: ["chain_id", "vault_address", "entry_id"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    {
      name: "entry_id",
      type: "text",
      required: true,
      comment:
        "List and id, name or protocol of the integration, else a hash of it; `#2` and so on where repeated",
    },
    {
      name: "listed_as",
      type: "text",
      required: true,
      comment: "Field of the vault's record that lists it",
    },
    {
      name: "kind",
      type: "text",
      required: true,
      comment: "`receipt_token`, `composability`, or `other`",
    },
    {
      name: "name",
      type: "text",
      fields: [
        "name",
        "integration",
        "title",
        "protocol",
        "protocol_name",
        "protocolName",
        "platform",
      ],
      comment: "Name or protocol of the integration",
    },
    {
      name: "url",
      type: "text",
      fields: ["url", "link", "href"],
      comment: "Where it is",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example: "select vault_address, kind, name from core.vault_integrations where is_current",
}
