// core.revert_reasons: why failed transactions failed, as the service decoded their traces.
import { type JsonObject, stableStringify } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import { mapRecords } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { extra } from "../shared.ts"

/** A transaction as the service is asked about it. */
export interface TransactionRef {
  readonly chainId: number
  readonly transactionHash: string
}

/** The spelling joins use: hexadecimal in lower case, base58 as it is. */
export const canonicalHash = (hash: string): string =>
  /^0x[0-9a-f]+$/i.test(hash) ? hash.toLowerCase() : hash

export const revertReasons: Table = {
  schema: "core",
  name: "revert_reasons",
  mode: "history",
  grain: "transaction",
  comment: "Decoded revert reasons of failed transactions; empty lists where nothing matched.",
  source: "GET /revert_reason (§4.1, §2.9)",
  key: ["chain_id", "transaction_hash"],
  columns: [
    {
      name: "chain_id",
      type: "integer",
      required: true,
      comment: "The platform's chain id of the transaction",
    },
    {
      name: "transaction_hash",
      type: "text",
      required: true,
      comment: "Hash asked about, in lower case where hexadecimal",
    },
    { name: "revert_reasons", type: "json", required: true, comment: "Reasons, as served" },
    extra,
  ],
  example: "select chain_id, transaction_hash, revert_reasons from core.revert_reasons limit 20",
}

/** One row, also when nothing matched: the transaction need not be asked about again. */
export const revertReasonRows = (
  answer: JsonObject & { readonly revert_reasons: ReadonlyArray<unknown> },
  { origin, inputs }: Pick<Source<unknown>, "origin" | "inputs">,
): MappedAnswer =>
  together(
    mapRecords({
      table: revertReasons,
      records: [answer],
      origin,
      computed: {
        chain_id: Number(inputs["chain"]),
        transaction_hash: canonicalHash(String(inputs["transactionHash"])),
        revert_reasons: stableStringify(answer.revert_reasons),
      },
      consumed: ["revert_reasons"],
    }),
  )
