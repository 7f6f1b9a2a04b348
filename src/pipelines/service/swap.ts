// The swap (§2.11): checked, shown, and sent at most once. The journal says that it is about to be sent
// before it is, and what became of it after.
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { ApiError } from "../../domain/errors.ts"
import { isJsonObject } from "../../domain/json.ts"
import { microsFromMillis } from "../../domain/time.ts"
import { type Answer, ApiClient } from "../../extract/ApiClient.ts"
import type { Inputs } from "../../extract/Endpoint.ts"
import { swap } from "../../extract/endpoints/swap/swap.ts"
import { httpLayer } from "../../extract/http.ts"
import { type WireRequest, wireRequest, type WireSettings } from "../../extract/request.ts"
import { RequestBudget } from "../../extract/RequestBudget.ts"
import { ResponseArchive } from "../../extract/ResponseArchive.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { coreTables } from "../../transform/tables/index.ts"
import { type SwapRecord, swapRows, type SwapState } from "../../transform/tables/swaps/swaps.ts"
import { bookkeepingRows } from "../run/bookkeeping.ts"
import { readInputs } from "./call.ts"
import type { Service } from "./clientOutsideRun.ts"
import { InvalidCall } from "../InvalidCall.ts"
import { checkpoint } from "../run/checkpoint.ts"
import { newRunId } from "../run/run.ts"

/** A request that passed every rule that can be checked before sending. */
export interface CheckedSwap {
  readonly inputs: Inputs<(typeof swap)["parameters"]>
  readonly request: WireRequest
  /** Things that are allowed and probably meant otherwise. */
  readonly warnings: ReadonlyArray<string>
}

/** Checks a swap from text as it was typed; sends nothing. */
export const checkSwap = (
  typed: Readonly<Record<string, string>>,
  wire: WireSettings,
): Result.Result<CheckedSwap, InvalidCall> =>
  Result.gen(function* () {
    const read = yield* readInputs(swap, typed)
    const request = yield* Result.mapError(
      wireRequest(swap, read, wire),
      (wrong) =>
        new InvalidCall({
          why: "parameter" in wrong ? `${wrong.parameter} ${wrong.detail}.` : "No path.",
          advice: "Nothing was sent. See `vaulthouse swap --help`.",
        }),
    )
    return { inputs: read as CheckedSwap["inputs"], request, warnings: warningsOf(typed) }
  })

const warningsOf = (typed: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const [source, destination] = [typed["source_amount"], typed["destination_amount"]]
  if (source === undefined && destination === undefined) {
    return ["neither an amount to give nor one to get is named; the service decides, or refuses"]
  }
  return source !== undefined && destination !== undefined
    ? ["both amounts are named; the document does not say which one the service goes by"]
    : []
}

export interface SwapOptions extends Service {
  readonly dataDir: string
  readonly memoryLimit: string
  readonly version: string
  readonly inputs: CheckedSwap["inputs"]
  readonly request: WireRequest
}

/** What became of a swap that was sent. */
export interface SwapOutcome {
  readonly swapId: string
  readonly state: Exclude<SwapState, "sent">
  readonly subaccount: string
  readonly requestedAt: string
  readonly status: number | null
  /** The service's record of the swap, as served. */
  readonly answer: unknown
  readonly error: string | null
  /** Why the journal does not say so, when it could not be written again. */
  readonly journalError: string | null
}

/** Sends it: once, whatever becomes of it. Fails only where nothing was sent. */
export const sendSwap = Effect.fnUntraced(function* (options: SwapOptions) {
  const runId = yield* newRunId
  const archive = Effect.map(Warehouse, ({ openedAt }) =>
    ResponseArchive.layer({
      directory: join(options.dataDir, "raw"),
      runId,
      notBefore: openedAt,
    }),
  )
  const extract = ApiClient.layer(options.api).pipe(
    Layer.provideMerge(Layer.unwrap(archive)),
    Layer.provide(RequestBudget.layer({})),
    Layer.provide(httpLayer),
  )
  const load = Warehouse.layer({
    dataDir: options.dataDir,
    tables: coreTables,
    runId,
    memoryLimit: options.memoryLimit,
  })
  return yield* journalled(options, runId).pipe(Effect.provide(Layer.provideMerge(extract, load)))
})

