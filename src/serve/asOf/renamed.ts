// A query with some of its tables replaced by others, at the places where DuckDB's own parse finds them: the rest of the
// text stays as it was written, and no name in a comment or a text is taken for a table.
import * as Effect from "effect/Effect"
import { identifier } from "../../domain/values/sqlText.ts"
import {
  parsedSelect,
  type PublishedCopy,
  ReadError,
  sqlFile,
} from "../../pipelines/readers/published.ts"

export interface Renamed {
  readonly sql: string
  /** The replaced tables, `mart.vault_latest`. */
  readonly tables: ReadonlySet<string>
  /** The replaced calls of table macros, by the names that stand for them. */
  readonly calls: ReadonlyMap<string, Call>
}

/** A table macro with its arguments as they are written. */
export interface Call {
  readonly macro: string
  readonly values: ReadonlyArray<string>
}

export interface Replacements {
  readonly isTable: (table: string) => boolean
  readonly isMacro: (macro: string) => boolean
  /** What parameters of a macro stand for, in its body. */
  readonly parameters?: ReadonlyMap<string, string>
}

interface Edit {
  readonly at: number
  readonly length: number
  readonly text: string
}

const refused = (why: string, advice: string): ReadError => new ReadError({ why, advice })

type Node = Readonly<Record<string, unknown>>

/** Every object of the parse. */
function* nodesOf(parsed: unknown): Generator<Node> {
  if (typeof parsed !== "object" || parsed === null) return
  if (!Array.isArray(parsed)) yield parsed as Node
  for (const value of Object.values(parsed)) yield* nodesOf(value)
}

const IDENTIFIER = String.raw`(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)`
const DOT = String.raw`\s*\.\s*`
/** A table with its schema, and perhaps its catalog. */
const named = new RegExp(`^(?:${IDENTIFIER}${DOT})?${IDENTIFIER}${DOT}${IDENTIFIER}`, "u")
const qualifier = new RegExp(`^${IDENTIFIER}${DOT}(?=${IDENTIFIER}${DOT}${IDENTIFIER})`, "u")
/** A catalog is named before the schema where there are three names. */
const threeNames = new RegExp(`^${IDENTIFIER}${DOT}${IDENTIFIER}${DOT}${IDENTIFIER}`, "u")
const twoNames = new RegExp(`^${IDENTIFIER}${DOT}${IDENTIFIER}`, "u")

