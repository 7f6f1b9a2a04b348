// What a validation error says of the inputs it was asked with. The document does not show its structure (§7), so
// every usual one is read: a list of `loc` and `msg`, of `field` and `message`, a map by name, a sentence. Pure.
import { isJsonObject, type JsonObject } from "../domain/json.ts"

export interface Complaint {
  /** As the service calls it. */
  readonly name: string
  /** It wants the name and did not get it; got it and does not know it; knows it and refuses what it holds. */
  readonly kind: "missing" | "unknown" | "value"
  readonly isHeader: boolean
}

const lists = ["detail", "details", "errors", "error", "issues", "violations", "message"]
const texts = ["msg", "message", "error", "reason", "description", "detail", "title"]
const names = ["field", "param", "parameter", "argument", "property"]
const places = ["loc", "path", "location", "source"]

const unknownName =
  /\bextra(?![a-z])|\b(unknown|unexpected|unrecogni[sz]ed|additional) (query )?(param|field|arg|prop|key|input)/i

const kindOf = (text: string): Complaint["kind"] | undefined =>
  unknownName.test(text)
    ? "unknown"
    : /\b(missing|required|received undefined)\b/i.test(text)
      ? "missing"
      : undefined

const named = `["'\`]?([A-Za-z][\\w.-]*)["'\`]?`
const sort = "(?:parameter|param|field|argument|property)s?"
const sentences = [
  new RegExp(String.raw`\b${sort}:?\s+${named}\s+(?:is|was|are)\s`, "i"),
  new RegExp(String.raw`\b${sort}:?\s+${named}\s*$`, "i"),
  /["'`]([A-Za-z][\w.-]*)["'`] is (?:a )?required/i,
  /^([a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+) is (?:required|missing)/,
]

const ofSentence = (text: string): ReadonlyArray<Complaint> => {
  const kind = kindOf(text)
  const name = sentences.map((sentence) => sentence.exec(text)?.[1]).find((each) => each)
  return kind === undefined || name === undefined ? [] : [{ name, kind, isHeader: false }]
}

const textsIn = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string")

const firstText = (item: JsonObject, fields: ReadonlyArray<string>): string | undefined =>
  fields.map((field) => item[field]).find((held) => typeof held === "string")

const ofItem = (item: JsonObject): ReadonlyArray<Complaint> => {
  const place = textsIn(places.map((field) => item[field]).find(Array.isArray) ?? [])
  const text = firstText(item, texts) ?? ""
  const kind = kindOf(`${firstText(item, ["type", "code", "keyword"]) ?? ""} ${text}`)
  const name = place.at(-1) ?? firstText(item, names)
  if (name === undefined) return ofSentence(text)
  // What stands in the path has no name on the wire.
  if (place[0] === "path" && place.length > 1) return []
  return [{ name, kind: kind ?? "value", isHeader: place[0] === "header" }]
}

/** `{"chain_id": ["This field is required."]}`, alone or under another name. */
const ofMap = (map: JsonObject): ReadonlyArray<Complaint> =>
  Object.entries(map).flatMap(([name, held]) => {
    const told = Array.isArray(held) ? textsIn(held).join(" ") : ""
    return told === "" ? [] : [{ name, kind: kindOf(told) ?? "value", isHeader: false }]
  })

/** Complaints about inputs in a parsed error body of any shape. */
export const complaintsIn = (body: unknown): ReadonlyArray<Complaint> => {
  if (typeof body === "string") return ofSentence(body)
  if (Array.isArray(body)) return body.flatMap(complaintsIn)
  if (!isJsonObject(body)) return []
  const inner = lists.map((field) => body[field]).filter((held) => typeof held === "object")
  if (inner.some((held) => held !== null)) return inner.flatMap(complaintsIn)
  const own = ofItem(body)
  return own.length > 0 ? own : ofMap(body)
}