/** From the first row of the journal to the last nothing interrupts it but the end of the process. */
const journalled = (options: SwapOptions, runId: string) =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const client = yield* ApiClient
      const { api, inputs, request, version } = options
      yield* warehouse.startRun({ command: "swap", baseUrl: api.baseUrl, version })
      const startedAt = yield* Clock.currentTimeMillis
      const sent: SwapRecord = {
        swapId: randomUUID(),
        subaccountAddress: inputs.address.toLowerCase(),
        requestedAt: microsFromMillis(startedAt),
        settledAt: null,
        state: "sent",
        status: null,
        request: request.body ?? "{}",
        responseId: null,
        errorTag: null,
        errorText: null,
        answer: {},
      }
      yield* warehouse.commit({ rows: [swapRows(sent)], bookkeeping: [] })
      // In the file itself before the request leaves, whatever becomes of this process.
      yield* checkpoint
      const asking = yield* Effect.forkDetach(client.call(swap, inputs, inputs.address))
      const exit = yield* Fiber.await(asking)
      const settledAt = yield* Clock.currentTimeMillis
      const settled: SwapRecord = {
        ...sent,
        settledAt: microsFromMillis(settledAt),
        ...settlementOf(exit),
      }
      const written = yield* Effect.result(
        record(runId, settled, exit, (settledAt - startedAt) / 1000),
      )
      return {
        swapId: sent.swapId,
        state: settled.state === "sent" ? "unknown" : settled.state,
        subaccount: inputs.address,
        requestedAt: new Date(startedAt).toISOString(),
        status: settled.status,
        answer: settled.state === "answered" ? settled.answer : null,
        error: settled.errorText,
        journalError: Result.isFailure(written) ? written.failure.message : null,
      } satisfies SwapOutcome
    }),
  )

type Asked = Exit.Exit<Answer<unknown>, unknown>

const responsesOf = (exit: Asked) => {
  if (Exit.isSuccess(exit)) return exit.value.responses
  const error = Cause.squash(exit.cause)
  return error instanceof ApiError ? error.responses : []
}

/** What the answer, or its absence, says. */
const settlementOf = (
  exit: Asked,
): Pick<SwapRecord, "state" | "status" | "responseId" | "errorTag" | "errorText" | "answer"> => {
  const response = responsesOf(exit).at(-1)
  const heard = { status: response?.status ?? null, responseId: response?.responseId ?? null }
  if (Exit.isSuccess(exit)) {
    const answer = isJsonObject(exit.value.value) ? exit.value.value : {}
    return { ...heard, state: "answered", errorTag: null, errorText: null, answer }
  }
  const error = Cause.squash(exit.cause)
  const text = error instanceof Error ? error.message : String(error)
  const errorTag = error instanceof ApiError ? error.reason._tag : "Unexpected"
  return { ...heard, state: stateAfter(error), errorTag, errorText: text, answer: {} }
}

// Statuses below 500 that leave open whether the swap was made: given up waiting, failed elsewhere.
const undecided: ReadonlySet<number> = new Set([408, 424, 499])

/** Refused only where the service says so itself; all else may have been executed. */
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
  settled: SwapRecord,
  exit: Asked,
  seconds: number,
) {
  const warehouse = yield* Warehouse
  const task = { pipeline: "swap", entity: settled.subaccountAddress, window: settled.swapId }
  const isAnswered = settled.state === "answered"
  const responses = responsesOf(exit)
  yield* (yield* ResponseArchive).flush
  yield* warehouse.commit({
    task: {
      ...task,
      outcome: isAnswered ? "landed" : "failed",
      requests: 1,
      seconds,
      ...(settled.errorTag === null ? {} : { errorTag: settled.errorTag }),
      ...(settled.errorText === null ? {} : { errorText: settled.errorText }),
    },
    rows: [swapRows(settled)],
    bookkeeping: bookkeepingRows(
      {
        window: task.window,
        endpoint: swap.name,
        outcome: isAnswered ? "landed" : "failed",
        rows: [],
        responses,
        requests: 1,
      },
      { runId, ...task, now: settled.settledAt ?? settled.requestedAt },
      [],
    ),
  })
  yield* warehouse.finishRun(isAnswered ? "complete" : "failed")
})
