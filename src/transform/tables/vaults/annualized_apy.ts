// core.annualized_apy: the annualized liquid APY of the vaults for which the service supports it.
import { field } from "../../../domain/table/column.ts"
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Drift, Violation } from "../../../domain/wire/violation.ts"
import { numberOf } from "../../fields/numbers.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { namesOf } from "../../fields/wireNames.ts"
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
      names: ["liquidAPY30Day", "liquid_apy_30_day", "liquid_apy30_day"],
      unit: "as sent",
    }),
    field.double("liquid_apy_7_day", "Liquid APY over 7 days, annualized", {
      names: ["liquidAPY7Day", "liquid_apy_7_day", "liquid_apy7_day"],
      unit: "as sent",
    }),
    ...restOfRecord,
  ],
  example:
    "select vault_address, valid_from, valid_to, liquid_apy_30_day, liquid_apy_7_day from core.annualized_apy order by valid_from desc limit 10",
}

const figures = ["liquid_apy_30_day", "liquid_apy_7_day"]

/** §9.2: deprecated names, removed on 2026-01-01, which begin with the vault's token. */
const deprecatedNames = [
  { ending: /30dLiquidAPY$/, replacedBy: "liquidAPY30Day" },
  { ending: /7dLiquidAPY$/, replacedBy: "liquidAPY7Day" },
]

/** Reads a deprecated field if the field that replaces it is missing. Fails if there is neither. */
export const annualizedApyRows = (
  record: JsonObject,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { subject } = source
  const fallbacks: Record<string, unknown> = {}
  const consumed = [...echoedFields(record, subject)]
  const drift: Array<Drift> = []
  for (const [name, value] of Object.entries(record)) {
    const newName = deprecatedNames.find(({ ending }) => ending.test(name))?.replacedBy
    if (newName === undefined) continue
    const current = record[newName] ?? fallbacks[newName]
    if (current === undefined) {
      if (numberOf(value) === undefined) continue
      fallbacks[newName] = value
      consumed.push(name)
      drift.push({
        path: `$.${name}`,
        kind: "deprecated_field",
        detail: `used for ${newName} (§9.2)`,
      })
    } else if (numberOf(current) === numberOf(value)) {
      consumed.push(name)
    }
  }
  const names = figures.flatMap((column) => namesOf(annualizedApy, column, source))
  if (Object.keys(fallbacks).length === 0 && !names.some((name) => Object.hasOwn(record, name))) {
    return Result.fail({
      path: "$",
      detail: `contains neither liquidAPY30Day nor liquidAPY7Day, nor their deprecated names; its fields are ${Object.keys(record).join(", ")}. The setting fields can name others, as \`annualized_apy.liquid_apy_30_day: <field>\``,
    })
  }
  const mapped = mapRecords({
    table: annualizedApy,
    records: [{ ...record, ...fallbacks }],
    source,
    computed: { vault_address: subject.address, chain_id: subject.chainId },
    consumed,
    at: () => "$",
  })
  return combined({ ...mapped, drift: [...drift, ...mapped.drift] })
}
