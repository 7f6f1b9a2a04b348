// What a service can do in place of a correct response. Each is done to one request; what a table's cell meets is written
// in expected.ts.
import type { ServerResponse } from "node:http"
import { drip, flood } from "./longBodies.ts"

export interface Answer {
  readonly status: number
  readonly body: string
}

/** A request that meets a fault. */
export interface Meeting {
  readonly response: ServerResponse
  /** What the service responds, without those parameters if some are given, or with others in their place. */
  readonly answer: (parameters?: Readonly<Record<string, string | undefined>>) => Promise<Answer>
  /** How often the endpoint has been requested, this time included. */
  readonly time: number
  /** Milliseconds since 1970 of the client's clock. */
  readonly now: number
  /** Milliseconds of the machine in a second of that clock. */
  readonly second: number
  readonly path: string
  /** The address of another host. */
  readonly elsewhere: string
  /** The pages of this list that were sent before: requests that differ in nothing but their place in it. */
  readonly pages: Array<string>
  /** Moves the client's clock on. */
  readonly moveClock: (millis: number) => void
  /** Keeps a changed body for the comparison of rows with it, and the record of it that changed if that is known. */
  readonly keep: (body: string, record: string | undefined) => void
  /** The field that is missing, null and so on: `name`, `list[].name` or `[].name`. */
  readonly field: string
}

/**
 * Returns whether the request met the fault: an empty list has no field that could be missing, and one of a single record is
 * the same in another order.
 */
export type Fault = (meeting: Meeting) => Promise<boolean>

export const send = (
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string | number>> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(body)
}

/** Stands in a value for JSON that no JavaScript value has. */
const raw = (json: string): string => `\u{1F527}${json}\u{1F527}`
const rawText = /"\u{1F527}(.*?)\u{1F527}"/gu

const textOf = (value: unknown): string =>
  JSON.stringify(value).replaceAll(rawText, (_, json: string) => JSON.parse(`"${json}"`))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const always =
  (act: (meeting: Meeting) => Promise<void> | void): Fault =>
  async (meeting) => {
    await act(meeting)
    return true
  }

const status = (code: number, headers: Readonly<Record<string, string>> = {}): Fault =>
  always(({ response }) =>
    send(
      response,
      code,
      code === 204 ? "" : JSON.stringify({ detail: `The answer is ${code}` }),
      headers,
    ),
  )

/** Only the first time that the endpoint is requested. */
const first =
  (fault: Fault): Fault =>
  async (meeting) => {
    if (meeting.time === 1) return fault(meeting)
    const { status: code, body } = await meeting.answer()
    send(meeting.response, code, body)
    return false
  }

/** A body of which one record changed. */
interface Changed {
  readonly body: string
  readonly record: string
}

/** A correct response, changed; an error response is passed on. */
const changed =
  (
    change: (body: unknown, meeting: Meeting) => string | Changed | undefined,
    parameters?: Readonly<Record<string, string | undefined>>,
  ): Fault =>
  async (meeting) => {
    const { status: code, body } = await meeting.answer(parameters)
    const usual = parameters === undefined ? body : (await meeting.answer()).body
    const made = code === 200 ? change(JSON.parse(body), meeting) : undefined
    const text = typeof made === "object" ? made.body : made
    const isMet = text !== undefined && text !== JSON.stringify(JSON.parse(usual))
    if (isMet) meeting.keep(text, typeof made === "object" ? made.record : undefined)
    send(meeting.response, code, isMet ? text : usual)
    return isMet
  }

/** The record that has the field, and its name there; of the first record of each list. */
const holderOf = (
  body: unknown,
  path: string,
): { readonly record: Record<string, unknown>; readonly name: string } | undefined => {
  const steps = path.replaceAll("[]", ".[]").split(".").filter(Boolean)
  const name = steps.at(-1) ?? ""
  let holder = body
  for (const step of steps.slice(0, -1)) {
    if (step === "[]") holder = Array.isArray(holder) ? holder[0] : undefined
    else holder = isRecord(holder) ? holder[step] : undefined
  }
  return isRecord(holder) && name in holder ? { record: holder, name } : undefined
}

const fieldChanged = (change: (record: Record<string, unknown>, name: string) => void): Fault =>
  changed((body, { field }) => {
    const holder = holderOf(body, field)
    if (holder === undefined) return undefined
    change(holder.record, holder.name)
    return { body: textOf(body), record: textOf(holder.record) }
  })

const withOtherType = (value: unknown): unknown => {
  if (typeof value === "string") return { an: "object" }
  return Array.isArray(value) ? 5 : "a text"
}

const withOtherValue = (value: unknown): unknown => {
  if (typeof value === "number") return value + 1
  if (typeof value === "string") return `${value} again`
  return typeof value === "boolean" ? !value : value
}

/** Each list of the response, or the response itself if it is one. */
const listsChanged = (change: (list: ReadonlyArray<unknown>) => ReadonlyArray<unknown>): Fault =>
  changed((body) => {
    if (Array.isArray(body)) return textOf(change(body))
    if (!isRecord(body)) return undefined
    const lists = Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value) ? change(value) : value,
    ])
    return textOf(Object.fromEntries(lists))
  })

