// What the product makes of one response, and what must never become of it.
import * as Result from "effect/Result"
import { type JsonObject, parseJson } from "../../src/domain/values/json.ts"
import { defaultTimeFields } from "../../src/domain/wire/timeFields.ts"
import { decode } from "../../src/extract/decode.ts"
import { endpoints } from "../../src/extract/endpoints/index.ts"
import { pipelineOf } from "../../src/pipelines/archive/archivedRows.ts"
import { mapResponse } from "../../src/pipelines/strategies/mapResponse.ts"
import { namesTransaction, swapRows } from "../../src/transform/tables/swaps/swaps.ts"
import { type Before, lost, madeOf } from "./kept.ts"
import { asSent, heldBy, placesIn, unheld } from "./held.ts"

export interface Recorded {
  /** Of the endpoints that only a command requests, their name. */
  readonly pipeline: string
  readonly inputs: unknown
  readonly subject: unknown
  readonly window: string
  readonly body: string
}

export interface Tried {
  readonly outcome: "loaded" | "in part" | "refused"
  /** Rows whose values were compared with the response. */
  readonly rows: number
  readonly problems: ReadonlyArray<string>
}

const refused = (path: string, detail: string): Tried => ({
  outcome: "refused",
  rows: 0,
  problems:
    path === "" || detail === "" || detail.includes("can't be mapped") ? [`${path} ${detail}`] : [],
})

/** Sent by a command: a swap becomes a row of the journal, and the verification of a key none. */
const triedByHand = (name: string, body: string): Tried => {
  const endpoint = endpoints.find((each) => each.name === name)!
  const decoded = decode<unknown>(endpoint, parseJson(body))
  if (Result.isFailure(decoded)) return refused(decoded.failure.path, decoded.failure.detail)
  if (name !== "swap") return { outcome: "loaded", rows: 0, problems: [] }
  const response = decoded.success as JsonObject
  const rows = swapRows({
    swapId: "a",
    subaccountAddress: "b",
    requestedAt: 1,
    completedAt: 2,
    state: "confirmed",
    status: 200,
    request: "{}",
    responseId: "c",
    errorTag: null,
    errorText: null,
    response,
  })
  const sent = asSent(body)
  const problems = [...unheld(rows, placesIn(sent, "b"))]
  const isNamed = [...heldBy(sent).texts].some((text) => /^0x[0-9a-f]{64}$/.test(text))
  const at = rows.table.columns.findIndex((column) => column.name === "transaction_hash")
  if (namesTransaction(response) && !isNamed && rows.columns[at]?.[0] === null)
    problems.push("confirmed without a transaction")
  return { outcome: "loaded", rows: 1, problems }
}

const mapped = ({ pipeline: name, inputs, subject, window }: Recorded, body: string) => {
  const pipeline = pipelineOf(name)!
  return Result.flatMap(decode<unknown>(pipeline.endpoint, parseJson(body)), (value) =>
    mapResponse<unknown, unknown>((decoded, source) => pipeline.rows(decoded, source), value, {
      lineage: { responseId: "r", receivedAt: 1 },
      subject,
      inputs: inputs as Readonly<Record<string, unknown>>,
      timeFields: defaultTimeFields,
      window,
    }),
  )
}

const madeBefore = new Map<string, Before>()

/** What became of the response before it was changed. */
const before = (recorded: Recorded): Before => {
  const { inputs, subject, body } = recorded
  const name = JSON.stringify(recorded)
  const known = madeBefore.get(name)
  if (known !== undefined) return known
  const response = Result.getOrThrow(mapped(recorded, body))
  const made = madeOf(response, placesIn(asSent(body), inputs, subject))
  madeBefore.set(name, made)
  return made
}

/** Throws nothing, whatever the body is; if it does, that is what the test looks for. */
export const tried = (recorded: Recorded, body: string): Tried => {
  const { pipeline: name, inputs, subject } = recorded
  if (pipelineOf(name) === undefined) return triedByHand(name, body)
  const result = mapped(recorded, body)
  if (Result.isFailure(result)) return refused(result.failure.path, result.failure.detail)
  const { rows, rejected } = result.success
  const places = placesIn(asSent(body), inputs, subject)
  return {
    outcome: rejected.length > 0 ? "in part" : "loaded",
    rows: rows.reduce((sum, { length }) => sum + length, 0),
    problems: [
      ...(rejected.some(({ path, detail }) => path === "" || detail === "")
        ? ["a record was rejected without a reason"]
        : []),
      ...rows.flatMap((each) => unheld(each, places)),
      ...lost(before(recorded), result.success, places),
    ],
  }
}
