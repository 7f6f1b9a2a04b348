// Revert reasons of failed transactions: those found and those the configuration names, each requested once. A hash
// without a trace is remembered like any other absence.
import * as Effect from "effect/Effect"
import { revertReason } from "../../../extract/endpoints/transparency/revert_reason.ts"
import { decodeRow, json, number, optional, text } from "../../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../../load/sql/sqlFile.ts"
import { canonicalHash } from "../../../transform/fields/readers.ts"
import {
  revertReasonRows,
  revertReasons,
  type TransactionRef,
} from "../../../transform/tables/transparency/revert_reasons.ts"
import type { Lookup, Partition } from "../../model/Pipeline.ts"
import { single, snapshot } from "../../strategies/snapshot.ts"

const failedTransaction = decodeRow({
  chainId: number("chain_id"),
  transactionHash: text("transaction_hash"),
  vaults: optional(json)("vaults"),
})

const storedReason = decodeRow({
  chainId: number("chain_id"),
  transactionHash: text("transaction_hash"),
})

const entityOf = ({ chainId, transactionHash }: TransactionRef): string =>
  `${canonicalHash(transactionHash)}@${chainId}`

const failedTransactions = Effect.fnUntraced(function* (lookup: Lookup) {
  const { rows, vaults, isSelection, isUnread, context } = lookup
  const selected = new Set(isSelection ? (yield* vaults).map(({ address }) => address) : [])
  const found = (yield* rows(
    sqlFile("partitions", "failed_transactions"),
    [],
    ["core.transactions"],
  ))
    .map(failedTransaction)
    .filter((each) =>
      isSelection
        ? ((each.vaults ?? []) as ReadonlyArray<string>).some((vault) => selected.has(vault))
        : true,
    )
  const stored = yield* rows(
    "select chain_id, transaction_hash from core.revert_reasons",
    [],
    ["core.revert_reasons"],
  )
  const known = new Set(context.full ? [] : stored.map((row) => entityOf(storedReason(row))))
  const wanted = [...context.revertReasons, ...found].map(
    ({ chainId, transactionHash }): Partition<TransactionRef> => ({
      entity: entityOf({ chainId, transactionHash }),
      subject: { chainId, transactionHash },
    }),
  )
  return [...new Map(wanted.map((each) => [each.entity, each])).values()].filter(
    ({ entity }) => !known.has(entity) || isUnread(entity),
  )
})

export const revertReasonsPipeline = snapshot({
  name: "revert_reasons",
  title: "Revert reasons",
  cadence: "hourly",
  tables: [revertReasons],
  endpoint: revertReason,
  after: ["transactions"],
  partitions: failedTransactions,
  requests: ({ transactionHash, chainId }) => single({ transactionHash, chain: chainId }),
  rows: revertReasonRows,
})
