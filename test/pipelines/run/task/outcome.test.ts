// What becomes of a task: of each error, of records that were rejected, and of responses that are empty, in a warehouse
// that has had rows and in one that has not.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Outcome } from "../../../../src/domain/run/outcome.ts"
import type { Rows } from "../../../../src/domain/table/table.ts"
import { ApiError, type ApiErrorReason } from "../../../../src/domain/wire/errors.ts"
import type { TaskResult } from "../../../../src/pipelines/model/TaskResult.ts"
import { isReadFailure, resolveOutcome } from "../../../../src/pipelines/run/task/outcome.ts"
import {
  batchOf,
  commit,
  descriptions,
  inWarehouse,
  readings,
  rows,
  rowsOf,
} from "../../../load/sample.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

const CACHE_SECONDS = 60
const key = { runId: "run-2", pipeline: "sample", entity: "a", window: "w" }
const circumstances = { now: 0, cacheSeconds: CACHE_SECONDS, hasFixedWindows: false }

const resultOf = (overrides: Partial<TaskResult>): TaskResult => ({
  window: "w",
  rows: [],
  responses: [],
  requests: 1,
  ...overrides,
})

const errorOf = (reason: ApiErrorReason, status?: number): ApiError =>
  new ApiError({
    reason,
    endpoint: "series",
    subject: "a",
    status,
    detail: "it said no",
    attempts: 1,
    responses: [],
  })

const ofVault = (overrides: Partial<Rows>, ...titles: ReadonlyArray<string>): Rows => ({
  ...rowsOf(
    descriptions,
    titles.map((title) => ({ vault_address: "a", title })),
  ),
  ...overrides,
})
const set = { mergeKey: { vault_address: "a" } }

const recorded = (
  outcome: Outcome,
  parts: Partial<Rows & { window: string; errorTag: string }>,
) => {
  const batch = batchOf([])
  const { window = "w", errorTag } = parts
  const task = { ...batch.task, entity: "a", window, outcome }
  return commit({ ...batch, task: errorTag === undefined ? task : { ...task, errorTag } })
}

const resolved = (result: Partial<TaskResult>, more: Partial<typeof circumstances> = {}) =>
  resolveOutcome(key, resultOf(result), { ...circumstances, ...more })

describe("a call that failed", () => {
  it.live(
    "leaves its reason, and is failed unless the reason is an absence, a lack or a wait",
    () =>
      Effect.gen(function* () {
        const expected: ReadonlyArray<readonly [ApiErrorReason, Outcome]> = [
          [{ _tag: "Unauthorized" }, "skipped"],
          [{ _tag: "Forbidden" }, "skipped"],
          [{ _tag: "NotConfigured", setting: "paths" }, "skipped"],
          [{ _tag: "NotFound", expected: true }, "empty"],
          [{ _tag: "NotFound", expected: false }, "failed"],
          [{ _tag: "Unsupported" }, "unsupported"],
          [{ _tag: "RateLimited", delaySeconds: 9 }, "deferred"],
          [{ _tag: "ContractViolation", path: "$[0]" }, "quarantined"],
          [{ _tag: "InvalidInput", parameter: "limit" }, "failed"],
          [{ _tag: "DependencyFailed" }, "failed"],
          [{ _tag: "ServerError" }, "failed"],
          [{ _tag: "UnexpectedStatus" }, "failed"],
          [{ _tag: "Timeout", of: "task", seconds: 1 }, "failed"],
          [{ _tag: "Transport" }, "failed"],
          [{ _tag: "ResponseTooLarge", megabytes: 64 }, "failed"],
          [{ _tag: "Defect" }, "failed"],
        ]
        const dataDir = yield* temporaryFolder
        yield* inWarehouse(
          dataDir,
          Effect.gen(function* () {
            for (const [reason, outcome] of expected) {
              const error = errorOf(reason)
              const found = yield* resolved({ error, rows: [ofVault({}, "A")] })
              // What was read before the error lands all the same.
              expect(found).toMatchObject({ outcome, errorTag: reason._tag, text: error.message })
              expect(found.rows).toHaveLength(1)
              expect(isReadFailure(error)).toBe(
                ["failed", "quarantined", "deferred"].includes(outcome),
              )
            }
          }),
        )
      }),
  )

  it.live(
    "with a 404 is suspicious where there were rows, of its window if windows are fixed",
    () =>
      Effect.gen(function* () {
        const error = errorOf({ _tag: "NotFound", expected: true }, 404)
        const dataDir = yield* temporaryFolder
        yield* inWarehouse(
          dataDir,
          Effect.gen(function* () {
            expect(yield* resolved({ error })).toMatchObject({ outcome: "empty" })
            expect(yield* resolved({ error, hadRows: true })).toMatchObject({
              outcome: "suspicious_empty",
              text: "it said no, where there were rows before; kept them",
            })
            const batch = batchOf([ofVault({}, "A")])
            yield* commit({ ...batch, task: { ...batch.task, entity: "a", window: "another" } })
          }),
        )
        yield* inWarehouse(
          dataDir,
          Effect.gen(function* () {
            expect(yield* resolved({ error })).toMatchObject({ outcome: "suspicious_empty" })
            expect(yield* resolved({ error }, { hasFixedWindows: true })).toMatchObject({
              outcome: "empty",
            })
            expect(yield* resolved({ error, hadRows: false })).toMatchObject({ outcome: "empty" })
          }),
          { runId: "run-2" },
        )
      }),
  )
})

