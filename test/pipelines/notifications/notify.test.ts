// What receivers get over several runs, each of which knows the earlier ones from the data directory alone.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { problemKinds } from "../../../src/domain/run/problem.ts"
import { noProxies } from "../../../src/domain/wire/proxies.ts"
import type { Health } from "../../../src/pipelines/publication/health.ts"
import {
  notify,
  type NotifyOptions,
  type RunEnd,
} from "../../../src/pipelines/notifications/notify.ts"
import { type Receiver, receiver, type Respond, status } from "../../support/servers/receiver.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { untilSo } from "../../support/until.ts"

const key = "sk-live-27182818284590"
const webhook = (url: string) => ({
  webhook: Redacted.make(url, { label: "here" }),
  on: problemKinds,
  remindAfter: undefined,
})

const longAgo = "1969-12-01T00:00:00Z"
const well: Health = {
  as_of: longAgo,
  freshness: [],
  failing: [],
  gaps: [],
  quarantine: [],
  failed_checks: [],
  run_ends: [],
}

/** A data directory whose health a test sets, and notifications of it. */
const runs = Effect.fnUntraced(function* (receivers: NotifyOptions["receivers"]) {
  const dataDir = yield* temporaryFolder
  const runWith = (health: Health, end: RunEnd = { isSuccess: false }) => {
    writeFileSync(join(dataDir, "health.json"), JSON.stringify(health))
    return notify({ receivers, dataDir, proxies: noProxies, apiKey: Redacted.make(key) }, end)
  }
  /** A run that leaves these checks failed. */
  const run = (names: ReadonlyArray<string>, end?: RunEnd) => {
    const failed_checks = names.map((name) => ({
      name,
      severity: "error" as const,
      failures: 1,
      since: longAgo,
    }))
    return runWith({ ...well, failed_checks }, end)
  }
  return { dataDir, run, runWith, sentFile: join(dataDir, "notifications.json") }
})

/** What it was sent: events with the problems they are about. */
const sentTo = ({ bodies }: Receiver) =>
  bodies.map(({ event, problems }) => [event, ...problems.map(({ subject }) => subject)])

const failingAt =
  (...numbers: ReadonlyArray<number>): Respond =>
  (response, number) =>
    status(numbers.includes(number) ? 404 : 200)(response, number)

