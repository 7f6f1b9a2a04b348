// core.revert_reasons: why transactions failed, as decoded by the service from their traces.
import type * as Result from "effect/Result"
import { documented, integer, text } from "../../../domain/table/column.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { canonicalHash } from "../../fields/readers.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { extra } from "../shared.ts"

/** A transaction whose trace is requested. */
export interface TransactionRef {
  readonly chainId: number
  readonly transactionHash: string
}

export const revertReasons: Table = {
  schema: "core",
  name: "revert_reasons",
  mode: "history",
  grain: "transaction",
  comment: "Decoded revert reasons of failed transactions; empty lists if nothing matched.",
  source: "GET /revert_reason (§4.1, §2.9)",
  key: ["chain_id", "transaction_hash"],
  columns: [
    integer("chain_id", "The platform's chain id of the transaction", { required: true }),
    text("transaction_hash", "Hash in the request, in lower case if hexadecimal", {
      required: true,
    }),
    documented.json("revert_reasons", "Reasons, as sent", { required: true }),
    extra,
  ],
  example: "select chain_id, transaction_hash, revert_reasons from core.revert_reasons limit 20",
}

/** One row, even if nothing matched, so that the transaction is not traced again. */
export const revertReasonRows = (
  body: JsonObject,
  source: Pick<Source<unknown>, "lineage" | "inputs" | "fields">,
): Result.Result<MappedResponse, Violation> =>
  combined(
    mapRecords({
      table: revertReasons,
      records: [body],
      source,
      computed: {
        chain_id: Number(source.inputs["chain"]),
        transaction_hash: canonicalHash(String(source.inputs["transactionHash"])),
      },
      at: () => "$",
    }),
  )
