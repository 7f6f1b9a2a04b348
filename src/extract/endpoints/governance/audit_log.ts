// A page of an EVM vault's audit log, newest first. The cursor `before` excludes its own timestamp.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "../../../domain/values/json.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer, optional, text } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

const declaredNames = ["entries", "events", "items"]
// §2.9 names these fields of an entry.
const entryFields = ["timestamp", "type", "summary"]

/**
 * The document withholds the name of the list (§2.9). Under another name than these it is the only list of records that
 * all have the documented fields.
 */
const locate = (body: unknown): Result.Result<unknown, Violation> => {
  if (!isJsonObject(body)) return Result.fail({ path: "$", detail: "is not an object" })
  return Result.map(entriesIn(body), (found) => {
    const { [found]: entries, hasMore, ...others } = body
    return { ...(hasMore === undefined ? {} : { has_more: hasMore }), ...others, entries }
  })
}

const isEntry = (value: unknown): boolean =>
  isJsonObject(value) && entryFields.every((name) => value[name] !== undefined)

const entriesIn = (body: JsonObject): Result.Result<string, Violation> => {
  const declared = declaredNames.find((name) => Array.isArray(body[name]))
  if (declared !== undefined) return Result.succeed(declared)
  const lists = Object.entries(body).filter(
    (field): field is [string, ReadonlyArray<unknown>] =>
      Array.isArray(field[1]) && (field[1].length === 0 || field[1].some(isJsonObject)),
  )
  const filled = lists.filter(([, list]) => list.length > 0)
  const [only, ...others] = filled.filter(([, list]) => list.every(isEntry))
  if (only !== undefined && others.length === 0) return Result.succeed(only[0])
  // If all lists are empty, it does not matter which is the log.
  const [empty] = lists
  if (filled.length === 0 && empty !== undefined) return Result.succeed(empty[0])
  const names = lists.map(([name]) => name).join(", ") || "none"
  return Result.fail({
    path: "$",
    detail: `must contain exactly one list of entries with ${entryFields.join(", ")}; candidates: ${names}`,
  })
}

export const auditLog = endpoint({
  name: "audit_log",
  title: "Audit log",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/governance/{vault_address}/audit_log",
  auth: "public",
  parameters: {
    vault_address: inPath(address("evm")),
    chainId: integer(),
    // Text, because it repeats a timestamp of the previous page exactly as the service wrote it.
    before: optional(text),
    // "From its enumeration" (§7, rule 8), but the document does not list the values (§2.9). A list of our own would
    // reject values that the service accepts, so only empty text is rejected.
    category: optional(text),
    limit: optional(integer({ min: 1, max: 200 })),
  },
  absences: { 404: "empty", 422: "unsupported" },
  locate,
  response: Schema.Struct({ entries: AnyRecords, has_more: Schema.Boolean }),
})
