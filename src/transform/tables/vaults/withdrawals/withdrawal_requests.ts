// core.withdrawal_requests: the queue of pending withdrawals of each vault, with its history.
import { field } from "../../../../domain/table/column.ts"
import type { Table } from "../../../../domain/table/table.ts"
import { type AmountColumns, amountNames } from "../../../fields/amounts.ts"
import { address, id } from "../../../fields/readers.ts"
import { restOfRecord, vaultAddress, vaultChainId, wireSpelling } from "../../shared.ts"

const recipientNames = ["recipient", "recipient_address", "receiver", "receiver_address", "address"]

const stems = ["amount"]

export const requestAmount: AmountColumns = { raw: "amount_raw", normalized: "amount", stems }

export const withdrawalRequests: Table = {
  schema: "core",
  name: "withdrawal_requests",
  mode: "slowly_changing",
  grain: "vault, request and version",
  comment: "Pending withdrawal requests. valid_to is when a request left the queue.",
  source: "GET /withdrawals/{chain}/{vault_address}, pending requests (§4.2, §2.10)",
  key: ["vault_address", "chain_id", "request_id"],
  shapes: [
    {
      name: "a list of requests",
      holds: "list",
      in: ["pending_queue", "pending_requests", "requests"],
      requires: [["request_id", "requested_at", "recipient_address", "amount_raw", "amount"]],
    },
  ],
  columns: [
    vaultAddress,
    vaultChainId,
    field.text(
      "request_id",
      "The request's id, else the SHA-256 of its unchanging fields; `#2` and so on for repetitions",
      { names: ["id", "request_id"], read: id, required: true },
    ),
    field.timestamp("requested_at", "When the withdrawal was requested", {
      isPast: true,
      names: ["requested_at", "request_date", "date", "timestamp", "created_at"],
    }),
    field.timestamp(
      "estimated_completion_at",
      "Expected time of completion, if the service sends it",
      { names: ["estimated_completion_date"] },
    ),
    field.amount("amount_raw", "Amount requested, every digit", {
      names: amountNames(...stems).raw,
      otherUnit: "amount",
      unit: "smallest unit of the token",
    }),
    field.double("amount", "Amount requested, normalized", {
      names: amountNames(...stems).normalized,
      otherUnit: "amount_raw",
      unit: "the vault's underlying asset",
      range: { from: 0 },
    }),
    field.double("vault_pct", "Share of the vault", {
      plausible: { from: 0, to: 100 },
      names: ["vault_pct", "vault_percentage", "percentage"],
      unit: "as sent; percent if the field's name says so",
    }),
    field.text("recipient_address", "Recipient; EVM in lower case, Solana and Stellar unchanged", {
      names: recipientNames,
      read: address,
    }),
    wireSpelling("recipient_address", recipientNames),
    ...restOfRecord,
  ],
  example:
    "select vault_address, requested_at, amount, recipient_address from core.withdrawal_requests where is_current order by requested_at",
}
