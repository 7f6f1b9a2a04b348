// Maps the oracle classification of a vault. §2.9 describes its records but names only the field `warnings`, so the
// records are found by their shape.
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject, stableStringify } from "../../../domain/json.ts"
import type { Rows } from "../../../domain/table.ts"
import { dayOf, parseDay } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { namesOf, readColumn } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { oracleClassification as table } from "./oracle_classification.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { warningRows } from "./warnings.ts"

const pricingClass = /^(primary|secondary|ce[ _-]?fi)([ _-]?market)?$/i
/** Finds the class in the name of a list, such as `secondary_market` in `secondary_market_tokens`. */
const classInName =
  /^((?:primary|secondary|ce[ _-]?fi)(?:[ _-]?market)?)(?:[ _-]?(?:priced|tokens|positions|assets))*$/i
const CLASS_FIELD = "pricing_class"

interface Found {
  readonly records: ReadonlyArray<JsonObject>
  /** The response without the records. */
  readonly rest: JsonObject
}

const classFieldOf = (record: JsonObject): string | undefined =>
  Object.keys(record).find((name) => {
    const value = record[name]
    return typeof value === "string" && pricingClass.test(value)
  })

const isRecords = (value: unknown): value is ReadonlyArray<JsonObject> =>
  Array.isArray(value) && value.every(isJsonObject)

/** The name of the records in an object that has a total too: its only list, or its only list that is not empty. */
const listNameIn = (value: JsonObject): string | undefined => {
  const lists = Object.keys(value).filter((name) => isRecords(value[name]))
  const filled = lists.filter((name) => (value[name] as ReadonlyArray<unknown>).length > 0)
  const [only, ...others] = filled.length > 0 ? filled : lists
  return others.length > 0 ? undefined : only
}

/** Takes the lists by pricing class out of an object. The name of a list contains the class of its records. */
const byClass = (lists: JsonObject): Found => {
  const records: Array<JsonObject> = []
  const rest: Array<[field: string, value: unknown]> = []
  for (const [field, value] of Object.entries(lists)) {
    const [, pricing] = classInName.exec(field) ?? []
    const name = isJsonObject(value) ? listNameIn(value) : undefined
    const { [name ?? ""]: inner, ...others } = isJsonObject(value) ? value : {}
    const list = inner ?? value
    if (pricing === undefined || !isRecords(list)) rest.push([field, value])
    else {
      records.push(...list.map((record) => ({ [CLASS_FIELD]: pricing, ...record })))
      if (Object.keys(others).length > 0) rest.push([field, others])
    }
  }
  return { records, rest: Object.fromEntries(rest) }
}

/** Reads a list of records, lists by pricing class, or a map of records by position. */
const recordsIn = (value: unknown): Found => {
  if (isRecords(value)) return { records: value, rest: {} }
  const fields = isJsonObject(value) ? value : {}
  const entries = Object.entries(fields)
  return entries.every(([, record]) => isJsonObject(record) && classFieldOf(record) !== undefined)
    ? {
        records: entries.map(([position, record]) => ({ position, ...(record as JsonObject) })),
        rest: {},
      }
    : byClass(fields)
}

const placeColumns = ["position", "token_symbol", "token_address_wire"]

/** Ranks records with a class above others, and those with a position or token above totals. */
const rank = (records: ReadonlyArray<JsonObject>, source: Source<VaultRef>): number => {
  const [first = {}] = records
  const classified = classFieldOf(first) === undefined ? 0 : 4
  return (
    classified + placeColumns.filter((name) => textOf(first, name, source) !== undefined).length
  )
}

