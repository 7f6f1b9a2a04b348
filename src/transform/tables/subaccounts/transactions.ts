// core.transactions: on-chain transactions of each subaccount, decoded by the service.
import * as Result from "effect/Result"
import { field, type Reader, spellings } from "../../../domain/table/column.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { SubaccountRef } from "../../../domain/subject/subaccount.ts"
import type { Table } from "../../../domain/table/table.ts"
import { parseInstant } from "../../../domain/values/time.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { address, chain, hash, id } from "../../fields/readers.ts"
import { timeFieldOf } from "../../fields/timeField.ts"
import { readColumn, valueAt } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { repetitionsByKey } from "../../repetitions.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { extra, subaccountAddress, transactionHashNames } from "../shared.ts"

const statusNames = ["status", "transaction_status"]
const failedNames = ["is_failed", "failed", "is_error", "reverted"]
const succeededNames = ["success", "is_success", "succeeded", "successful"]

const saysFailed = new Set(spellings(...failedNames))
const saysSucceeded = new Set(spellings(...succeededNames))
// States that say so in words, and those of an EVM receipt. A plain 0 or 1 is either, depending on the service.
const failedStates = new Set(["failed", "failure", "error", "reverted", "0x0"])
const succeededStates = new Set(["success", "successful", "succeeded", "ok", "0x1"])

/** Whether the transaction failed, according to a flag or an unambiguous status. */
const failure: Reader = (value, name) => {
  if (saysFailed.has(name) || saysSucceeded.has(name)) {
    return typeof value === "boolean"
      ? { value: value === saysFailed.has(name), isWhole: true }
      : undefined
  }
  if (typeof value !== "string") return undefined
  const state = value.toLowerCase()
  if (failedStates.has(state)) return { value: true, isWhole: false }
  return succeededStates.has(state) ? { value: false, isWhole: false } : undefined
}

export const transactions: Table = {
  schema: "core",
  name: "transactions",
  mode: "history",
  grain: "subaccount and transaction",
  comment:
    "Transactions of subaccounts, with the transfers and logs that the service decoded. A transaction between two subaccounts has a row for each.",
  source: "GET /transactions/v2 (§4.3, §2.5)",
  key: ["subaccount_address", "executed_at", "transaction_id"],
  time: "executed_at",
  columns: [
    subaccountAddress,
    field.timestamp("executed_at", "When the transaction was executed", {
      // These names come before the setting timeFields, whose `created_at` may be when the service recorded it.
      names: ["executed_at", "block_timestamp", "block_time", "transaction_time"],
      required: true,
    }),
    field.text(
      "transaction_id",
      "The record's id, else chain and hash, else a hash of its content; `#2` and so on for further records with it at the same time, but not for one that a response repeats in all fields",
      { names: ["id", "transaction_id"], read: id, required: true },
    ),
    field.integer("chain_id", "The platform's chain id of the transaction", {
      names: ["chain_id", "chain", "network", "blockchain"],
      read: chain,
    }),
    field.text("transaction_hash", "Hash, in lower case if hexadecimal", {
      names: [...transactionHashNames, "signature"],
      read: hash,
    }),
    // A number is a status too.
    field.text("status", "State of the transaction, as sent", {
      names: statusNames,
      read: id,
    }),
    field.boolean(
      "is_failed",
      "Whether it was executed and failed; null if the record does not say",
      {
        names: [...failedNames, ...succeededNames, ...statusNames],
        read: failure,
      },
    ),
    field.text("function_name", "Function called"),
    field.json("function_names", "Functions called, if the service lists several"),
    field.amount("block_number", "Block of the chain"),
    field.text("from_address", "Sender; EVM in lower case, Solana and Stellar unchanged", {
      names: ["from", "from_address", "sender"],
      read: address,
    }),
    field.text(
      "to_address",
      "Receiver of the call; EVM in lower case, Solana and Stellar unchanged",
      {
        names: ["to", "to_address"],
        read: address,
      },
    ),
    field.json("transfers", "Token transfers, as sent"),
    field.json("decoded_logs", "Decoded logs, as sent", { names: ["decoded_logs", "logs"] }),
    extra,
  ],
  example:
    "select executed_at, subaccount_address, function_name, is_failed from core.transactions order by executed_at desc limit 20",
}

/** One row for each transaction. Fails if no record has a time under a known name. */
export const transactionRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<SubaccountRef>,
): Result.Result<MappedResponse, Violation> =>
  Result.flatMap(timeFieldOf(transactions, records, source), (fields) => {
    const each = withoutRepetitions(
      records.map((record, place) => ({ record, place, own: ownIdOf(record, source) })),
    )
    return combined(
      mapRecords({
        table: transactions,
        records: each.map(({ record }) => record),
        source,
        fields,
        at: (row) => `$[${each[row]?.place ?? row}]`,
        computed: {
          subaccount_address: source.subject.address,
          // An id that occurs again at another time, as on another chain, is that of another transaction: numbered over the
          // whole response, it would change with what else is in the response.
          transaction_id: contentKeys(
            each.map(({ record, own }) => (own === undefined ? { content: record } : { id: own })),
            ["id"],
            undefined,
            (row) => timeOf(each[row]?.record ?? {}, fields),
          ),
        },
      }),
    )
  })

/** When a transaction was executed, by the names found in the response. */
const timeOf = (
  record: JsonObject,
  { executed_at: names = [] }: Readonly<Record<string, ReadonlyArray<string>>>,
): number | undefined => {
  for (const name of names) {
    const time = parseInstant(valueAt(record, name))
    if (time !== undefined) return time
  }
  return undefined
}

/** The record's id, else chain and hash. */
const ownIdOf = (record: JsonObject, source: Source<SubaccountRef>): string | undefined => {
  const read = (column: string) => readColumn(record, transactions, column, source)
  const own = read("transaction_id")
  if (own !== null) return String(own)
  const [chainId, transactionHash] = [read("chain_id"), read("transaction_hash")]
  if (transactionHash === null) return undefined
  return chainId === null ? String(transactionHash) : `${chainId}:${transactionHash}`
}

interface Placed {
  readonly record: JsonObject
  readonly place: number
  /** `undefined` if the record names no transaction: two that are equal may then be two transactions. */
  readonly own: string | undefined
}

/** Without the records that repeat another one in all fields: a transaction happens once. */
const withoutRepetitions = (all: ReadonlyArray<Placed>): ReadonlyArray<Placed> => {
  const isRepetition = repetitionsByKey()
  return all.filter(({ record, own }) => own === undefined || !isRepetition(own, record))
}
