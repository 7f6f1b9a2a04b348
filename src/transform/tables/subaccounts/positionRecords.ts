// Maps the positions of a subaccount (§2.5) in protocols, on exchanges and over the counter. The document shows neither
// their fields nor whether protocol positions are a list or a record of lists.
import type * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { SubaccountRef } from "../../../domain/subaccount.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type Mapped, type MappedResponse, type Source } from "../../Source.ts"
import { cefiPositions } from "./cefi_positions.ts"
import { protocolPositions } from "./protocol_positions.ts"
import { subaccountOtcPositions } from "./subaccount_otc_positions.ts"

const positionRows =
  (table: Table) =>
  (
    records: ReadonlyArray<JsonObject>,
    source: Source<SubaccountRef>,
  ): Result.Result<MappedResponse, Violation> => {
    const mergeKey = { subaccount_address: source.subject.address }
    const computed = { ...mergeKey, position_key: contentKeys(records) }
    return combined(mapRecords({ table, records, source, computed, mergeKey }))
  }

export const cefiPositionRows = positionRows(cefiPositions)

export const subaccountOtcPositionRows = positionRows(subaccountOtcPositions)

interface Part {
  readonly kind: "position" | "token" | "strategy" | "record"
  readonly record: JsonObject
}

/** One row for each position, token and strategy of the cross-chain record, and one for its other fields. */
export const protocolPositionRows = (
  body: JsonObject | ReadonlyArray<JsonObject>,
  source: Source<SubaccountRef>,
): Result.Result<MappedResponse, Violation> => {
  const parts = isList(body)
    ? body.map((record): Part => ({ kind: "position", record }))
    : partsOf(body)
  const ofKind = (kind: Part["kind"]): Mapped => {
    const records = parts.filter((each) => each.kind === kind).map(({ record }) => record)
    const mergeKey = { subaccount_address: source.subject.address, kind }
    // There is only one record with the other fields.
    const keys = kind === "record" ? records.map(() => "record") : contentKeys(records)
    const computed = { ...mergeKey, position_key: keys }
    return mapRecords({ table: protocolPositions, records, source, computed, mergeKey })
  }
  const total = ofKind("record")
  return combined(
    ofKind("position"),
    ofKind("token"),
    ofKind("strategy"),
    // The service sends these fields even if there is no position.
    { ...total, rows: { ...total.rows, secondary: "total" } },
  )
}

const isList = (body: JsonObject | ReadonlyArray<JsonObject>): body is ReadonlyArray<JsonObject> =>
  Array.isArray(body)

const kindOf = (field: string): Part["kind"] | undefined =>
  /strateg/i.test(field)
    ? "strategy"
    : /token|balance/i.test(field)
      ? "token"
      : /position|protocol/i.test(field)
        ? "position"
        : undefined

const partsOf = (body: JsonObject): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  const others: Array<[field: string, value: unknown]> = []
  for (const [field, value] of Object.entries(body)) {
    const kind = kindOf(field)
    const records = kind === undefined ? undefined : recordsIn(value)
    if (kind === undefined || records === undefined) others.push([field, value])
    else for (const record of records) parts.push({ kind, record })
  }
  if (others.length > 0) parts.push({ kind: "record", record: Object.fromEntries(others) })
  return parts
}

/** Reads a list of records, or a map of records by name; `undefined` for anything else. */
const recordsIn = (value: unknown): ReadonlyArray<JsonObject> | undefined => {
  if (Array.isArray(value)) return value.every(isJsonObject) ? value : undefined
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value)
  return entries.every(([, each]) => isJsonObject(each))
    ? entries.map(([name, each]) => ({ name, ...(each as JsonObject) }))
    : undefined
}
