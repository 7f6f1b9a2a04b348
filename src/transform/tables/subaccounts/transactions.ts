// core.transactions: what each subaccount did on chain, decoded by the service.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { SubaccountRef } from "../../../domain/subaccount.ts"
import type { Table, Value } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import {
  address,
  chain,
  digits,
  mapTaken,
  type Readings,
  served,
  takeFields,
} from "../../fields/takenFields.ts"
import { resolveTimes } from "../../fields/timeField.ts"
import { failure, hash } from "../../fields/transactionFields.ts"
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

// Before the common names, of which `created_at` may be when the service took note.
const timeNames = [
  "executed_at",
  "executedAt",
  "block_timestamp",
  "blockTimestamp",
  "block_time",
  "blockTime",
  "transaction_time",
  "transactionTime",
]

const idNames = ["id", "transaction_id"] as const

const readings: Readings = {
  transaction_id: [served(...idNames), digits(...idNames)],
  chain_id: chain("chain_id", "chain", "network", "blockchain"),
  transaction_hash: hash,
  // A receipt's 0 or 1 is a status too.
  status: [
    served("status", "transaction_status", "tx_status"),
    digits("status", "transaction_status", "tx_status"),
  ],
  is_failed: failure,
  from_address: address("from", "from_address", "sender"),
  to_address: address("to", "to_address"),
}

/** One row a record. Fails when the records carry no time under a known name. */
export const transactionRows = (
  records: ReadonlyArray<JsonObject>,
  { origin, subject, timeFields }: Source<SubaccountRef>,
): Result.Result<MappedAnswer, Violation> =>
  Result.map(resolveTimes(records, [...timeNames, ...timeFields]), ({ field, micros }) =>
    together(
      mapTaken({
        table: transactions,
        records,
        origin,
        readings,
        computed: {
          subaccount_address: subject.address,
          executed_at: micros,
          transaction_id: transactionIds(records),
        },
        consumed: [field],
      }),
    ),
  )

/** Its id; else chain and hash; else a digest of its content. */
const transactionIds = (records: ReadonlyArray<JsonObject>): ReadonlyArray<string> => {
  const { columns } = takeFields(records, readings)
  const column = (name: string): ReadonlyArray<Value> => columns[name] ?? []
  return contentKeys(
    records.map((record, row) => {
      const id = column("transaction_id")[row] ?? null
      const transactionHash = column("transaction_hash")[row] ?? null
      const chainId = column("chain_id")[row] ?? null
      if (id !== null) return { id }
      if (transactionHash === null) return { content: record }
      return { id: chainId === null ? transactionHash : `${chainId}:${transactionHash}` }
    }),
  )
}