const emptied = (value: unknown): unknown => {
  if (Array.isArray(value)) return []
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      Array.isArray(inner) || isRecord(inner) ? emptied(inner) : inner,
    ]),
  )
}

const half = (body: string): Buffer => {
  const bytes = Buffer.from(body)
  return bytes.subarray(0, bytes.length >> 1)
}

/** The correct body, said to be of another length if that is given, and what is sent of it. */
const announced = (
  act: (response: ServerResponse, body: string) => void,
  lengthOf = (bytes: number): number => bytes,
): Fault =>
  always(async ({ response, answer }) => {
    const { body } = await answer()
    response.writeHead(200, { "content-length": lengthOf(Buffer.byteLength(body)) })
    act(response, body)
  })

/** Resets the connection, where `destroy` would close it. */
const reset = ({ socket }: ServerResponse): void => void socket?.resetAndDestroy()

const paging: Readonly<Record<string, undefined>> = {
  before: undefined,
  offset: undefined,
  startDate: undefined,
  endDate: undefined,
  startTime: undefined,
  endTime: undefined,
}

/** Met by all endpoints at once, since no server listens. */
export const REFUSED = "refused connection"

/** It changes a text, which `field` may not be. */
export const SURROGATE_IN_TEXT = "lone surrogate in a text"

/** The outcome of an endpoint that no fault of that kind can change. */
export const DOES_NOT_APPLY = "does not apply"

/** By the names that the table has. A refused connection is met by all endpoints at once: no server listens. */
export const faults: Readonly<Record<string, Fault>> = {
  [REFUSED]: always(({ response }) => void response.destroy()),
  "reset before the response": always(({ response }) => reset(response)),
  "reset in the body": announced(
    (response, body) => void response.write(half(body), () => reset(response)),
  ),
  "closed before the response": always(({ response }) => void response.destroy()),
  "body that stops": announced((response, body) => void response.write(half(body))),
  "a byte a second": always(async ({ response, answer, second }) => {
    // Longer than the timeout of a request, 60 seconds, however short the response is.
    drip(response, (await answer()).body.padEnd(200), second)
  }),
  // The rest of the body stays on the connection.
  "length too small": announced(
    (response, body) => void response.end(body),
    (bytes) => bytes >> 1,
  ),
  "length too large": announced(
    (response, body) => void response.write(body, () => response.destroy()),
    (bytes) => bytes + 10,
  ),
  "wrong content type": async ({ response, answer }) => {
    const { status: code, body } = await answer()
    send(response, code, body, { "content-type": "text/html" })
    return code === 200
  },
  "truncated JSON": changed((body) => half(JSON.stringify(body)).toString()),
  "200 with an error object": changed(() => '{"error":"upstream is unavailable"}'),
  "200 with a list of an error": changed(() => '[{"error":"upstream is unavailable"}]'),
  "200 with {}": changed(() => "{}"),
  "204": status(204),
  "301 to another host": (meeting) => status(301, { location: meeting.elsewhere })(meeting),
  "400": status(400),
  "401": status(401),
  "403": status(403),
  "404": status(404),
  "409": status(409),
  "422": status(422),
  "424": status(424),
  "429": first(status(429)),
  "429, Retry-After in seconds": first(status(429, { "retry-after": "2" })),
  "429, Retry-After a date": first((meeting) =>
    status(429, { "retry-after": new Date(meeting.now + 2000).toUTCString() })(meeting),
  ),
  "429, Retry-After nonsense": first(status(429, { "retry-after": "soon" })),
  "429 for good": status(429, { "retry-after": "3600" }),
  "500 for a while": first(status(500)),
  "500 for good": status(500),
  empty: changed((body) => JSON.stringify(emptied(body))),
  "a page twice": listsChanged((list) => [...list, ...list]),
  "pages out of order": listsChanged((list) => list.toReversed()),
  "a cursor that does not move": changed((body) => JSON.stringify(body), { ...paging, limit: "3" }),
  "has_more for ever": changed((body) =>
    JSON.stringify(isRecord(body) ? { ...body, has_more: true } : body),
  ),
  "field missing": fieldChanged((record, name) => void delete record[name]),
  "field null": fieldChanged((record, name) => void (record[name] = null)),
  "field of another type": fieldChanged(
    (record, name) => void (record[name] = withOtherType(record[name])),
  ),
  "unknown field": fieldChanged((record) => void (record["unheard_of"] = { a: [1] })),
  "lone surrogate": fieldChanged((record) => void (record["unheard_of"] = "\ud800")),
  [SURROGATE_IN_TEXT]: fieldChanged((record, name) => {
    if (typeof record[name] === "string") record[name] += "\ud800"
  }),
  "1e400": fieldChanged((record, name) => void (record[name] = raw("1e400"))),
  "a key twice": fieldChanged((record, name) => {
    const [one, other] = [record[name], withOtherValue(record[name])]
    record[name] = raw(`${JSON.stringify(one)},${JSON.stringify(name)}:${JSON.stringify(other)}`)
  }),
  "depth 10,000": fieldChanged(
    (record) => void (record["unheard_of"] = raw(`${"[".repeat(10_000)}${"]".repeat(10_000)}`)),
  ),
  "50 MB": always(({ response }) => flood(response)),
}

export const faultNames: ReadonlyArray<string> = Object.keys(faults)
