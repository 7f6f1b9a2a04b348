// core.annualized_apy: annualized liquid APY of the vaults the service works it out for.
import * as Result from "effect/Result"
import { asNumber, type JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Drift, Violation } from "../../../domain/violation.ts"
import { echoed } from "../../fields/echoed.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

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
    {
      name: "liquid_apy_30_day",
      type: "double",
      unit: "as served",
      fields: ["liquidAPY30Day"],
      comment: "Liquid APY over 30 days, annualized",
    },
    {
      name: "liquid_apy_7_day",
      type: "double",
      unit: "as served",
      fields: ["liquidAPY7Day"],
      comment: "Liquid APY over 7 days, annualized",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, valid_from, valid_to, liquid_apy_30_day, liquid_apy_7_day from core.annualized_apy order by valid_from desc limit 10",
}

/** §9.2: removed on 2026-01-01; a vault token's name stands before them. */
const replaced = [
  { ending: /30dLiquidAPY$/, by: "liquidAPY30Day" },
  { ending: /7dLiquidAPY$/, by: "liquidAPY7Day" },
]

/** A deprecated field stands in for the one that replaces it, where that is missing. */
export const annualizedApyRows = (
  record: JsonObject,
  { origin, subject }: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const standIns: Record<string, unknown> = {}
  const consumed = [...echoed(record, subject)]
  const drift: Array<Drift> = []
  for (const [name, value] of Object.entries(record)) {
    const by = replaced.find(({ ending }) => ending.test(name))?.by
    if (by === undefined) continue
    const current = record[by] ?? standIns[by]
    if (current === undefined) {
      if (asNumber(value) === undefined) continue
      standIns[by] = value
      consumed.push(name)
      drift.push({ path: `$.${name}`, kind: "deprecated_field", detail: `used for ${by} (§9.2)` })
    } else if (asNumber(current) === asNumber(value)) {
      consumed.push(name)
    }
  }
  const { rows, drift: noted } = mapCurrent({
    table: annualizedApy,
    records: [{ ...record, ...standIns }],
    origin,
    computed: { vault_address: subject.address, chain_id: subject.chainId },
    consumed,
  })
  return Result.succeed(together({ rows, drift: [...drift, ...noted] }))
}
