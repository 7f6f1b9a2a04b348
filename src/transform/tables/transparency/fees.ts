// core.fees: the fees of each EVM vault, with their history.
import { documented } from "../../../domain/table/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { restOfRecord, vaultAddress, vaultChainId } from "../shared.ts"

export const fees: Table = {
  schema: "core",
  name: "fees",
  mode: "slowly_changing",
  grain: "vault and version of its fees",
  comment: "Fee configuration of EVM vaults with its history.",
  source: "GET /platform/fees/{vault_address} (§4.1, §2.9)",
  key: ["chain_id", "vault_address"],
  columns: [
    vaultChainId,
    vaultAddress,
    documented.double("management_fee_pct", "Management fee; 1.5 is 1.5%", {
      unit: "percent",
      range: { from: 0, to: 100 },
    }),
    documented.double("performance_fee_pct", "Performance fee; 10 is 10%", {
      unit: "percent",
      range: { from: 0, to: 100 },
    }),
    ...restOfRecord,
  ],
  example:
    "select vault_address, management_fee_pct, performance_fee_pct, valid_from from core.fees where is_current",
}

export const feesRows = (
  record: JsonObject,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> =>
  combined(
    mapRecords({
      table: fees,
      records: [record],
      source,
      computed: { chain_id: source.subject.chainId, vault_address: source.subject.address },
      consumed: echoedFields(record, source.subject),
      at: () => "$",
    }),
  )