/** What is between the parentheses that a text begins with, by commas; `undefined` where they do not end. */
const argumentsIn = (
  text: string,
): { readonly values: ReadonlyArray<string>; readonly length: number } | undefined => {
  const token =
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|[()[\]{},]|[^'"()[\]{},/-]+|./gu
  const values: Array<string> = []
  let [depth, value] = [0, ""]
  for (const { 0: part, index } of text.matchAll(token)) {
    if (depth === 1 && (part === "," || part === ")")) {
      values.push(value.trim())
      value = ""
      if (part === ")") return { values, length: index + 1 }
      continue
    }
    if ("([{".includes(part)) depth += 1
    if (")]}".includes(part)) depth -= 1
    if (depth > 1 || (depth === 1 && part !== "(")) value += part
  }
  return undefined
}

/**
 * The query with each replaced table and call read by its name in quotes, `"mart.vault_latest"`, as a step of a WITH is
 * called. `parser` parses the text as a value; nothing of it is run.
 */
export const renamed = Effect.fnUntraced(function* (
  parser: PublishedCopy,
  sql: string,
  { isTable, isMacro, parameters }: Replacements,
) {
  const [row] = yield* parser.rows(sqlFile("query", "parsed"), { sql })
  const parsed = parsedSelect(String(row?.["parsed"]), sql)
  if ("why" in parsed) {
    const [why = "", ...advice] = parsed.why.split("\n")
    return yield* parsed.isSyntax === true
      ? refused(`DuckDB refused the query: ${parsed.why}`, "")
      : refused(why, advice.join("\n"))
  }
  // Places are counted in bytes.
  const bytes = Buffer.from(sql)
  const textAt = (at: number): string => bytes.subarray(at).toString()
  const edits: Array<Edit> = []
  const tables = new Set<string>()
  const calls = new Map<string, Call>()
  let isShown = false
  for (const node of nodesOf(parsed.select)) {
    const at = Number(node["query_location"])
    isShown ||= node["type"] === "SHOW_REF"
    if (node["type"] === "BASE_TABLE") {
      const name = `${String(node["schema_name"])}.${String(node["table_name"])}`.toLowerCase()
      if (!isTable(name)) continue
      const pattern = node["catalog_name"] === "" ? twoNames : threeNames
      const [found] = pattern.exec(textAt(at)) ?? []
      if (found === undefined || !named.test(found)) {
        return yield* refused(`${name} can't be found in the query's text.`, "")
      }
      const alias = node["alias"] === "" ? ` AS ${identifier(String(node["table_name"]))}` : ""
      // `TABLE name` takes no alias.
      const before = bytes.subarray(0, at).toString().trimEnd()
      const [statement = ""] = /\btable$/i.exec(before.slice(-"=table".length)) ?? []
      const from = statement === "" ? at : Buffer.byteLength(before) - statement.length
      edits.push({
        at: from,
        length: at - from + Buffer.byteLength(found),
        text: (statement === "" ? "" : "FROM ") + identifier(name) + alias,
      })
      tables.add(name)
    } else if (node["type"] === "TABLE_FUNCTION") {
      const called = node["function"] as Node
      const macro = `${String(called["schema"])}.${String(called["function_name"])}`.toLowerCase()
      if (!isMacro(macro)) continue
      const [found] = twoNames.exec(textAt(at)) ?? []
      const given = argumentsIn(textAt(at + Buffer.byteLength(found ?? "")).trimStart())
      if (found === undefined || given === undefined) {
        return yield* refused(`${macro}() can't be found in the query's text.`, "")
      }
      const text = textAt(at)
      const before = text.length - text.slice(found.length).trimStart().length
      const name = `${macro}(${given.values.join(", ")})`
      const alias = node["alias"] === "" ? ` AS ${identifier(String(called["function_name"]))}` : ""
      const length = Buffer.byteLength(text.slice(0, before + given.length))
      edits.push({ at, length, text: identifier(name) + alias })
      calls.set(name, { macro, values: given.values })
    } else if (node["type"] === "COLUMN_REF") {
      const names = node["column_names"] as ReadonlyArray<string>
      const value = names.length === 1 ? parameters?.get(names[0] ?? "") : undefined
      if (value !== undefined) {
        edits.push({ at, length: Buffer.byteLength(names[0] ?? ""), text: `(${value})` })
      }
      if (names.length < 3 || !isTable(names.slice(0, 2).join(".").toLowerCase())) continue
      // The table has lost its schema, so its columns do.
      const [found] = qualifier.exec(textAt(at)) ?? []
      if (found !== undefined) edits.push({ at, length: Buffer.byteLength(found), text: "" })
    }
  }
  if (isShown && edits.length > 0) {
    return yield* refused(
      "DESCRIBE and SUMMARIZE read no table as of an instant.",
      "The columns of a table are the same at any; count what SUMMARIZE does in a SELECT.",
    )
  }
  return { sql: edited(bytes, edits), tables, calls } satisfies Renamed
})

const edited = (bytes: Buffer, edits: ReadonlyArray<Edit>): string => {
  const parts: Array<string> = []
  let from = 0
  // Two nodes of the parse may stand for one name of the text.
  const ordered = [...new Map(edits.map((edit) => [edit.at, edit])).values()].toSorted(
    (one, other) => one.at - other.at,
  )
  for (const { at, length, text } of ordered) {
    // An argument of a call that is replaced as a whole.
    if (at < from) continue
    parts.push(bytes.subarray(from, at).toString(), text)
    from = at + length
  }
  return [...parts, bytes.subarray(from).toString()].join("")
}
