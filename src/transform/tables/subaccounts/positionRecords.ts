// Positions of a subaccount read on their own (§2.5): in protocols, on exchanges, over the counter. Which fields
// they have is not shown, nor whether the protocol record is a list or a record of lists.
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { SubaccountRef } from "../../../domain/subaccount.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import type { Mapped } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { cefiPositions } from "./cefi_positions.ts"
import { protocolPositions } from "./protocol_positions.ts"
import { subaccountOtcPositions } from "./subaccount_otc_positions.ts"
import { address, chain, mapTaken } from "../../fields/takenFields.ts"

const positionRows =
  (table: Table) =>
  (
    records: ReadonlyArray<JsonObject>,
    { origin, subject }: Source<SubaccountRef>,
  ): Result.Result<MappedAnswer, Violation> => {
    const scope = { subaccount_address: subject.address }
    const { rows, drift } = mapCurrent({
      table,
      records,
      origin,
      computed: { ...scope, position_key: contentKeys(records) },
      consumed: idsAreKeys(records),
    })
    return Result.succeed(together({ rows: { ...rows, scope }, drift }))
  }

export const cefiPositionRows = positionRows(cefiPositions)

export const subaccountOtcPositionRows = positionRows(subaccountOtcPositions)

/** `id` need not be kept beside the key made of it. */
const idsAreKeys = (records: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  records.every(({ id }) => id === undefined || typeof id === "string") ? ["id"] : []

interface Kept {
  readonly kind: "position" | "token" | "strategy" | "record"
  readonly record: JsonObject
}

const members = ["position", "token", "strategy"] as const

/** Rows of the cross-chain record: one for each position, token and strategy, and one for what is beside. */
export const protocolPositionRows = (
  answer: JsonObject | ReadonlyArray<JsonObject>,
  { origin, subject }: Source<SubaccountRef>,
): Result.Result<MappedAnswer, Violation> => {
  const kept = isList(answer)
    ? answer.map((record): Kept => ({ kind: "position", record }))
    : partsOf(answer)
  const keys = keysOf(kept)
  const consumed = idsAreKeys(kept.map(({ record }) => record))
  const ofKind = (kind: Kept["kind"]): Mapped => {
    const records = kept.filter((each) => each.kind === kind).map(({ record }) => record)
    const { rows, drift } = mapTaken({
      table: protocolPositions,
      records,
      readings: {
        // A chain is a number here and a name there; the name has a column of its own.
        chain_id: chain("chain_id", "chain"),
        token_address: address("address", "token_address"),
      },
      origin,
      computed: {
        subaccount_address: subject.address,
        kind,
        position_key: records.map((record) => keys.get(record) ?? ""),
      },
      consumed,
    })
    return { rows: { ...rows, scope: { subaccount_address: subject.address, kind } }, drift }
  }
  const total = ofKind("record")
  return Result.succeed(
    // It is there without any position too.
    together(...members.map(ofKind), { ...total, rows: { ...total.rows, beside: "total" } }),
  )
}

const isList = (
  answer: JsonObject | ReadonlyArray<JsonObject>,
): answer is ReadonlyArray<JsonObject> => Array.isArray(answer)

/** By kind. There is one record of what stands beside the lists: it is always the same one. */
const keysOf = (kept: ReadonlyArray<Kept>): ReadonlyMap<JsonObject, string> => {
  const keys = new Map<JsonObject, string>()
  for (const [kind, group] of Map.groupBy(kept, (each) => each.kind)) {
    const ofKind = contentKeys(group.map(({ record }) => record))
    for (const [at, { record }] of group.entries()) {
      keys.set(record, kind === "record" ? "record" : (ofKind[at] ?? ""))
    }
  }
  return keys
}

const kindOf = (field: string): Kept["kind"] | undefined =>
  /strateg/i.test(field)
    ? "strategy"
    : /token|balance/i.test(field)
      ? "token"
      : /position|protocol/i.test(field)
        ? "position"
        : undefined

const partsOf = (answer: JsonObject): ReadonlyArray<Kept> => {
  const parts: Array<Kept> = []
  const beside: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(answer)) {
    const kind = kindOf(field)
    const records = kind === undefined ? undefined : recordsIn(value)
    if (kind === undefined || records === undefined) beside[field] = value
    else for (const record of records) parts.push({ kind, record })
  }
  if (Object.keys(beside).length > 0) parts.push({ kind: "record", record: beside })
  return parts
}

/** A list of records, or a map of them by name; `undefined` for anything else. */
const recordsIn = (value: unknown): ReadonlyArray<JsonObject> | undefined => {
  if (Array.isArray(value)) return value.every(isJsonObject) ? value : undefined
  if (!isJsonObject(value)) return undefined
  const entries = Object.entries(value)
  return entries.every(([, each]) => isJsonObject(each))
    ? entries.map(([name, each]) => ({ name, ...(each as JsonObject) }))
    : undefined
}
