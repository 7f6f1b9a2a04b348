// The lists of vaults, one question a status (§4.2): land in core.vaults, which tells the other pipelines whom to
// ask about. Read whole they land as one set, so that vaults in neither of them have ended; a list that may be cut
// off is not whole.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../domain/errors.ts"
import type { JsonObject } from "../../domain/json.ts"
import { type Answer, ApiClient } from "../../extract/ApiClient.ts"
import { tokenizedVaults } from "../../extract/endpoints/vaults/tokenized_vaults.ts"
import { looksCutOff } from "../../extract/paginators/plausibleCap.ts"
import type { MappedAnswer } from "../../transform/Source.ts"
import { vaultReportedMetrics } from "../../transform/tables/vaults/vault_reported_metrics.ts"
import { vaults } from "../../transform/tables/vaults/vaults.ts"
import {
  vaultRows,
  wholeOfLists,
  wholeOfVaults,
} from "../../transform/tables/vaults/vaultRecords.ts"
import { failedStep } from "../run/failedStep.ts"
import { asPart, landed } from "../run/landed.ts"
import type { Memory, Pipeline, RunContext, Step, Target } from "../Pipeline.ts"
import { once } from "../walks/targets.ts"

// All the states there are (§3). A vault that is closed while they are read is in both, and the later one counts.
const statuses = ["active", "closed"] as const
type Status = (typeof statuses)[number]

interface List {
  readonly status: Status
  readonly answer: Answer<ReadonlyArray<JsonObject>>
  readonly mapped: MappedAnswer
}

interface Unread {
  readonly status: Status
  readonly failure: ApiError
}

const isRead = (list: List | Unread): list is List => "answer" in list
/** §4.2 tells of no limit, nor how to ask for what is beyond one. */
const mayLackVaults = ({ answer }: List): boolean => looksCutOff(answer.value.length)
const isEmpty = ({ mapped }: List): boolean => mapped.rows.every(({ length }) => length === 0)

const askList = Effect.fnUntraced(function* (
  { entity, subject }: Target<null>,
  { timeFields }: RunContext,
  status: Status,
) {
  const client = yield* ApiClient
  const inputs = { status }
  const answer = yield* client.call(tokenizedVaults, inputs, subject)
  const mapped = yield* landed(vaultsPipeline, { entity, subject, inputs, timeFields }, answer)
  return { status, answer, mapped } satisfies List
})

/** How many vaults a reading found in each list it could read. */
type Listed = Partial<Record<Status, number>>

const lastListed = ({ cursor, entity }: Memory): Listed =>
  (cursor(entity) as { readonly listed?: Listed } | undefined)?.listed ?? {}

const listedIn = (lists: ReadonlyArray<List>): Listed =>
  Object.fromEntries(lists.map(({ status, answer }) => [status, answer.value.length]))

const readLists = Effect.fnUntraced(function* (
  target: Target<null>,
  memory: Memory,
  context: RunContext,
) {
  const found = yield* Effect.forEach(statuses, (status) =>
    askList(target, context, status).pipe(
      // A list that fails leaves the other standing.
      Effect.catchTag("ApiError", (failure) => Effect.succeed<Unread>({ status, failure })),
    ),
  )
  const lists = found.filter(isRead)
  const empty = lists.filter(isEmpty)
  const before = lastListed(memory)
  // One list that is empty all at once ends nobody; that both are is the runner's to believe.
  const isWhole =
    lists.length === found.length &&
    !lists.some(mayLackVaults) &&
    (empty.length === lists.length || empty.every(({ status }) => before[status] === 0))
  const steps = isWhole
    ? [wholeStep(lists)]
    : found.map((list) =>
        isRead(list) ? partStep(list, before) : failedStep(list.failure, list.status),
      )
  const cursor = { entity: memory.entity, value: { listed: listedIn(lists) } }
  return steps.map((step, at): Step => (at === steps.length - 1 ? { ...step, cursor } : step))
})

const wholeStep = (lists: ReadonlyArray<List>): Step => ({
  window: wholeOfVaults,
  endpoint: tokenizedVaults.name,
  outcome: lists.every(isEmpty) ? "empty" : "landed",
  rows: wholeOfLists(lists.flatMap(({ mapped }) => mapped.rows)),
  responses: lists.flatMap(({ answer }) => answer.responses),
  requests: lists.reduce((sum, { answer }) => sum + answer.attempts, 0),
  drift: lists.flatMap(({ mapped }) => mapped.drift),
})

const partStep = (list: List, before: Listed): Step => {
  const { status, answer, mapped } = list
  const step = {
    window: status,
    endpoint: tokenizedVaults.name,
    rows: mapped.rows.filter(({ length }) => length > 0).map(asPart),
    responses: answer.responses,
    requests: answer.attempts,
    drift: mapped.drift,
  }
  if (mayLackVaults(list) && answer.value.length !== before[status]) {
    // Told once a count: a platform may well have just as many.
    const warning = `exactly ${answer.value.length} ${status} vaults, as if the list were cut off there; no vault is taken to have ended while it has so many`
    return { ...step, outcome: "landed", warning }
  }
  if (!isEmpty(list)) return { ...step, outcome: "landed" }
  if ((before[status] ?? 0) === 0) return { ...step, outcome: "empty" }
  const warning = `no ${status} vaults where there were ${before[status]} before; kept them until the next run is told the same`
  return { ...step, outcome: "suspicious_empty", warning }
}

export const vaultsPipeline: Pipeline<null, ReadonlyArray<JsonObject>> = {
  name: "vaults",
  title: "Vaults",
  tables: [vaults, vaultReportedMetrics],
  endpoint: tokenizedVaults,
  after: [],
  targets: once,
  rows: vaultRows,
  steps: (target, memory, context) => Stream.fromIterableEffect(readLists(target, memory, context)),
  expectedRequests: () => statuses.length,
}
