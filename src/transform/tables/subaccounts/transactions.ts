// core.transactions: what each subaccount did on chain, decoded by the service.
import type { Table } from "../../../domain/table.ts"
import { extra, subaccountAddress } from "../shared.ts"

export const transactions: Table = {
  schema: "core",
  name: "transactions",
  mode: "history",
  grain: "subaccount and transaction",
  comment:
    "Transactions of subaccounts, with the transfers and logs the service decoded. A transaction between two subaccounts stands under both.",
  source: "GET /transactions/v2 (§4.3, §2.5)",
  key: ["subaccount_address", "executed_at", "transaction_id"],
  time: "executed_at",
  columns: [
    subaccountAddress,
    {
      name: "executed_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When the transaction was executed",
    },
    {
      name: "transaction_id",
      type: "text",
      required: true,
      comment:
        "The record's own id; else chain and hash, `#2` and on for further records of one hash; else a digest of its content",
    },
    { name: "chain_id", type: "integer", comment: "The platform's chain id of the transaction" },
    { name: "transaction_hash", type: "text", comment: "Hash, in lower case where hexadecimal" },
    {
      name: "status",
      type: "text",
      comment: "State of the transaction in the service's own words",
    },
    {
      name: "is_failed",
      type: "boolean",
      comment: "Whether it was executed and failed; null when the record does not tell",
    },
    {
      name: "function_name",
      type: "text",
      fields: ["function_name", "functionName", "method_name", "methodName", "method", "function"],
      comment: "Function called",
    },
    {
      name: "function_names",
      type: "json",
      fields: ["function_names", "functionNames", "functions"],
      comment: "Functions called, where the service lists several",
    },
    {
      name: "block_number",
      type: "amount",
      fields: ["block_number", "blockNumber", "block"],
      comment: "Block of the chain",
    },
    {
      name: "from_address",
      type: "text",
      comment: "Sender; EVM in lower case, Solana and Stellar as served",
    },
    {
      name: "to_address",
      type: "text",
      comment: "Receiver of the call; EVM in lower case, Solana and Stellar as served",
    },
    {
      name: "transfers",
      type: "json",
      fields: ["transfers", "token_transfers", "tokenTransfers"],
      comment: "Token transfers, as served",
    },
    {
      name: "decoded_logs",
      type: "json",
      fields: ["decoded_logs", "decodedLogs", "logs"],
      comment: "Decoded logs, as served",
    },
    extra,
  ],
  example:
    "select executed_at, subaccount_address, function_name, is_failed from core.transactions order by executed_at desc limit 20",
}
