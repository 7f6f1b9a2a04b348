// Turns a correct response into one that breaks or extends the documented shape.
import { bits, choose } from "../values/noise.ts"

type JsonRecord = Record<string, unknown>

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  // A raw JSON number is an object to JavaScript; it must pass through untouched.
  !("rawJSON" in value)

/** Every record, nested ones too, with a field and a nested record the document does not name. */
export const withAddedFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withAddedFields)
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, withAddedFields(member)])
  return {
    ...(Object.fromEntries(members) as JsonRecord),
    added_field: "later version",
    addedRecord: { kind: "later", values: [1, 2] },
  }
}

/** The records of the response that have the last field of a documented path. */
const holders = (answer: unknown, steps: readonly string[]): readonly JsonRecord[] => {
  const [step, ...rest] = steps
  if (step === undefined) return []
  if (step === "[]") {
    return Array.isArray(answer) ? answer.flatMap((item) => holders(item, rest)) : []
  }
  if (!isRecord(answer) || !(step in answer)) return []
  return rest.length === 0 ? [answer] : holders(answer[step], rest)
}

const wrongType = (value: unknown): unknown =>
  typeof value === "string" ? 12345 : typeof value === "number" ? "not a number" : "broken"

/**
 * The response with one documented field of one record missing or of the wrong type. A response without such a field
 * (an empty list) is replaced by a record where a list is expected, or the reverse.
 */
export const broken = (
  answer: unknown,
  documented: readonly string[],
  mode: "missing" | "wrong-type" | undefined,
  key: number,
): unknown => {
  const copy: unknown = cloneJson(answer)
  const paths = documented.map((path) => path.replaceAll("[]", ".[]").split(".").filter(Boolean))
  const present = paths.filter((steps) => holders(copy, steps).length > 0)
  if (present.length === 0) return Array.isArray(answer) ? { unexpected: true } : []
  const steps = choose(key, 0, present)
  const record = choose(key, 1, holders(copy, steps))
  const name = steps.at(-1)!
  if ((mode ?? (bits(key, 2) & 1 ? "missing" : "wrong-type")) === "missing") delete record[name]
  else record[name] = wrongType(record[name])
  return copy
}

/** A copy of the plain lists and records; everything else is shared. */
const cloneJson = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, cloneJson(member)]),
  )
}

/** The response without its records: an empty list, or a record whose lists are empty. */
export const emptied = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return []
  if (!isRecord(answer)) return answer
  return Object.fromEntries(
    Object.entries(answer).map(([name, member]) => [
      name,
      Array.isArray(member) ? [] : isRecord(member) ? emptied(member) : member,
    ]),
  )
}
