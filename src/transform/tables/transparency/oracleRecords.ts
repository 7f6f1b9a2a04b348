// Maps the oracle classification of a vault (§2.9) to its positions and warnings.
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject, stableStringify } from "../../../domain/values/json.ts"
import type { Rows } from "../../../domain/table/table.ts"
import { dayOf, parseDay } from "../../../domain/values/time.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { namesOf, readColumn, valueAt } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { type Found, recordsIn } from "../../shapes/recordsIn.ts"
import { otherRecords, undeclared } from "../../shapes/undeclared.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { oracleClassification as table } from "./oracle_classification.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { warningRows } from "./warnings.ts"

/** Finds the records of the response. Fails if it has records, but in no declared shape. */
const findRecords = (
  fields: JsonObject,
  source: Source<VaultRef>,
): Result.Result<Pick<Found, "field" | "records" | "others" | "rest">, Violation> => {
  const found = recordsIn(table, source)(fields)
  // A null is no list: the records may be in a field of another name.
  const isNull = found?.field !== undefined && fields[found.field] === null
  if (found !== undefined && !isNull) return Result.succeed(found)
  const hasRecords = Object.values(fields).some(
    (value) => isJsonObject(value) || (Array.isArray(value) && value.some(isJsonObject)),
  )
  return hasRecords
    ? Result.fail(undeclared(table, fields, "$", source))
    : Result.succeed(found ?? { field: undefined, records: [], others: [], rest: fields })
}

const withoutRows = (rows: Rows): Rows => ({
  ...rows,
  columns: rows.columns.map(() => []),
  length: 0,
})

const isFilled = ([, value]: readonly [string, unknown]): boolean =>
  !Array.isArray(value) || value.length > 0

const textOf = (
  record: JsonObject,
  column: string,
  source: Source<VaultRef>,
): string | undefined => {
  const value = namesOf(table, column, source)
    .map((name) => valueAt(record, name))
    .find((each) => typeof each === "string" && each !== "")
  return typeof value === "string" ? value : undefined
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

const dayField = (holder: JsonObject, names: ReadonlyArray<string>): string | undefined =>
  names.find((name) => parseDay(valueAt(holder, name)) !== undefined)

/** One row for each classified record, and the warnings. */
export const oracleRows = (
  body: JsonObject & { readonly warnings: ReadonlyArray<unknown> },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { lineage, subject, timeFields } = source
  const top = isJsonObject(body["data"]) ? { ...body, ...body["data"], data: undefined } : body
  const dayNames = namesOf(table, "date", source)
  const dayIn = (holder: JsonObject, names = dayNames) =>
    parseDay(valueAt(holder, dayField(holder, names) ?? ""))
  const topField = dayField(top, [...dayNames, ...timeFields])
  const read = new Set(["data", "warnings", topField, ...echoedFields(top, subject)])
  const fields = Object.fromEntries(Object.entries(top).filter(([name]) => !read.has(name)))
  return Result.flatMap(findRecords(fields, source), (found) => {
    const { records } = found
    // §2.9: all are of one daily snapshot. A time of a record may be that of its price.
    const priced = records.flatMap((record) => dayIn(record, timeFields) ?? [])
    const shared =
      dayIn(top, timeFields) ?? priced.toSorted((a, b) => b - a)[0] ?? dayOf(lineage.receivedAt)
    const rest = Object.fromEntries(Object.entries(found.rest).filter(isFilled))
    const mapped = mapRecords({
      table,
      records,
      source,
      computed: {
        vault_address: subject.address,
        chain_id: subject.chainId,
        date: records.map((record) => dayIn(top) ?? dayIn(record) ?? shared),
        position_id: contentKeys(records.map((record) => identityOf(record, source))),
        snapshot_extra: Object.keys(rest).length === 0 ? null : stableStringify(rest),
      },
    })
    // Stored only if there is no record whose snapshot_extra has these fields; their drift is reported in any case.
    const envelope = envelopeRows("oracle_classification", rest, [], source)
    // §2.9: warnings report tokens that could not be resolved, so the list may be incomplete.
    const partial = body.warnings.length === 0 ? {} : { isPartial: true as const }
    return combined(
      otherRecords({ ...mapped, rows: { ...mapped.rows, ...partial } }, table, found, source),
      warningRows("oracle_classification", body.warnings, source),
      { ...envelope, rows: records.length === 0 ? envelope.rows : withoutRows(envelope.rows) },
    )
  })
}
