// A page of an EVM vault's audit log, newest first. The cursor `before` excludes its own timestamp.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { Violation } from "../../../domain/violation.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer, optional, text } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

const preferredNames = ["entries", "events", "items"]

/**
 * The document withholds the name of the list (§2.9), so it is found by a likely name or as the only array of objects.
 */
const locate = (body: unknown): Result.Result<unknown, Violation> => {
  if (!isJsonObject(body)) return Result.fail({ path: "$", detail: "is not an object" })
  return Result.map(entriesIn(body), (found) => {
    const { [found]: entries, ...others } = body
    return { ...others, entries }
  })
}

const entriesIn = (body: JsonObject): Result.Result<string, Violation> => {
  const preferred = preferredNames.find((name) => Array.isArray(body[name]))
  if (preferred !== undefined) return Result.succeed(preferred)
  const candidates = Object.entries(body).filter(
    (field): field is [string, ReadonlyArray<JsonObject>] =>
      Array.isArray(field[1]) && (field[1].length === 0 || field[1].some(isJsonObject)),
  )
  const filled = candidates.filter(([, list]) => list.length > 0)
  const [only, ...others] = filled.length > 0 ? filled : candidates
  // If all lists are empty, it does not matter which is the log.
  if (only !== undefined && (others.length === 0 || filled.length === 0))
    return Result.succeed(only[0])
  const names = candidates.map(([name]) => name).join(", ") || "none"
  return Result.fail({
    path: "$",
    detail: `must contain exactly one array of objects, the entries of the log; candidates: ${names}`,
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
