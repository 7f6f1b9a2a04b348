// core.vault_integrations: where each vault's receipt token can be used.
import type { Table } from "../../../domain/table.ts"
import { vaultListTable } from "../vaultListTable.ts"

export const vaultIntegrations: Table = vaultListTable({
  name: "vault_integrations",
  grain: "vault, integration and version",
  comment:
    "Receipt-token and composability integrations of each vault. One that is no longer listed has ended.",
  entryId: "List and id, name or protocol of the integration, else a hash of it",
  columns: [
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
  ],
  example: "select vault_address, kind, name from core.vault_integrations where is_current",
})
