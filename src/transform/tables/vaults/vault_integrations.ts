// core.vault_integrations: where each vault's receipt token can be used.
import { field, text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { vaultListTable } from "../vaultListTable.ts"

export const vaultIntegrations: Table = vaultListTable({
  name: "vault_integrations",
  lists: ["receipt_token_integrations", "composability_integrations", "integrations"],
  grain: "vault, integration and version",
  comment:
    "Receipt-token and composability integrations of each vault. An integration ends when it is no longer listed.",
  entryId: "List and id, name or protocol of the integration, else a hash of it",
  columns: [
    text("kind", "`receipt_token`, `composability`, or `other`", { required: true }),
    field.text("name", "Name or protocol of the integration", {
      names: ["name", "integration", "title", "protocol", "protocol_name", "platform"],
    }),
    field.text("url", "Address of the integration"),
  ],
  example: "select vault_address, kind, name from core.vault_integrations where is_current",
})
