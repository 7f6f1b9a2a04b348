// Maps the positions of a subaccount (§2.5) in protocols, on exchanges and over the counter.
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { SubaccountRef } from "../../../domain/subject/subaccount.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { reportTimesOf } from "../../fields/reportTimes.ts"
import { columnReader, namesOf } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { recordsIn } from "../../shapes/recordsIn.ts"
import { otherRecords } from "../../shapes/undeclared.ts"
import { combined, type Mapped, type MappedResponse, type Source } from "../../Source.ts"
import { cefiPositions } from "./cefi_positions.ts"
import { protocolPositions, protocolPositionShapes } from "./protocol_positions.ts"
import { subaccountOtcPositions } from "./subaccount_otc_positions.ts"

const positionRows =
  (table: Table) =>
  (
    records: ReadonlyArray<JsonObject>,
    source: Source<SubaccountRef>,
  ): Result.Result<MappedResponse, Violation> => {
    const mergeKey = { subaccount_address: source.subject.address }
    const computed = { ...mergeKey, position_key: keysOf(table, records, source) }
    return combined(mapRecords({ table, records, source, computed, mergeKey }))
  }

export const cefiPositionRows = positionRows(cefiPositions)

export const subaccountOtcPositionRows = positionRows(subaccountOtcPositions)

type Kind = "position" | "token" | "strategy" | "record"

/** One row for each position, token and strategy of the cross-chain record, and one for its other fields. */
export const protocolPositionRows = (
  body: JsonObject | ReadonlyArray<JsonObject>,
  source: Source<SubaccountRef>,
): Result.Result<MappedResponse, Violation> => {
  const table = protocolPositions
  const rowsOf = (kind: Kind, records: ReadonlyArray<JsonObject>, isOpen = false): Mapped => {
    const mergeKey = { subaccount_address: source.subject.address, kind }
    // There is only one record with the other fields.
    const keys =
      kind === "record"
        ? records.map(() => "record")
        : keysOf(table, records.map(withChainInId(source)), source)
    const computed = { ...mergeKey, position_key: keys }
    return mapRecords({ table, records, source, computed, mergeKey, isOpen })
  }
  let rest = isList(body) ? {} : body
  const partOf = (kind: keyof typeof protocolPositionShapes): ReadonlyArray<Mapped> => {
    const shapes = protocolPositionShapes[kind]
    const found = recordsIn({ ...table, shapes }, source)(rest)
    // A missing list is not an empty one, so it retires nothing.
    if (found === undefined) return []
    rest = found.rest
    return [otherRecords(rowsOf(kind, found.records), table, found, source)]
  }
  const parts = isList(body)
    ? [rowsOf("position", body)]
    : [...partOf("position"), ...partOf("token"), ...partOf("strategy")]
  // Beside a list it may have any fields.
  const other = rowsOf("record", Object.keys(rest).length === 0 ? [] : [rest], parts.length > 0)
  // The service sends these fields even if there is no position.
  const total = { ...other, rows: { ...other.rows, secondary: "total" as const } }
  const [main, ...more] = [...parts, total]
  return combined(main, ...more)
}

const isList = (body: JsonObject | ReadonlyArray<JsonObject>): body is ReadonlyArray<JsonObject> =>
  Array.isArray(body)

const keysOf = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  source: Source<SubaccountRef>,
): ReadonlyArray<string> =>
  contentKeys(records, namesOf(table, "position_key", source), reportTimesOf(table, source))

/** The record as it is keyed: an id may be that of a token or protocol, which repeats on each of its chains. */
const withChainInId = (source: Source<SubaccountRef>): ((record: JsonObject) => JsonObject) => {
  const read = (column: string) => columnReader(protocolPositions, column, source)
  const [idOf, chainOf, chainIdOf] = [read("position_key"), read("chain"), read("chain_id")]
  const [idName = ""] = namesOf(protocolPositions, "position_key", source)
  return (record) => {
    const [id, chain] = [idOf(record), chainOf(record) ?? chainIdOf(record)]
    return id === null || chain === null ? record : { [idName]: `${chain}:${id}` }
  }
}
