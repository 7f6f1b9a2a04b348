// The directory of subaccounts: pages by offset that overlap, read again when the directory moved meanwhile. The
// pages of a walk that found it still land as one set, so that subaccounts that left have ended.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../domain/errors.ts"
import type { JsonObject } from "../../domain/json.ts"
import { type Answer, ApiClient } from "../../extract/ApiClient.ts"
import { subaccountDirectory } from "../../extract/endpoints/subaccounts/subaccount_directory.ts"
import {
  type OffsetWalks,
  overlappingOffsets,
} from "../../extract/paginators/overlappingOffsets.ts"
import type { MappedAnswer } from "../../transform/Source.ts"
import {
  directoryRows,
  directoryWindows,
} from "../../transform/tables/subaccounts/subaccountRecords.ts"
import { subaccounts } from "../../transform/tables/subaccounts/subaccounts.ts"
import { failedStep } from "../run/failedStep.ts"
import { asPart, landed } from "../run/landed.ts"
import type { Pipeline, RunContext, Step, Target } from "../Pipeline.ts"
import { once } from "../walks/targets.ts"

const PAGE = 1000
const OVERLAP = 100
const MAX_WALKS = 3

interface Page {
  readonly answer: Answer<ReadonlyArray<JsonObject>>
  readonly mapped: MappedAnswer
}

const askPage = Effect.fnUntraced(function* (
  { entity, subject }: Target<null>,
  { timeFields }: RunContext,
  offset: number,
) {
  const client = yield* ApiClient
  const inputs = { limit: PAGE, offset }
  const answer = yield* client.call(subaccountDirectory, inputs, subject)
  const mapped = yield* landed(subaccountsPipeline, { entity, subject, inputs, timeFields }, answer)
  return { content: { answer, mapped }, keys: addressesOf(mapped) }
})

const addressAt = subaccounts.columns.findIndex(({ name }) => name === "subaccount_address")

const addressesOf = ({ rows }: MappedAnswer): ReadonlyArray<string> =>
  rows.flatMap(({ columns }) => columns[addressAt] ?? []).map(String)

const readDirectory = Effect.fnUntraced(function* (target: Target<null>, context: RunContext) {
  const { failure, ...walks } = yield* overlappingOffsets({
    limit: PAGE,
    overlap: OVERLAP,
    maxWalks: MAX_WALKS,
    read: (offset) => askPage(target, context, offset),
  })
  if (failure?._tag === "ArchiveError") return yield* failure
  return toStep({ ...walks, failure })
})

const toStep = ({ read, settled, failure }: OffsetWalks<Page, ApiError>): Step => {
  const pages = settled ?? read
  const rows = pages.flatMap(({ mapped }) => mapped.rows)
  const found = rows.filter(({ length }) => length > 0)
  const answers = read.map(({ answer }) => answer)
  const step = {
    endpoint: subaccountDirectory.name,
    responses: answers.flatMap(({ responses }) => responses),
    requests: answers.reduce((sum, { attempts }) => sum + attempts, 0),
    drift: pages.flatMap(({ mapped }) => mapped.drift),
  }
  if (failure !== undefined) {
    const failed = failedStep(failure, directoryWindows.unsettled)
    return {
      ...failed,
      rows: found.map(asPart),
      responses: [...step.responses, ...failed.responses],
      requests: step.requests + failed.requests,
      drift: step.drift,
    }
  }
  if (settled === undefined) {
    return {
      ...step,
      window: directoryWindows.unsettled,
      outcome: "landed",
      rows: found.map(asPart),
      warning: `the directory changed during each of ${MAX_WALKS} readings: what was found is kept, and none that is missing is taken to have left`,
    }
  }
  return {
    ...step,
    window: directoryWindows.settled,
    outcome: found.length === 0 ? "empty" : "landed",
    // An empty directory is the runner's to believe.
    rows: found.length === 0 ? rows : found,
  }
}

export const subaccountsPipeline: Pipeline<null, ReadonlyArray<JsonObject>> = {
  name: "subaccounts",
  title: "Subaccount directory",
  tables: [subaccounts],
  endpoint: subaccountDirectory,
  after: [],
  targets: once,
  rows: directoryRows,
  steps: (target, _memory, context) => Stream.fromEffect(readDirectory(target, context)),
  expectedRequests: () => 1,
}
