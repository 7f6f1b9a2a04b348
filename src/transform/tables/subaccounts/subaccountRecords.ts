// Lists of subaccounts: the directory, one's own, and those of a vault (§2.1). The document names what an item
// carries but not its fields, so the address is looked for under the names seen in use.
import * as Result from "effect/Result"
import { canonicalAddress } from "../../../domain/address.ts"
import { asDigits, asNumber, isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { Table, Value } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import type { Computed } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { vaultSubaccounts } from "../curator/vault_subaccounts.ts"
import { mySubaccounts } from "./my_subaccounts.ts"
import { subaccounts } from "./subaccounts.ts"
import { spellings } from "../../fields/takenFields.ts"

const addressFields = ["address", "subaccount_address", "subaccountAddress", "subaccount"]

export interface LocatedSubaccounts {
  readonly canonical: ReadonlyArray<string>
  readonly served: ReadonlyArray<string>
  /** Fields read here, which need not go to `extra`. */
  readonly consumed: ReadonlyArray<string>
}

/** The subaccount each record is about. Fails at the first that holds no address. */
export const locateSubaccounts = (
  records: ReadonlyArray<JsonObject>,
): Result.Result<LocatedSubaccounts, Violation> => {
  const served: Array<string> = []
  const consumed = new Set<string>()
  for (const [index, record] of records.entries()) {
    const field = addressFields.find((name) => addressIn(record[name]) !== undefined)
    if (field === undefined) {
      return Result.fail({
        path: `$[${index}]`,
        detail: `holds no address (looked for ${addressFields.join(", ")}); its fields are ${Object.keys(record).join(", ")}`,
      })
    }
    served.push(addressIn(record[field]) ?? "")
    if (typeof record[field] === "string") consumed.add(field)
  }
  const canonical = served.map((address) => canonicalAddress(address)?.canonical ?? address)
  return Result.succeed({ canonical, served, consumed: [...consumed] })
}

/** The address itself, or that of a record about the subaccount. */
const addressIn = (value: unknown): string | undefined => {
  const address = isJsonObject(value) ? value["address"] : value
  return typeof address === "string" && address !== "" ? address : undefined
}

/** An id is a text to us, whichever of the two the service makes of it. */
const withTextId = (record: JsonObject): JsonObject => {
  const id = asDigits(record["id"])
  return id === undefined ? record : { ...record, id }
}

const metadataFields = spellings("risk_metadata")
const limitFields = spellings("min_health_factor")

/** The limit may stand among the metadata on risk, which stays whole in `extra`. */
const withHealthLimit = (record: JsonObject): JsonObject => {
  if (limitFields.some((name) => record[name] !== undefined && record[name] !== null)) return record
  const within = metadataFields.map((name) => record[name]).find(isJsonObject)
  const limit = limitFields
    .map((name) => within?.[name])
    .find((value) => asNumber(value) !== undefined)
  return limit === undefined ? record : { ...record, min_health_factor: limit }
}

const listRows = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  { origin }: Pick<Source<unknown>, "origin">,
  scope: Readonly<Record<string, Value>> | undefined,
  computed: Computed = {},
): Result.Result<MappedAnswer, Violation> =>
  Result.map(locateSubaccounts(records), ({ canonical, served, consumed }) => {
    const { rows, drift } = mapCurrent({
      table,
      records: records.map((record) => withHealthLimit(withTextId(record))),
      origin,
      computed: {
        ...computed,
        subaccount_address: canonical,
        subaccount_address_as_served: served,
      },
      consumed,
    })
    return together({ rows: scope === undefined ? rows : { ...rows, scope }, drift })
  })

/** Windows of the directory's walk: only a settled one is all there is. */
export const directoryWindows = { settled: "directory", unsettled: "directory, unsettled" } as const

/** A page of the directory, as one of those that together are all of it. */
export const directoryRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedAnswer, Violation> => {
  // A window that is not known (a response of an archive that does not tell it) may be any.
  const isWhole = source.window === undefined || source.window === directoryWindows.settled
  const scope = isWhole ? {} : undefined
  return listRows(subaccounts, records, source, scope)
}

export const mySubaccountRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedAnswer, Violation> => listRows(mySubaccounts, records, source, {})

export const vaultSubaccountRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const scope = { vault_address: source.subject.address }
  const computed = { ...scope, chain_id: source.subject.chainId }
  return listRows(vaultSubaccounts, records, source, scope, computed)
}
