// The detail of a vault: its description, its moving figures, and its lists, each a set of which all is told.
// §2.10 names no field: lists are found under the names seen in use.
import * as Result from "effect/Result"
import { canonicalAddress } from "../../../domain/address.ts"
import { asDigits, isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { Origin } from "../../../domain/response.ts"
import type { Table, Value } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { fieldsOf } from "../../fields/columnFields.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoed } from "../../fields/echoed.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import type { Mapped } from "../../mapRecords.ts"
import { isMoving, parted } from "../../fields/movingFields.ts"
import { withoutReportTimes } from "../../fields/reportTimes.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { vaultDetailMetrics } from "./vault_detail_metrics.ts"
import { vaultDetails } from "./vault_details.ts"
import { vaultIntegrations } from "./vault_integrations.ts"
import { vaultOperators } from "./vault_operators.ts"
import { vaultRewards } from "./vault_rewards.ts"
import { vaultStrategies } from "./vault_strategies.ts"
import {
  double,
  mapTaken,
  type Reading,
  type Readings,
  spellings,
  within,
} from "../../fields/takenFields.ts"

interface Entry {
  /** Without what moves. */
  readonly record: JsonObject
  readonly listedAs: string
}

interface NestedList {
  readonly table: Table
  /** Fields of the vault's record that hold such a list. */
  readonly fields: ReadonlyArray<string>
  /** What an entry that is only a text is told by. */
  readonly text: string
  /** What stays the same while the entry changes; its content where this is undefined. */
  readonly identity: (entry: Entry) => string | undefined
  readonly computed: (entry: Entry) => Readonly<Record<string, Value>>
  /** One shape for entries of all the lists. */
  readonly shape?: (record: JsonObject, listedAs: string) => JsonObject
}

const textIn = (record: JsonObject, names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const value = record[name]
    if (typeof value === "string" && value !== "") return value
    const digits = asDigits(value)
    if (digits !== undefined) return digits
  }
  return undefined
}

const canonical = (served: string | undefined): string | undefined =>
  served === undefined ? undefined : (canonicalAddress(served)?.canonical ?? served)

const isStrategistList = (listedAs: string): boolean => /strategist/i.test(listedAs)

const subaccountFields = fieldsOf(vaultStrategies, "subaccount_address_as_served")
const operatorFields = fieldsOf(vaultOperators, "operator_address_as_served")
const operatorTypeFields = fieldsOf(vaultOperators, "operator_type")

const strategistColumns = ({ record }: Entry): Readonly<Record<string, Value>> => {
  const { strategist } = record
  const told = isJsonObject(strategist) ? strategist : { name: strategist }
  return {
    subaccount_address: canonical(textIn(record, subaccountFields)) ?? null,
    strategist_id: textIn(told, ["id", "strategist_id", "strategistId", "address"]) ?? null,
    strategist_name: textIn(told, ["strategist_name", "strategistName", "name"]) ?? null,
  }
}

const nestedLists: ReadonlyArray<NestedList> = [
  {
    table: vaultStrategies,
    fields: [
      "subaccounts",
      "associated_subaccounts",
      "associatedSubaccounts",
      "strategists",
      "hardcoded_strategists",
      "hardcodedStrategists",
    ],
    text: "address",
    identity: (entry) => {
      const { subaccount_address, strategist_id, strategist_name } = strategistColumns(entry)
      const named = subaccount_address ?? strategist_id ?? strategist_name
      return typeof named === "string" ? `${entry.listedAs} ${canonical(named)}` : undefined
    },
    computed: strategistColumns,
    shape: (record, listedAs) => (isStrategistList(listedAs) ? { strategist: record } : record),
  },
  {
    table: vaultOperators,
    fields: ["operators"],
    text: "address",
    identity: ({ record }) => {
      const served = textIn(record, operatorFields)
      const type = textIn(record, operatorTypeFields)
      return served === undefined ? undefined : `${canonical(served)} ${type ?? ""}`.trim()
    },
    computed: ({ record }) => ({
      operator_address: canonical(textIn(record, operatorFields)) ?? null,
    }),
  },
  {
    table: vaultRewards,
    fields: ["rewards", "reward_programs", "rewardPrograms"],
    text: "text",
    identity: ({ record }) => textIn(record, ["id", ...fieldsOf(vaultRewards, "text")]),
    computed: () => ({}),
  },
  {
    table: vaultIntegrations,
    fields: [
      "receipt_token_integrations",
      "receiptTokenIntegrations",
      "composability_integrations",
      "composabilityIntegrations",
      "integrations",
    ],
    text: "name",
    identity: ({ record, listedAs }) => {
      const named = textIn(record, ["id", ...fieldsOf(vaultIntegrations, "name")])
      return named === undefined ? undefined : `${listedAs} ${named}`
    },
    computed: ({ listedAs }) => ({
      kind: /receipt/i.test(listedAs)
        ? "receipt_token"
        : /composab/i.test(listedAs)
          ? "composability"
          : "other",
    }),
  },
]

