// core.fees: what each EVM vault charges, and since when.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { echoed } from "../../fields/echoed.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const fees: Table = {
  schema: "core",
  name: "fees",
  mode: "slowly_changing",
  grain: "vault and version of its fees",
  comment: "Fee configuration of EVM vaults with its history.",
  source: "GET /platform/fees/{vault_address} (§4.1, §2.9)",
  key: ["chain_id", "vault_address"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    {
      name: "management_fee_pct",
      type: "double",
      unit: "percent",
      fields: ["management_fee_pct"],
      comment: "Management fee; 1.5 is 1.5%",
    },
    {
      name: "performance_fee_pct",
      type: "double",
      unit: "percent",
      fields: ["performance_fee_pct"],
      comment: "Performance fee; 10 is 10%",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, management_fee_pct, performance_fee_pct, valid_from from core.fees where is_current",
}

export const feesRows = (
  record: JsonObject,
  { origin, subject }: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> =>
  Result.succeed(
    together(
      mapCurrent({
        table: fees,
        records: [record],
        origin,
        computed: { chain_id: subject.chainId, vault_address: subject.address },
        consumed: echoed(record, subject),
      }),
    ),
  )
