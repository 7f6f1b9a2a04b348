// The list of vaults: who they are, and the rows of core.vaults and core.vault_reported_metrics. §2.10
// names no field of a vault record, so address and chain are looked for under the names seen in use.
import * as Result from "effect/Result"
import { type Address, canonicalAddress } from "../../../domain/address.ts"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { Rows } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import type { Mapped } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { vaultReportedMetrics } from "./vault_reported_metrics.ts"
import { vaults } from "./vaults.ts"
import { chainIdOf } from "../../fields/takenFields.ts"

const addressFields = ["address", "vault_address", "vaultAddress", "contract_address"]
const chainFields = ["chain", "chain_id", "chainId"]
const chainTypeFields = new Set(["chain_type", "chainType"])

interface Located {
  readonly record: JsonObject
  readonly served: string
  readonly address: Address | undefined
  readonly chainId: number
  /** Fields read here, which need not go to `extra`. */
  readonly consumed: ReadonlyArray<string>
}

/** Window of a reading of both lists: all the vaults there are (docs/decisions/0010). */
export const wholeOfVaults = "active and closed"

/** Rows of one list, as one of those that together are all there is. Fails when a record holds no address or no chain id. */
export const vaultRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedAnswer, Violation> => {
  const located: Array<Located> = []
  for (const [index, record] of records.entries()) {
    const found = locate(record, index)
    if (Result.isFailure(found)) return Result.fail(found.failure)
    located.push(found.success)
  }
  const canonical = located.map(({ address, served }) => address?.canonical ?? served)
  const chains = located.map(({ chainId }) => chainId)
  const metricFields = vaultReportedMetrics.columns.flatMap((column) => column.fields ?? [])
  const descriptions = mapCurrent({
    table: vaults,
    records: located.map((vault) => ({ status: source.inputs["status"], ...undoubled(vault) })),
    origin: source.origin,
    computed: {
      chain_id: chains,
      vault_address: canonical,
      vault_address_as_served: located.map(({ served }) => served),
      chain_type: located.map(({ address }) => address?.kind ?? "other"),
    },
    consumed: [...new Set(located.flatMap(({ consumed }) => consumed)), ...metricFields],
  })
  const measured = located.flatMap(({ record }, index) =>
    metricFields.some((field) => record[field] !== undefined) ? [index] : [],
  )
  const metrics = mapCurrent({
    table: vaultReportedMetrics,
    // Only what the other table leaves to this one.
    records: measured.map((index) =>
      Object.fromEntries(
        Object.entries(records[index] ?? {}).filter(([field]) => metricFields.includes(field)),
      ),
    ),
    origin: source.origin,
    computed: {
      chain_id: measured.map((index) => chains[index] ?? null),
      vault_address: measured.map((index) => canonical[index] ?? null),
    },
  })
  if (source.window !== undefined && source.window !== wholeOfVaults) {
    return Result.succeed(together(descriptions, metrics))
  }
  // A list that tells figures of none of its vaults ends none, here or in the other list (`wholeOfLists`).
  const tellsFigures = measured.length > 0 || records.length === 0
  return Result.succeed(together(asSet(descriptions), tellsFigures ? asSet(metrics) : metrics))
}

const areFigures = ({ table }: Rows): boolean => table === vaultReportedMetrics

/**
 * Rows of both lists as one set. Figures have ended only where each list that has vaults tells some: in one that
 * tells none they may be left out, which another without vaults says nothing of.
 */
export const wholeOfLists = (rows: ReadonlyArray<Rows>): ReadonlyArray<Rows> => {
  if (rows.filter(areFigures).every(({ scope }) => scope !== undefined)) return rows
  return rows.map((each) => {
    const { scope: _scope, ...part } = each
    return areFigures(each) ? part : each
  })
}

const asSet = ({ rows, drift }: Mapped): Mapped => ({ rows: { ...rows, scope: {} }, drift })

/** Without the chain's type where the column says the same. */
const undoubled = ({ record, address }: Located): JsonObject =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([name, value]) =>
        !chainTypeFields.has(name) ||
        typeof value !== "string" ||
        value.toLowerCase() !== address?.kind,
    ),
  )

const locate = (record: JsonObject, index: number): Result.Result<Located, Violation> => {
  const addressField = addressFields.find(
    (name) => typeof record[name] === "string" && record[name] !== "",
  )
  if (addressField === undefined) {
    return Result.fail(missing(index, "address", addressFields, record))
  }
  const chainField = chainFields.find((name) => chainIdOf(record[name]) !== undefined)
  if (chainField === undefined) {
    return Result.fail(missing(index, "chain id", chainFields, record))
  }
  const served = record[addressField] as string
  const chain = record[chainField]
  return Result.succeed({
    record,
    served,
    address: canonicalAddress(served),
    chainId: chainIdOf(chain) as number,
    consumed: isJsonObject(chain) ? [addressField] : [addressField, chainField],
  })
}

const missing = (
  index: number,
  what: string,
  names: ReadonlyArray<string>,
  record: JsonObject,
): Violation => ({
  path: `$[${index}]`,
  detail: `holds no ${what} (looked for ${names.join(", ")}); its fields are ${Object.keys(record).join(", ")}`,
})