const feePlaces = spellings("fee_structure", "fees")

/** Only names that say percent: in another unit the structure stays as it is. */
const fee = (kind: string): ReadonlyArray<Reading> => {
  const named = double(`${kind}_fee_pct`, `${kind}_fee_percent`, `${kind}_fee_percentage`)
  return [within(feePlaces, named), named]
}

const feeReadings: Readings = {
  management_fee_pct: fee("management"),
  performance_fee_pct: fee("performance"),
}

const isEntry = (value: unknown): value is string | JsonObject =>
  typeof value === "string" || isJsonObject(value)

/** Description, figures, and each list that the record holds. */
export const vaultDetailRows = (
  record: JsonObject,
  { origin, subject }: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const vault = { chain_id: subject.chainId, vault_address: subject.address }
  const described = new Set(vaultDetails.columns.flatMap(({ fields }) => fields ?? []))
  const metricFields = new Set(vaultDetailMetrics.columns.flatMap(({ fields }) => fields ?? []))
  const lists: Array<Mapped> = []
  const listFields: Array<string> = []
  const movingOfEntries: Record<string, unknown> = {}
  for (const list of nestedLists) {
    const { fields, text, identity, shape } = list
    // A list with something else in it is not understood, and stays in `extra`.
    const names = fields.filter((name) => {
      const held = record[name]
      return Array.isArray(held) && held.every(isEntry)
    })
    if (names.length === 0) continue
    listFields.push(...names)
    const parts = names.flatMap((listedAs) =>
      (record[listedAs] as ReadonlyArray<string | JsonObject>).map((item) => ({
        listedAs,
        ...parted(typeof item === "string" ? { [text]: item } : item),
      })),
    )
    const entries = parts.map(({ settled, listedAs }): Entry => {
      return { record: shape?.(settled, listedAs) ?? settled, listedAs }
    })
    const ids = contentKeys(
      entries.map((entry) => {
        const id = identity(entry)
        return id === undefined ? { ...entry, record: withoutReportTimes(entry.record) } : { id }
      }),
    )
    for (const [index, { moving, listedAs }] of parts.entries()) {
      if (Object.keys(moving).length === 0) continue
      const figures = { entry_id: ids[index], ...moving }
      const before = (movingOfEntries[listedAs] ?? []) as ReadonlyArray<unknown>
      movingOfEntries[listedAs] = [...before, figures]
    }
    lists.push(entryRows(list, entries, ids, vault, origin))
  }
  // Columns of the description come first: a fee is a description though it be one on performance.
  const figureFields = Object.keys(record).filter(
    (name) =>
      !listFields.includes(name) &&
      (metricFields.has(name) || (isMoving(name) && !described.has(name))),
  )
  const figures = {
    ...Object.fromEntries(figureFields.map((name) => [name, record[name]])),
    ...movingOfEntries,
  }
  const details = mapTaken({
    table: vaultDetails,
    records: [record],
    readings: feeReadings,
    origin,
    computed: vault,
    consumed: [...listFields, ...figureFields, ...echoed(record, subject)],
  })
  const metrics = mapCurrent({
    table: vaultDetailMetrics,
    records: Object.keys(figures).length === 0 ? [] : [figures],
    origin,
    computed: vault,
  })
  return Result.succeed(together(details, metrics, ...lists))
}

/** The rows of a list: all there is of it, so that what it no longer holds has ended. */
const entryRows = (
  { table, computed }: NestedList,
  entries: ReadonlyArray<Entry>,
  ids: ReadonlyArray<string>,
  vault: Readonly<Record<"chain_id" | "vault_address", Value>>,
  origin: Origin,
): Mapped => {
  const figured = entries.map(computed)
  const names = Object.keys(figured[0] ?? {})
  const mapped = mapCurrent({
    table,
    records: entries.map(({ record }) => record),
    origin,
    computed: {
      ...vault,
      entry_id: ids,
      listed_as: entries.map(({ listedAs }) => listedAs),
      ...Object.fromEntries(
        names.map((name) => [name, figured.map((columns) => columns[name] ?? null)]),
      ),
    },
  })
  return { ...mapped, rows: { ...mapped.rows, scope: vault } }
}
