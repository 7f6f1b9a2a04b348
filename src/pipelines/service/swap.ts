// The swap (§2.11): checked, shown, and sent at most once. The journal records it before it is sent, and its result
// afterwards.
import { randomUUID } from "node:crypto"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { newRunId } from "../../domain/run/runId.ts"
import { ApiError } from "../../domain/wire/errors.ts"
import { isJsonObject, type JsonObject } from "../../domain/values/json.ts"
import { microsFromMillis } from "../../domain/values/time.ts"
import { UsageError } from "../../domain/UsageError.ts"
import { type DecodedResponse, ApiClient } from "../../extract/ApiClient.ts"
import type { Inputs } from "../../extract/Endpoint.ts"
import { swap } from "../../extract/endpoints/swap/swap.ts"
import type { Parameter } from "../../extract/Parameter.ts"
import { Transport } from "../../extract/http/Transport.ts"
import { type WireRequest, wireRequest, type WireSettings } from "../../extract/request.ts"
import { RequestBudget } from "../../extract/budget/RequestBudget.ts"
import { ResponseArchive } from "../../archive/ResponseArchive.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { archiveOf } from "../publication/archiveOf.ts"
import { openWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import {
  namesTransaction,
  type SwapRecord,
  swapRows,
  type SwapState,
} from "../../transform/tables/swaps/swaps.ts"
import { bookkeepingRows, commitMarkerOf } from "../run/task/bookkeeping.ts"
import { readInputs } from "./call.ts"
import type { Service } from "./clientOutsideRun.ts"
import { SWAP } from "../run/endDeadRuns.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"

/** A request that passed every rule that can be checked before sending. */
export interface CheckedSwap {
  readonly inputs: Inputs<(typeof swap)["parameters"]>
  readonly request: WireRequest
  /** Inputs that are allowed but probably a mistake. */
  readonly warnings: ReadonlyArray<string>
}

/** Checks a swap from typed text; sends nothing. */
export const checkSwap = (
  typed: Readonly<Record<string, string>>,
  wire: WireSettings,
): Result.Result<CheckedSwap, UsageError> =>
  Result.gen(function* () {
    const missing = Object.entries<Parameter<never>>(swap.parameters).flatMap(
      ([name, { required }]) => (required && typed[name] === undefined ? [flagOf(name)] : []),
    )
    if (missing.length > 0) {
      return yield* Result.fail(
        new UsageError({
          why: `A swap needs ${missing.join(", ")}.`,
          advice: HELP,
        }),
      )
    }
    const read = yield* readInputs(swap, typed)
    const request = yield* Result.mapError(
      wireRequest(swap, read, wire),
      ({ detail }) =>
        new UsageError({
          why: `${withFlag(detail)}.`,
          advice: HELP,
        }),
    )
    return { inputs: read as CheckedSwap["inputs"], request, warnings: warningsOf(typed) }
  })

const HELP = "Nothing was sent. See `vaulthouse swap --help`."

const flagOf = (input: string): string => `--${input.replaceAll("_", "-")}`

/** `source_token is not …`, with the flag that gives the input. */
const withFlag = (detail: string): string =>
  detail.replace(/^\w+/, (name) => (name in swap.parameters ? flagOf(name) : name))

const warningsOf = (typed: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const [source, destination] = [typed["source_amount"], typed["destination_amount"]]
  if (source === undefined && destination === undefined) {
    return ["neither an amount to give nor one to get is named; the service decides, or refuses"]
  }
  return source !== undefined && destination !== undefined
    ? ["both amounts are named; the document does not say which one the service goes by"]
    : []
}

export interface SwapOptions extends Service, Place {
  readonly version: string
  readonly inputs: CheckedSwap["inputs"]
  readonly request: WireRequest
}

/** The result of a swap that was sent. */
export interface SwapOutcome {
  readonly swapId: string
  readonly state: Exclude<SwapState, "sent">
  readonly subaccount: string
  readonly requestedAt: string
  readonly status: number | null
  /** The service's record of the swap, or what it sent instead. */
  readonly response: JsonObject | null
  readonly error: string | null
  /** Why the result is missing from the journal, if it could not be written. */
  readonly journalError: string | null
}

/** Sends it once, without retries. Fails only if nothing was sent. */
export const sendSwap = Effect.fnUntraced(function* (options: SwapOptions) {
  const runId = yield* newRunId
  const archive = Effect.map(Warehouse, ({ openedAt }) =>
    ResponseArchive.layer({
      store: archiveOf(options),
      runId,
      notBefore: openedAt,
    }),
  )
  const extract = ApiClient.layer(options.api).pipe(
    Layer.provideMerge(Layer.unwrap(archive)),
    Layer.provide(RequestBudget.layer({})),
    Layer.provide(Transport.layer(options.api.proxies)),
  )
  const load = openWarehouse({ ...placeOf(options), runId })
  return yield* journalled(options, runId).pipe(Effect.provide(Layer.provideMerge(extract, load)))
})

/** Uninterruptible from the first row of the journal to the last. */
const journalled = (options: SwapOptions, runId: string) =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const client = yield* ApiClient
      const { api, inputs, request, version } = options
      yield* warehouse.startRun({ command: SWAP, baseUrl: api.baseUrl, version })
      const startedAt = yield* Clock.currentTimeMillis
      const sent: SwapRecord = {
        swapId: randomUUID(),
        subaccountAddress: inputs.address.toLowerCase(),
        requestedAt: microsFromMillis(startedAt),
        completedAt: null,
        state: "sent",
        status: null,
        request: request.body ?? "{}",
        responseId: null,
        errorTag: null,
        errorText: null,
        response: {},
      }
      yield* warehouse.commit({ rows: [swapRows(sent)], bookkeeping: [] })
      // The row is in the database file before the request leaves, even if this process is killed.
      yield* (yield* Warehouse).exclusively("Writing the warehouse to disk", (session) =>
        session.checkpoint(),
      )
      const sending = yield* Effect.forkDetach(client.call(swap, inputs, inputs.address))
      const exit = yield* Fiber.await(sending)
      const completedAt = yield* Clock.currentTimeMillis
      const completed: SwapRecord = {
        ...sent,
        completedAt: microsFromMillis(completedAt),
        ...resultOf(exit),
      }
      const written = yield* Effect.result(
        record(runId, completed, exit, (completedAt - startedAt) / 1000),
      )
      return {
        swapId: sent.swapId,
        state: completed.state === "sent" ? "unknown" : completed.state,
        subaccount: inputs.address,
        requestedAt: new Date(startedAt).toISOString(),
        status: completed.status,
        response: isEmpty(completed.response) ? null : completed.response,
        error: completed.errorText,
        journalError: Result.isFailure(written) ? written.failure.message : null,
      } satisfies SwapOutcome
    }),
  )

