// core.withdrawal_requests: the queue of pending withdrawals of each vault, and since when.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const withdrawalRequests: Table = {
  schema: "core",
  name: "withdrawal_requests",
  mode: "slowly_changing",
  grain: "vault, request and version",
  comment:
    "Pending withdrawal requests; one that has left the queue is no longer current, and valid_to tells since when.",
  source: "GET /withdrawals/{chain}/{vault_address}, pending requests (§4.2, §2.10)",
  key: ["vault_address", "chain_id", "request_id"],
  columns: [
    vaultAddress,
    { ...chainId, required: true },
    {
      name: "request_id",
      type: "text",
      required: true,
      comment:
        "The request's id, else the SHA-256 of what of it does not move; `#2` and so on where repeated",
    },
    {
      name: "requested_at",
      type: "timestamp",
      unit: "UTC",
      fields: [
        "requestedAt",
        "requested_at",
        "requestDate",
        "request_date",
        "date",
        "timestamp",
        "datetime",
        "createdAt",
        "created_at",
      ],
      comment: "When the withdrawal was requested",
    },
    {
      name: "estimated_completion_at",
      type: "timestamp",
      unit: "UTC",
      fields: ["estimatedCompletionDate", "estimated_completion_date", "estimatedCompletionAt"],
      comment: "When it is expected to be done, where the service says so",
    },
    {
      name: "amount_raw",
      type: "amount",
      unit: "smallest unit of the token",
      comment: "Amount asked for, every digit of it",
    },
    {
      name: "amount",
      type: "double",
      unit: "the vault's underlying asset",
      comment: "Amount asked for, normalized",
    },
    {
      name: "vault_pct",
      type: "double",
      unit: "as served; percent where the name served says so",
      fields: [
        "vault_pct",
        "vaultPct",
        "vault_percentage",
        "vaultPercentage",
        "percentage_of_vault",
        "percentageOfVault",
        "percentage",
        "pct",
      ],
      comment: "Share of the vault it takes",
    },
    {
      name: "recipient_address",
      type: "text",
      comment: "Who receives it; EVM in lower case, Solana and Stellar as served",
    },
    {
      name: "recipient_address_as_served",
      type: "text",
      fields: [
        "recipient",
        "recipient_address",
        "recipientAddress",
        "receiver",
        "receiver_address",
        "receiverAddress",
        "address",
      ],
      comment: "The address as the service spells it",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, requested_at, amount, recipient_address from core.withdrawal_requests where is_current order by requested_at",
}