/** Finds the records of the response. Fails if several lists may be the classification. */
const findRecords = (
  body: JsonObject,
  source: Source<VaultRef>,
): Result.Result<Found, Violation> => {
  const { warnings: _warnings, ...fields } = body
  const found = byClass(fields)
  if (found.records.length > 0) return Result.succeed(found)
  const [best, second] = Object.entries(fields)
    .map(([field, value]) => ({ field, ...recordsIn(value) }))
    .filter(({ records }) => records.length > 0)
    .map((each) => ({ ...each, rank: rank(each.records, source) }))
    .toSorted((a, b) => b.rank - a.rank)
  if (best === undefined) {
    const filled = Object.entries(found.rest).filter(([, value]) => !isEmptyList(value))
    return Result.succeed({ records: [], rest: Object.fromEntries(filled) })
  }
  if (best.rank === second?.rank) {
    return Result.fail({
      path: "$",
      detail: `must contain exactly one list of classified positions; candidates: ${best.field}, ${second.field}`,
    })
  }
  const { [best.field]: _records, ...rest } = fields
  const isTaken = Object.keys(best.rest).length === 0
  return Result.succeed({
    records: best.records,
    rest: isTaken ? rest : { ...rest, [best.field]: best.rest },
  })
}

const withoutRows = (rows: Rows): Rows => ({
  ...rows,
  columns: rows.columns.map(() => []),
  length: 0,
})

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const textOf = (
  record: JsonObject,
  column: string,
  source: Source<VaultRef>,
): string | undefined => {
  const value = namesOf(table, column, source)
    .map((name) => record[name])
    .find((each) => typeof each === "string" && each !== "")
  return typeof value === "string" ? value : undefined
}

/** The record with its class under a name that the column reads. */
const withClass = (record: JsonObject, source: Source<VaultRef>): JsonObject => {
  const field = classFieldOf(record)
  if (field === undefined || namesOf(table, CLASS_FIELD, source).includes(field)) return record
  const { [field]: pricing, ...rest } = record
  return { ...rest, [CLASS_FIELD]: pricing }
}

const identityOf = (record: JsonObject, source: Source<VaultRef>): JsonObject => {
  const own = readColumn(record, table, "position_id", source)
  const token = readColumn(record, table, "token_address", source)
  const parts = [
    textOf(record, "position", source),
    token ?? textOf(record, "token_symbol", source),
  ].filter((part) => part !== undefined)
  if (own !== null || parts.length > 0) return { id: own ?? parts.join(" / ") }
  // A record without a name is identified by its content, except the value, which changes.
  const values = namesOf(table, "usd_value", source)
  return Object.fromEntries(Object.entries(record).filter(([name]) => !values.includes(name)))
}

/** One row for each classified record, and the warnings. */
export const oracleRows = (
  body: JsonObject & { readonly warnings: ReadonlyArray<unknown> },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { lineage, subject, timeFields } = source
  const top = isJsonObject(body["data"]) ? { ...body, ...body["data"], data: undefined } : body
  const dayFields = [...namesOf(table, "date", source), ...timeFields]
  const dayField = (holder: JsonObject) =>
    dayFields.find((name) => parseDay(holder[name]) !== undefined)
  const dayIn = (holder: JsonObject) => parseDay(holder[dayField(holder) ?? ""])
  const shared = dayIn(top) ?? dayOf(lineage.receivedAt)
  return Result.flatMap(findRecords(top, source), (found) => {
    const records = found.records.map((record) => withClass(record, source))
    const read = new Set(["data", dayField(top), ...echoedFields(top, subject)])
    const rest = Object.fromEntries(Object.entries(found.rest).filter(([name]) => !read.has(name)))
    const mapped = mapRecords({
      table,
      records,
      source,
      computed: {
        vault_address: subject.address,
        chain_id: subject.chainId,
        date: records.map((record) => dayIn(record) ?? shared),
        position_id: contentKeys(records.map((record) => identityOf(record, source))),
        snapshot_extra: Object.keys(rest).length === 0 ? null : stableStringify(rest),
      },
    })
    // Stored only if there is no record whose snapshot_extra has these fields; their drift is reported in any case.
    const envelope = envelopeRows("oracle_classification", rest, [], source)
    // §2.9: warnings report tokens that could not be resolved, so the list may be incomplete.
    const partial = body.warnings.length === 0 ? {} : { isPartial: true as const }
    return combined(
      { ...mapped, rows: { ...mapped.rows, ...partial } },
      warningRows("oracle_classification", body.warnings, source),
      { ...envelope, rows: records.length === 0 ? envelope.rows : withoutRows(envelope.rows) },
    )
  })
}
