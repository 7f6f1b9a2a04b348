// core.annualized_apy: annualized liquid APY of the vaults the service supports it for.
import { field } from "../../../domain/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Drift, Violation } from "../../../domain/violation.ts"
import { numberOf } from "../../fields/numbers.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { chainId, restOfRecord, vaultAddress } from "../shared.ts"

export const annualizedApy: Table = {
  schema: "core",
  name: "annualized_apy",
  mode: "slowly_changing",
  grain: "vault and version of its figures",
  comment: "Annualized liquid APY; the service supports a fixed set of four vault tokens (§4.2).",
  source: "GET /tokenized_vault/annualized_apy/{vault_address} (§4.2, §2.10, §9.2)",
  key: ["vault_address"],
  columns: [
    vaultAddress,
    chainId,
    field.double("liquid_apy_30_day", "Liquid APY over 30 days, annualized", {
      names: ["liquidAPY30Day"],
      unit: "as sent",
    }),
    field.double("liquid_apy_7_day", "Liquid APY over 7 days, annualized", {
      names: ["liquidAPY7Day"],
      unit: "as sent",
    }),
    ...restOfRecord,
  ],
  example:
    "select vault_address, valid_from, valid_to, liquid_apy_30_day, liquid_apy_7_day from core.annualized_apy order by valid_from desc limit 10",
}

/** §9.2: removed on 2026-01-01; the names begin with a vault's token. */
const replaced = [
  { ending: /30dLiquidAPY$/, by: "liquidAPY30Day" },
  { ending: /7dLiquidAPY$/, by: "liquidAPY7Day" },
]

/** Reads a deprecated field where the one that replaces it is missing. */
export const annualizedApyRows = (
  record: JsonObject,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { subject } = source
  const standIns: Record<string, unknown> = {}
  const consumed = [...echoedFields(record, subject)]
  const drift: Array<Drift> = []
  for (const [name, value] of Object.entries(record)) {
    const by = replaced.find(({ ending }) => ending.test(name))?.by
    if (by === undefined) continue
    const current = record[by] ?? standIns[by]
    if (current === undefined) {
      if (numberOf(value) === undefined) continue
      standIns[by] = value
      consumed.push(name)
      drift.push({ path: `$.${name}`, kind: "deprecated_field", detail: `used for ${by} (§9.2)` })
    } else if (numberOf(current) === numberOf(value)) {
      consumed.push(name)
    }
  }
  const mapped = mapRecords({
    table: annualizedApy,
    records: [{ ...record, ...standIns }],
    source,
    computed: { vault_address: subject.address, chain_id: subject.chainId },
    consumed,
    at: () => "$",
  })
  return combined({ ...mapped, drift: [...drift, ...mapped.drift] })
}