type SwapExit = Exit.Exit<DecodedResponse<unknown>, unknown>

const responsesOf = (exit: SwapExit) => {
  if (Exit.isSuccess(exit)) return exit.value.responses
  const error = Cause.squash(exit.cause)
  return error instanceof ApiError ? error.responses : []
}

const isEmpty = (response: JsonObject): boolean => Object.keys(response).length === 0

/** The result to record, from the response or its absence. */
const resultOf = (
  exit: SwapExit,
): Pick<SwapRecord, "state" | "status" | "responseId" | "errorTag" | "errorText" | "response"> => {
  const last = responsesOf(exit).at(-1)
  const received = { status: last?.status ?? null, responseId: last?.responseId ?? null }
  if (Exit.isSuccess(exit)) {
    const response = isJsonObject(exit.value.value) ? exit.value.value : {}
    if (!namesTransaction(response)) {
      const what = isEmpty(response) ? "has no fields" : "names no transaction hash (§2.11)"
      const errorText = `the response ${what}, so the swap may have been executed or not`
      return { ...received, state: "unknown", errorTag: "ContractViolation", errorText, response }
    }
    return { ...received, state: "confirmed", errorTag: null, errorText: null, response }
  }
  const error = Cause.squash(exit.cause)
  const text = causeMessage(error)
  const errorTag = error instanceof ApiError ? error.reason._tag : "Unexpected"
  return { ...received, state: stateAfter(error), errorTag, errorText: text, response: {} }
}

// Statuses below 500 that leave open whether the swap was executed: a timeout, a failure elsewhere.
const undecided: ReadonlySet<number> = new Set([408, 424, 499])

/** Refused only if the service says so; anything else may have been executed. */
const stateAfter = (error: unknown): "refused" | "unknown" => {
  if (!(error instanceof ApiError)) return "unknown"
  const { status } = error
  return status !== undefined && status >= 400 && status < 500 && !undecided.has(status)
    ? "refused"
    : "unknown"
}

/** The journal's second row, the archive's index and the end of the run. */
const record = Effect.fnUntraced(function* (
  runId: string,
  completed: SwapRecord,
  exit: SwapExit,
  seconds: number,
) {
  const warehouse = yield* Warehouse
  const task = { pipeline: "swap", entity: completed.subaccountAddress, window: completed.swapId }
  const isConfirmed = completed.state === "confirmed"
  const result = {
    window: task.window,
    rows: [],
    responses: responsesOf(exit),
    requests: 1,
  }
  const recorded = {
    runId,
    ...task,
    endpoint: swap.name,
    outcome: isConfirmed ? ("landed" as const) : ("failed" as const),
    now: completed.completedAt ?? completed.requestedAt,
  }
  const archive = yield* ResponseArchive
  yield* archive.markCommit(commitMarkerOf(result, recorded))
  yield* warehouse.commit({
    task: {
      ...task,
      outcome: recorded.outcome,
      requests: 1,
      seconds,
      ...(completed.errorTag === null ? {} : { errorTag: completed.errorTag }),
      ...(completed.errorText === null ? {} : { errorText: completed.errorText }),
    },
    rows: [swapRows(completed)],
    bookkeeping: bookkeepingRows(result, recorded),
  })
  // The next run ends a segment that has no end, as after a commit that failed: it finds out whether that happened.
  yield* Effect.ignore(archive.end)
  yield* warehouse.finishRun(isConfirmed ? "complete" : "failed")
})