describe("notifications", () => {
  it.effect("one when a problem begins, none while it lasts, one when it is resolved", () =>
    Effect.gen(function* () {
      const to = yield* receiver()
      const { run } = yield* runs([webhook(to.url)])
      expect(yield* run(["a"])).toEqual([
        { receiver: "webhook here (notify[0])", state: "ok", detail: "HTTP 200" },
      ])
      expect(yield* run(["a"])).toEqual([])
      yield* run(["a", "b"])
      yield* run(["b"])
      yield* run([])
      yield* run([])
      expect(sentTo(to)).toEqual([
        ["problem", "a"],
        ["problem", "b"],
        ["resolved", "a"],
        ["resolved", "b"],
      ])
      expect(to.bodies.map(({ open_problems }) => open_problems)).toEqual([1, 2, 1, 0])
    }),
  )

  it.effect("of every kind of problem, in one message, and for each receiver those it wants", () =>
    Effect.gen(function* () {
      const all = yield* receiver()
      const some = yield* receiver()
      const on = ["stale", "permanent_gap"] as const
      const { dataDir, runWith } = yield* runs([webhook(all.url), { ...webhook(some.url), on }])
      const pipeline = "ratio_history"
      const where = { pipeline, since: longAgo, entities: 2, detail: "no point" }
      const range = { gaps: 3, ranges: [] }
      const postgres = join(dataDir, "postgres.json")
      writeFileSync(
        postgres,
        JSON.stringify({
          target: "a",
          run_id: null,
          error: "Publishing failed.",
          failing_since: longAgo,
        }),
      )
      writeFileSync(
        join(dataDir, "last-run.json"),
        JSON.stringify({
          run_id: "19691201T000000000Z-abcdef",
          command: "sync",
          pid: 1,
          host: "elsewhere",
          started_at: longAgo,
          finished_at: longAgo,
          outcome: "partial",
          error: null,
          requests: 1,
          rows_inserted: 0,
          rows_revised: 0,
          seconds: 1,
          published: false,
          key_rejected: false,
          clock_ahead_seconds: 900,
          failed_checks: [],
        }),
      )
      yield* runWith({
        ...well,
        freshness: [
          {
            subject: "ratio",
            pipeline,
            newest_at: longAgo,
            target_hours: 3,
            entities: 2,
            example: "Alpha",
          },
        ],
        failing: [
          {
            pipeline,
            run_id: "19691201T000000000Z-abcdef",
            tasks: 3,
            failed: 1,
            waiting: 0,
            deferred: 1,
            is_refused: true,
            since: longAgo,
            failed_text: "HTTP 500",
            deferred_text: "HTTP 429",
          },
        ],
        gaps: [
          { ...where, ...range, state: "open" },
          { ...where, ...range, state: "permanent" },
        ],
        quarantine: [{ ...where, entries: 1, json_path: "$.points" }],
        failed_checks: [{ name: "a", severity: "warn", failures: 1, since: longAgo }],
      })
      const kinds = ({ bodies }: Receiver) =>
        bodies.map(({ problems }) => problems.map(({ kind }) => kind))
      expect(kinds(all)).toEqual([
        problemKinds.filter((kind) => kind !== "run_failed" && kind !== "clock_behind"),
      ])
      expect(kinds(some)).toEqual([["stale", "permanent_gap"]])
      rmSync(postgres)
      yield* runWith(well)
      expect(sentTo(some).at(-1)).toEqual(["resolved", "ratio", pipeline])
    }),
  )

  it.effect("each receiver gets its own: one that failed is sent it all after the next run", () =>
    Effect.gen(function* () {
      const first = yield* receiver()
      const second = yield* receiver(failingAt(1, 2))
      const { run } = yield* runs([webhook(first.url), webhook(second.url)])
      expect((yield* run(["a"])).map(({ state, detail }) => [state, detail])).toEqual([
        ["ok", "HTTP 200"],
        ["failed", "HTTP 404"],
      ])
      yield* run(["a", "b"])
      yield* run(["b", "c"])
      expect(sentTo(first)).toEqual([
        ["problem", "a"],
        ["problem", "b"],
        ["problem", "c", "a"],
      ])
      // What came and went meanwhile is not news.
      expect(sentTo(second).at(-1)).toEqual(["problem", "b", "c"])
    }),
  )

  it.effect("a delivery is recorded when it happened, while another goes on or is killed", () =>
    Effect.gen(function* () {
      const first = yield* receiver()
      const second = yield* receiver((): void => undefined)
      const { run, sentFile } = yield* runs([webhook(first.url), webhook(second.url)])
      const killed = yield* Effect.forkChild(run(["a"]))
      yield* untilSo("both got it", () => first.bodies.length + second.bodies.length === 2)
      yield* untilSo("the first is recorded", () => existsSync(sentFile))
      yield* Fiber.interrupt(killed)
      const next = yield* Effect.forkChild(run(["a"]))
      yield* untilSo("the second gets it again", () => second.bodies.length === 2)
      yield* Fiber.interrupt(next)
      expect(sentTo(first)).toEqual([["problem", "a"]])
    }),
  )

  it.effect(
    "no more than four messages an hour of lesser problems; the next one has what was held back",
    () =>
      Effect.gen(function* () {
        const to = yield* receiver()
        const { run } = yield* runs([webhook(to.url)])
        for (let at = 0; at < 9; at += 1) {
          yield* run(at % 2 === 0 ? ["a"] : [])
          yield* TestClock.adjust("5 minutes")
        }
        expect(sentTo(to)).toHaveLength(4)
        yield* TestClock.adjust("15 minutes")
        yield* run(["a", "b"])
        expect(sentTo(to).slice(4)).toEqual([["problem", "a", "b"]])
      }),
  )

  it.effect(
    "no more than four an hour to a receiver that responds too late, which may have them",
    () =>
      Effect.gen(function* () {
        const to = yield* receiver((response, number) => {
          if (number > 4) status(200)(response, number)
        })
        const { run } = yield* runs([webhook(to.url)])
        for (let at = 0; at < 10; at += 1) {
          const sent = to.bodies.length
          const running = yield* Effect.forkChild(run(["a"]))
          const isOver = () => running.pollUnsafe() !== undefined
          yield* untilSo("it is sent or held back", () => to.bodies.length > sent || isOver())
          yield* TestClock.adjust("5 minutes")
          yield* untilSo("the run ends", isOver)
        }
        expect(sentTo(to)).toEqual(Array.from({ length: 4 }, () => ["problem", "a"]))
        yield* TestClock.adjust("15 minutes")
        expect((yield* run(["a"])).map(({ state }) => state)).toEqual(["ok"])
        expect(yield* run(["a"])).toEqual([])
      }),
  )

  it.effect("a reminder after the time that the receiver sets", () =>
    Effect.gen(function* () {
      const to = yield* receiver()
      const { run } = yield* runs([{ ...webhook(to.url), remindAfter: 24 * 3600 }])
      for (let hour = 0; hour < 49; hour += 1) {
        yield* run(["a"])
        yield* TestClock.adjust("1 hour")
      }
      expect(sentTo(to)).toEqual([
        ["problem", "a"],
        ["reminder", "a"],
        ["reminder", "a"],
      ])
    }),
  )

  it.effect("a ping after every success, and after nothing else", () =>
    Effect.gen(function* () {
      const to = yield* receiver()
      const { run } = yield* runs([{ ping: Redacted.make(`${to.url}/5f2a`) }])
      yield* run([], { isSuccess: true })
      yield* run([], { isSuccess: false })
      yield* run([], { error: "the disk is full" })
      yield* run([], { isSuccess: true })
      expect(to.requests).toEqual(["GET /5f2a", "GET /5f2a"])
    }),
  )

  it.effect("an error that no file has a record of is a failed run", () =>
    Effect.gen(function* () {
      const to = yield* receiver()
      const { run } = yield* runs([webhook(to.url)])
      yield* run([], { error: `the disk is full: ${key}\nFree some space.` })
      yield* run([], { error: "the disk is still full" })
      yield* run([], { isSuccess: true })
      expect(sentTo(to)).toEqual([
        ["problem", "sync"],
        ["resolved", "sync"],
      ])
      expect(to.bodies[0]?.problems[0]?.text).toBe(
        "The last run failed: the disk is full: <redacted>.",
      )
    }),
  )

  it.effect("what was sent is known without the file while it can't be written", () =>
    Effect.gen(function* () {
      const to = yield* receiver()
      const { run, sentFile } = yield* runs([webhook(to.url)])
      mkdirSync(`${sentFile}.tmp`)
      expect(String(yield* Effect.flip(run(["a"])))).toContain("Recording the notifications")
      expect(yield* run(["a"])).toEqual([])
      rmSync(`${sentFile}.tmp`, { recursive: true })
      yield* run([])
      expect(existsSync(sentFile)).toBe(true)
      expect(sentTo(to)).toEqual([
        ["problem", "a"],
        ["resolved", "a"],
      ])
    }),
  )

  it.effect.each(["", "{", "[]", '{"x": 1}', '{"x": {"open": [{}], "messages": []}}'])(
    "a file that holds %j counts as empty",
    (content) =>
      Effect.gen(function* () {
        const to = yield* receiver()
        const { run, sentFile } = yield* runs([webhook(to.url)])
        writeFileSync(sentFile, content)
        yield* run(["a"])
        yield* run(["a"])
        expect(sentTo(to)).toEqual([["problem", "a"]])
        expect(readFileSync(sentFile, "utf8")).not.toContain(to.url)
      }),
  )
})
