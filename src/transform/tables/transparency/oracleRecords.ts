// The oracle classification of a vault: §2.9 tells what its records mean but not what anything but `warnings`
// is called, so the records are found by their shape.
import * as Result from "effect/Result"
import { canonicalAddress } from "../../../domain/address.ts"
import { isJsonObject, type JsonObject, stableStringify } from "../../../domain/json.ts"
import { dayOf, parseDay } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { fieldsOf } from "../../fields/columnFields.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoed } from "../../fields/echoed.ts"
import { mapRecords } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { oracleClassification } from "./oracle_classification.ts"
import { warningRows } from "./warnings.ts"

const pricingClass = /^(primary|secondary|ce[ _-]?fi)([ _-]?market)?$/i

const positionFields = fieldsOf(oracleClassification, "position")
const symbolFields = fieldsOf(oracleClassification, "token_symbol")
const addressFields = fieldsOf(oracleClassification, "token_address_as_served")
const classField = fieldsOf(oracleClassification, "pricing_class")[0] ?? ""
const knownClassFields = fieldsOf(oracleClassification, "pricing_class")
const valueFields = fieldsOf(oracleClassification, "usd_value")
const idFields = ["id", "position_id", "positionId"]

interface Candidate {
  readonly field: string
  readonly records: ReadonlyArray<JsonObject>
}

const textOf = (record: JsonObject, fields: ReadonlyArray<string>): string | undefined => {
  const value = fields
    .map((name) => record[name])
    .find((each) => typeof each === "string" && each !== "")
  return typeof value === "string" ? value : undefined
}

const classFieldOf = (record: JsonObject): string | undefined =>
  Object.keys(record).find((name) => {
    const value = record[name]
    return typeof value === "string" && pricingClass.test(value)
  })

/** A list of records; lists by pricing class; or records by position. */
const recordsIn = (value: unknown): ReadonlyArray<JsonObject> => {
  if (Array.isArray(value)) return value.every(isJsonObject) ? value : []
  if (!isJsonObject(value)) return []
  const entries = Object.entries(value)
  if (entries.every(([name, list]) => pricingClass.test(name) && Array.isArray(list))) {
    return entries.flatMap(([name, list]) =>
      recordsIn(list).map((record) => ({ [classField]: name, ...record })),
    )
  }
  return entries.every(([, record]) => isJsonObject(record) && classFieldOf(record) !== undefined)
    ? entries.map(([position, record]) => ({ position, ...(record as JsonObject) }))
    : []
}

/** Records that tell a class come before others, those that tell a position or token before totals. */
const rank = ({ records }: Candidate): number => {
  const [first] = records
  if (first === undefined) return -1
  const classified = classFieldOf(first) === undefined ? 0 : 4
  const placed = [positionFields, symbolFields, addressFields].filter(
    (fields) => textOf(first, fields) !== undefined,
  ).length
  return classified + placed
}

const chosen = (body: JsonObject): Candidate | undefined => {
  const candidates = Object.entries(body)
    .filter(([field]) => field !== "warnings")
    .map(([field, value]): Candidate => ({ field, records: recordsIn(value) }))
    .filter(({ records }) => records.length > 0)
  return candidates.toSorted((a, b) => rank(b) - rank(a) || b.records.length - a.records.length)[0]
}

/** The class under the name its column looks for, where the service has a name of its own for it. */
const named = (record: JsonObject): JsonObject => {
  const field = classFieldOf(record)
  if (field === undefined || knownClassFields.includes(field)) return record
  const { [field]: pricing, ...rest } = record
  return { ...rest, [classField]: pricing }
}

const tokenAddressOf = (record: JsonObject): string | undefined => {
  const served = textOf(record, addressFields)
  return served === undefined ? undefined : (canonicalAddress(served)?.canonical ?? served)
}

const identityOf = (record: JsonObject): JsonObject => {
  const id = textOf(record, idFields)
  const parts = [
    textOf(record, positionFields),
    tokenAddressOf(record) ?? textOf(record, symbolFields),
  ].filter((part) => part !== undefined)
  // Without a name it is its content, but for the value, which moves.
  return id === undefined && parts.length === 0
    ? Object.fromEntries(Object.entries(record).filter(([name]) => !valueFields.includes(name)))
    : { id: id ?? parts.join(" / ") }
}

/** One row a classified record, and the warnings. */
export const oracleRows = (
  body: JsonObject & { readonly warnings: ReadonlyArray<unknown> },
  source: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const { origin, subject, timeFields } = source
  const warnings = warningRows("oracle_classification", body.warnings, source)
  const top = isJsonObject(body["data"]) ? { ...body, ...body["data"], data: undefined } : body
  const found = chosen(top)
  const records = (found?.records ?? []).map(named)
  const dayFields = ["snapshot_date", "snapshotDate", "date", "day", "as_of", "asOf", ...timeFields]
  const dayField = (holder: JsonObject) =>
    dayFields.find((name) => parseDay(holder[name]) !== undefined)
  const dayIn = (holder: JsonObject) => parseDay(holder[dayField(holder) ?? ""])
  const shared = dayIn(top) ?? dayOf(origin.receivedAt)
  const beside = new Set(["warnings", "data", found?.field, dayField(top), ...echoed(top, subject)])
  const rest = Object.fromEntries(Object.entries(top).filter(([name]) => !beside.has(name)))
  const mapped = mapRecords({
    table: oracleClassification,
    records,
    origin,
    computed: {
      vault_address: subject.address,
      chain_id: subject.chainId,
      date: records.map((record) => dayIn(record) ?? shared),
      position_id: contentKeys(records.map(identityOf)),
      token_address: records.map((record) => tokenAddressOf(record) ?? null),
      snapshot_extra: Object.keys(rest).length === 0 ? null : stableStringify(rest),
    },
  })
  // §2.9 warns of tokens that could not be resolved: those it lacks may be there all the same.
  const rows = body.warnings.length === 0 ? mapped.rows : { ...mapped.rows, isPart: true as const }
  return Result.succeed(together({ ...mapped, rows }, warnings))
}
