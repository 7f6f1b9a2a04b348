// Maps the details of a vault: its description, its moving figures, and its lists, each of which is a whole set. Lists are
// read under the names that public clients use and those of §2.10.
import type * as Result from "effect/Result"
import { spellings } from "../../../domain/table/column.ts"
import { canonicalAddress } from "../../../domain/values/address.ts"
import { isJsonObject, type JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { movingNames, nestedNames, separateMoving } from "../../fields/movingFields.ts"
import { id } from "../../fields/readers.ts"
import { contentOf, reportTimesOf, withoutReportTimes } from "../../fields/reportTimes.ts"
import { readColumn } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { keysInOrder } from "../../occurrences.ts"
import { placesIn } from "../../shapes/recordsIn.ts"
import { combined, type Mapped, type MappedResponse, type Source } from "../../Source.ts"
import { vaultDetailMetrics } from "./vault_detail_metrics.ts"
import { vaultDetails } from "./vault_details.ts"
import { vaultIntegrations } from "./vault_integrations.ts"
import { vaultOperators } from "./vault_operators.ts"
import { vaultRewards } from "./vault_rewards.ts"
import { onNamedChain } from "./vaultRecords.ts"
import { vaultStrategies } from "./vault_strategies.ts"

interface Entry {
  /** The entry without moving figures. */
  readonly record: JsonObject
  readonly listedAs: string
}

interface NestedList {
  readonly table: Table
  /** The field for an entry that is plain text. */
  readonly text: string
  /** The id of an entry; if undefined, the entry is identified by its content. */
  readonly identity: (entry: Entry, source: Source<VaultRef>) => string | undefined
  readonly kind?: (entry: Entry) => string
  /** Converts the entries of all lists to one shape; `sent` is what the list has, a text or a record. */
  readonly shape?: (record: JsonObject, listedAs: string, sent: string | JsonObject) => JsonObject
}

/** The value of a column for an entry, as text. */
const textOf = (
  { record }: Entry,
  table: Table,
  column: string,
  source: Source<VaultRef>,
): string | undefined => {
  const read = readColumn(record, table, column, source)
  return read === null ? undefined : String(read)
}

/** The id of an entry, or else the value of the column. */
const idOr = (
  entry: Entry,
  table: Table,
  column: string,
  source: Source<VaultRef>,
): string | undefined => {
  const own = id(entry.record["id"], "id")?.value
  return typeof own === "string" ? own : textOf(entry, table, column, source)
}

const strategistLists = spellings("strategists", "hardcoded_strategists")

/** A strategist that is listed as a text is an address or a name. */
const isName = (sent: string | JsonObject): boolean =>
  typeof sent === "string" && canonicalAddress(sent) === undefined

/** The kinds of integrations, by the list. */
const integrationKinds: Readonly<Record<string, string>> = {
  receipt_token_integrations: "receipt_token",
  receiptTokenIntegrations: "receipt_token",
  composability_integrations: "composability",
  composabilityIntegrations: "composability",
}

const nestedLists: ReadonlyArray<NestedList> = [
  {
    table: vaultStrategies,
    text: "address",
    identity: (entry, source) => {
      const named = ["subaccount_address", "strategist_id", "strategist_name"]
        .map((column) => textOf(entry, vaultStrategies, column, source))
        .find((text) => text !== undefined)
      return named === undefined ? undefined : `${entry.listedAs} ${named}`
    },
    shape: (record, listedAs, sent) =>
      strategistLists.includes(listedAs) ? { strategist: isName(sent) ? sent : record } : record,
  },
  {
    table: vaultOperators,
    text: "address",
    identity: (entry, source) => {
      const address = textOf(entry, vaultOperators, "operator_address", source)
      const type = textOf(entry, vaultOperators, "operator_type", source)
      return address === undefined ? undefined : `${address} ${type ?? ""}`.trim()
    },
  },
  {
    table: vaultRewards,
    text: "text",
    identity: (entry, source) => idOr(entry, vaultRewards, "text", source),
  },
  {
    table: vaultIntegrations,
    text: "name",
    identity: (entry, source) => {
      const named = idOr(entry, vaultIntegrations, "name", source)
      return named === undefined ? undefined : `${entry.listedAs} ${named}`
    },
    kind: ({ listedAs }) => integrationKinds[listedAs] ?? "other",
  },
]

const isEntry = (value: unknown): value is string | JsonObject =>
  typeof value === "string" || isJsonObject(value)

/** One row of the description, one of the figures, and one for each entry of the lists. */
export const vaultDetailRows = (
  record: JsonObject,
  requested: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const source = onNamedChain(record, requested)
  const { subject } = source
  const vault = { chain_id: subject.chainId, vault_address: subject.address }
  const moving = movingNames(vaultDetailMetrics, source)
  const lists: Array<Mapped> = []
  const listFields: Array<string> = []
  const movingOfEntries: Record<string, Array<JsonObject>> = {}
  for (const list of nestedLists) {
    const { table, text, identity, shape } = list
    const places = placesIn(table, source, ...(table.shapes ?? [])).filter(
      (name) => record[name] !== undefined,
    )
    // A list with other elements stays in `extra`. Some services write an empty one as null.
    const names = places.filter((name) => {
      const value = record[name]
      return value === null || (Array.isArray(value) && value.every(isEntry))
    })
    if (names.length === 0) continue
    listFields.push(...names)
    const parts = names.flatMap((listedAs) =>
      ((record[listedAs] ?? []) as ReadonlyArray<string | JsonObject>).map((item) => ({
        listedAs,
        sent: item,
        ...separateMoving(typeof item === "string" ? { [text]: item } : item, moving),
      })),
    )
    const entries = parts.map(({ fixed, listedAs, sent }): Entry => {
      return { record: shape?.(fixed, listedAs, sent) ?? fixed, listedAs }
    })
    const reportTimes = reportTimesOf(table, source)
    const ids = keysInOrder(
      entries.map((entry): JsonObject => {
        const found = identity(entry, source)
        return found === undefined
          ? { ...entry, record: withoutReportTimes(entry.record, reportTimes) }
          : { id: found }
      }),
      entries.map(({ record: content }) => contentOf(content, reportTimes)),
      (identities) => contentKeys(identities),
    )
    for (const [index, part] of parts.entries()) {
      if (Object.keys(part.moving).length === 0) continue
      const ofList = (movingOfEntries[part.listedAs] ??= [])
      ofList.push({ entry_id: ids[index], ...part.moving })
    }
    const isWhole = names.length === places.length
    lists.push(entryRows(list, entries, ids, source, isWhole))
  }
  const listed = new Set(listFields)
  const others = Object.fromEntries(Object.entries(record).filter(([name]) => !listed.has(name)))
  const figures = { ...separateMoving(others, moving).moving, ...movingOfEntries }
  return combined(
    mapRecords({
      table: vaultDetails,
      records: [separateMoving(record, nestedNames(moving)).fixed],
      source,
      computed: vault,
      consumed: [...listFields, ...moving, ...echoedFields(record, subject)],
      at: () => "$",
    }),
    mapRecords({
      table: vaultDetailMetrics,
      records: Object.keys(figures).length === 0 ? [] : [figures],
      source,
      computed: vault,
    }),
    ...lists,
  )
}

/** The rows of the lists of a table. If all could be read, entries that they no longer have are retired. */
const entryRows = (
  { table, kind }: NestedList,
  entries: ReadonlyArray<Entry>,
  ids: ReadonlyArray<string>,
  source: Source<VaultRef>,
  isWhole: boolean,
): Mapped => {
  const vault = { chain_id: source.subject.chainId, vault_address: source.subject.address }
  return mapRecords({
    table,
    records: entries.map(({ record }) => record),
    source,
    computed: {
      ...vault,
      entry_id: ids,
      listed_as: entries.map(({ listedAs }) => listedAs),
      ...(kind === undefined ? {} : { kind: entries.map(kind) }),
    },
    ...(isWhole ? { mergeKey: vault } : {}),
  })
}