it.live("a response with records that were rejected is quarantined, and the others land", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const rejected = { path: "$[3]", detail: "is no record", responseId: "r" }
    yield* inWarehouse(
      dataDir,
      Effect.gen(function* () {
        const one = yield* resolved({ rows: [ofVault({}, "A")], rejected: [rejected] })
        expect(one).toMatchObject({
          outcome: "quarantined",
          errorTag: "ContractViolation",
          text: "1 record is in quarantine because it is not as documented, at $[3]: is no record; the others landed",
        })
        expect(one.rows).toHaveLength(1)
        const two = yield* resolved({ rejected: [rejected, rejected] })
        expect(two.text).toMatch(/^2 records are in quarantine .* the first at \$\[3\]/)
        const landed = yield* resolved({ rows: [ofVault({}, "A")], warning: "some are late" })
        expect(landed).toMatchObject({ outcome: "landed", text: "some are late" })
      }),
    )
  }),
)

describe("an empty response", () => {
  it.live("of a series is suspicious where there were rows, and never ends it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const empty = { rows: [rowsOf(readings, [])] }
      yield* inWarehouse(
        dataDir,
        Effect.gen(function* () {
          expect(yield* resolved(empty)).toMatchObject({ outcome: "empty", rows: [] })
          expect(yield* resolved({ rows: [] })).toMatchObject({ outcome: "empty" })
          const { outcome, text } = yield* resolved({ ...empty, hadRows: true })
          expect([outcome, text]).toEqual([
            "suspicious_empty",
            "the response is empty where there were rows before; kept them",
          ])
          yield* recorded("suspicious_empty", {})
          const again = yield* resolved(
            { ...empty, hadRows: true },
            { now: Number.MAX_SAFE_INTEGER },
          )
          expect(again.outcome).toBe("suspicious_empty")
        }),
      )
    }),
  )

  it.live("of a set ends it once the next run gets the same after the cache time", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const empty = { rows: [ofVault(set)] }
      yield* inWarehouse(
        dataDir,
        Effect.gen(function* () {
          expect(yield* resolved(empty)).toMatchObject({ outcome: "empty" })
          yield* commit(batchOf([ofVault(set, "A")]))
          expect(yield* resolved(empty)).toMatchObject({
            outcome: "suspicious_empty",
            rows: [],
            text: expect.stringContaining(`a run ${CACHE_SECONDS} s later (§8) confirms it`),
          })
          yield* recorded("suspicious_empty", {})
        }),
      )
      yield* inWarehouse(
        dataDir,
        Effect.gen(function* () {
          const [task] = yield* rows(
            "select epoch_us(finished_at)::double as at from ops.tasks where entity = 'a'",
          )
          const confirmed = Number(task?.["at"]) + CACHE_SECONDS * 1_000_000
          expect(yield* resolved(empty, { now: confirmed - 1 })).toMatchObject({
            outcome: "suspicious_empty",
          })
          const ended = yield* resolved(empty, { now: confirmed })
          expect(ended).toMatchObject({ outcome: "empty", text: expect.stringContaining("ended") })
          // The empty set lands, which ends its rows.
          expect(ended.rows).toHaveLength(1)
          // Another window of the same partition has confirmed nothing.
          const other = resolveOutcome({ ...key, window: "x" }, resultOf(empty), {
            ...circumstances,
            now: confirmed,
          })
          expect((yield* other).outcome).toBe("suspicious_empty")
        }),
        { runId: "run-2" },
      )
    }),
  )

  it.live(
    "of a set that never had rows is empty beside a total, which lands, and read beside a warning",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const beside = (secondary: "total" | "warning") =>
          resolved({
            rows: [ofVault(set), { ...rowsOf(readings, [{ value: 1 }]), secondary }],
          })
        yield* inWarehouse(
          dataDir,
          Effect.gen(function* () {
            const { outcome, rows: kept } = yield* beside("total")
            expect([outcome, kept.length]).toEqual(["empty", 1])
            expect((yield* beside("warning")).outcome).toBe("landed")
          }),
        )
      }),
  )

  it.live("that holds a warning confirms nothing, neither itself nor in the next run", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const warned = {
        rows: [
          ofVault(set),
          { ...rowsOf(readings, [{ value: 1 }]), secondary: "warning" as const },
        ],
      }
      yield* inWarehouse(
        dataDir,
        Effect.gen(function* () {
          yield* commit(batchOf([ofVault(set, "A")]))
          yield* recorded("suspicious_empty", { errorTag: "Warned" })
        }),
      )
      yield* inWarehouse(
        dataDir,
        Effect.gen(function* () {
          const now = Number.MAX_SAFE_INTEGER
          expect(yield* resolved(warned, { now })).toMatchObject({
            outcome: "suspicious_empty",
            errorTag: "Warned",
          })
          expect(yield* resolved({ rows: [ofVault(set)] }, { now })).toMatchObject({
            outcome: "suspicious_empty",
          })
        }),
        { runId: "run-2" },
      )
    }),
  )
})
