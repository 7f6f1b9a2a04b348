// The request budget against a token bucket it does not know, with tasks of several pipelines that always want more,
// and against a service that fails; in simulated time.
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import { movedClock } from "../../../src/domain/run/movedClock.ts"
import { microsFromMillis } from "../../../src/domain/values/time.ts"
import { RequestBudget } from "../../../src/extract/budget/RequestBudget.ts"
import type { Failure } from "../../../src/extract/retry.ts"

const PER_SECOND = 20
const BURST = 20
const LATENCY_MILLIS = 40
const SECONDS = 150
const WARM_UP_SECONDS = 60
// Pipelines with many tasks and with one: the budget knows neither.
const tasksOf = { ratio_history: 30, apy_history: 12, fees: 5, loans: 1 }

interface Sent {
  readonly pipeline: string
  readonly at: number
  readonly status: 200 | 429
}

const spending = {
  endpoint: "fees",
  maxWaitMillis: 30_000,
  isSlow: false,
  expectsServerErrors: false,
  requestsLeft: 1,
}

const tooLarge: Failure = { reason: { _tag: "ResponseTooLarge", megabytes: 64 }, detail: "" }

/** Seconds that `count` requests of `millis` each take in all when sent at once. */
const timeOf = Effect.fnUntraced(function* (count: number, millis: number, isSlow: boolean) {
  const budget = yield* RequestBudget
  const startedAt = yield* Clock.currentTimeMillis
  const answer = Effect.as(Effect.sleep(millis), { status: 200, delaySeconds: undefined })
  const calls = Array.from({ length: count }, () => budget.spend(answer, { ...spending, isSlow }))
  let seconds = Infinity
  yield* Effect.forkChild(
    Effect.flatMap(Effect.all(calls, { concurrency: "unbounded" }), () =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        seconds = (now - startedAt) / 1000
      }),
    ),
  )
  yield* TestClock.adjust("2 hours")
  return seconds
})

describe("RequestBudget", () => {
  it.effect(
    "sends fewer at once when responses slow down, but not for reads that are slow by nature",
    () =>
      Effect.gen(function* () {
        yield* timeOf(200, 20, false)
        const slow = yield* timeOf(200, 20_000, true)
        const slowed = yield* timeOf(200, 20_000, false)
        expect(slow).toBeLessThan(300)
        expect(slowed).toBeGreaterThan(3 * slow)
      }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("sends as many at once where some endpoints are slower than others", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      let underWay = 0
      const request = (endpoint: string, millis: number) =>
        Effect.forever(
          budget.spend(
            Effect.gen(function* () {
              underWay += 1
              yield* Effect.sleep(millis)
              underWay -= 1
              return { status: 200, delaySeconds: undefined }
            }),
            { ...spending, endpoint },
          ),
        )
      const requests = Array.from({ length: 60 }, (_, at) =>
        at % 3 === 0 ? request("fees", 20) : request("positions", 900),
      )
      yield* Effect.forkScoped(Effect.all(requests, { concurrency: "unbounded" }))
      yield* TestClock.adjust("2 minutes")
      expect(underWay).toBeGreaterThan(24)
    }).pipe(Effect.scoped, Effect.provide(RequestBudget.layer())),
  )

  it.effect("sends fewer at once when requests fail slowly", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      yield* timeOf(200, 20, false)
      let underWay = 0
      let most = 0
      const lost = Effect.gen(function* () {
        underWay += 1
        most = Math.max(most, underWay)
        yield* Effect.sleep(30_000)
        underWay -= 1
        return yield* Effect.fail(tooLarge)
      })
      const request = Effect.ignore(budget.spend(lost, spending))
      yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 2000 }, () => request),
          { concurrency: "unbounded" },
        ),
      )
      yield* TestClock.adjust("1 minute")
      expect(most).toBeGreaterThan(16)
      most = 0
      yield* TestClock.adjust("4 minutes")
      most = underWay
      expect(most).toBeLessThan(8)
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("learns that more may be under way only from requests that fill what may be", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      const answers = { status: 200, delaySeconds: undefined }
      const { window: before } = yield* budget.learnt
      const one = budget.spend(Effect.as(Effect.sleep(10), answers), spending)
      const running = yield* Effect.forkChild(Effect.all(Array.from({ length: 100 }, () => one)))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(running)
      expect((yield* budget.learnt).window).toBe(before)
      const almost = Array.from({ length: before - 1 }, () => one)
      yield* Effect.forkScoped(Effect.all(almost, { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 second")
      expect((yield* budget.learnt).window).toBe(before)

      // The window is full when the last begins and when the first ends, but not when the last ends.
      const last = budget.spend(Effect.as(Effect.sleep(50), answers), spending)
      yield* Effect.forkScoped(Effect.all([...almost, last], { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 second")
      expect((yield* budget.learnt).window).toBe(before + 2)

      // The last fills the window, and the first ends while it does.
      const never = budget.spend(Effect.never, spending)
      const all = [one, ...Array.from({ length: before + 1 }, () => never)]
      yield* Effect.forkScoped(Effect.all(all, { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 second")
      expect((yield* budget.learnt).window).toBe(before + 3)
    }).pipe(Effect.scoped, Effect.provide(RequestBudget.layer())),
  )

  it.effect("refuses like the service, whose pause is longer than the run waits", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      let sent = 0
      const refused = Effect.sync(() => {
        sent += 1
        return { status: 429, delaySeconds: 3600 }
      })
      yield* budget.spend(refused, spending)
      const failure = yield* Effect.flip(budget.spend(refused, spending))
      expect(failure).toMatchObject({
        reason: { _tag: "RateLimited", delaySeconds: 900 },
        status: 429,
        isFinal: true,
      })
      expect(failure.detail).toContain("asks to wait at least 15 min, longer than the 30 s")
      expect(sent).toBe(1)
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("says of a pause what asked for it", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      const after = (status: number, delaySeconds: number, millis: number) =>
        Effect.andThen(
          TestClock.adjust(millis),
          budget.spend(Effect.succeed({ status, delaySeconds }), spending),
        )
      yield* after(429, 1, 0)
      yield* after(503, 3600, 2000)
      expect(yield* Effect.flip(after(200, 0, 1000))).toMatchObject({
        reason: { _tag: "RateLimited", delaySeconds: 899 },
        status: 503,
        detail:
          "not sent: the service is unavailable and asks to wait at least 15 min, longer than the 30 s that a run waits",
      })
      yield* after(429, 3600, 899_000)
      const { status, detail } = yield* Effect.flip(after(200, 0, 0))
      expect(status).toBe(429)
      expect(detail).toContain("the service rate-limits every request and asks to wait")
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect.each([
    { statuses: [503, 503, 200], every: 2, seconds: 20 },
    // Those of one vault, whose requests are next to each other.
    { statuses: [503, 503, 503, 503, 200], every: 0.1, seconds: 0 },
    { statuses: [503, 200, 503, 200], every: 2, seconds: 0 },
    { statuses: [500, 500, 200], every: 2, seconds: 0 },
  ])("waits $seconds s where responses in $every s each are $statuses and ask for 20 s", (of) =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      let seconds = Infinity
      yield* Effect.forkChild(
        Effect.gen(function* () {
          for (const status of of.statuses) {
            const delaySeconds = status === 503 ? 20 : undefined
            const answer = Effect.as(Effect.sleep(of.every * 1000), { status, delaySeconds })
            yield* budget.spend(answer, spending)
          }
          const spent = of.statuses.length * of.every
          seconds = Math.round((yield* Clock.currentTimeMillis) / 1000 - spent)
        }),
      )
      yield* TestClock.adjust(60_000)
      expect(seconds).toBe(of.seconds)
      // It says nothing about the rate.
      expect((yield* budget.learnt).rate).toBe(Infinity)
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("waits for a service that is unavailable no longer than the run does", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      const of = { ...spending, maxWaitMillis: 120_000, expectsServerErrors: true }
      const unavailable = Effect.as(Effect.sleep(20), { status: 503, delaySeconds: 30 })
      const attempt = Effect.andThen(budget.spend(unavailable, of), Effect.sleep(30_000))
      const call = Effect.ignore(Effect.all([attempt, attempt, attempt, attempt]))
      const calls = Array.from({ length: 200 }, () => call)
      const running = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      yield* TestClock.adjust("5 minutes")
      expect(running.pollUnsafe()).toBeDefined()
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("lets no more under way at once while the service only fails", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      const failed = Effect.as(Effect.sleep(20), { status: 500, delaySeconds: undefined })
      const requests = Array.from({ length: 25 }, () => budget.spend(failed, spending))
      yield* Effect.forkChild(Effect.all(requests, { concurrency: "unbounded" }))
      yield* TestClock.adjust(5000)
      expect((yield* budget.learnt).window).toBe(8)
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("waits no longer though the clock is set back", () =>
    Effect.gen(function* () {
      let back = 0
      const setBack = movedClock(yield* Clock.Clock, () => -microsFromMillis(back))
      let sent = 0
      const spendTwice = Effect.gen(function* () {
        const budget = yield* RequestBudget
        const send = Effect.sync(() => ({ status: 200, delaySeconds: (sent += 1) }))
        yield* budget.spend(send, spending)
        back = 3_600_000
        yield* budget.spend(send, spending)
      })
      yield* Effect.forkChild(
        spendTwice.pipe(
          Effect.provide(RequestBudget.layer({ maxRequestsPerSecond: 1 })),
          Effect.provideService(Clock.Clock, setBack),
        ),
      )
      yield* TestClock.adjust(2000)
      expect(sent).toBe(2)
    }),
  )

  describe("stops sending to a service", () => {
    const sentOf = Effect.fnUntraced(function* (
      outcomes: ReadonlyArray<number | Failure>,
      options: Partial<typeof spending> = {},
    ) {
      const budget = yield* RequestBudget
      let sent = 0
      const requests = outcomes.map((outcome) =>
        Effect.ignore(
          budget.spend(
            Effect.suspend(() => {
              sent += 1
              return typeof outcome === "number"
                ? Effect.succeed({ status: outcome, delaySeconds: undefined })
                : Effect.fail(outcome)
            }),
            { ...spending, ...options },
          ),
        ),
      )
      const running = yield* Effect.forkChild(Effect.all(requests))
      // Less than the first pause.
      yield* TestClock.adjust(100)
      yield* Fiber.interrupt(running)
      return sent
    }, Effect.provide(RequestBudget.layer()))

    const times = <A>(count: number, outcome: A) => Array.from({ length: count }, () => outcome)
    const lost: Failure = { reason: { _tag: "Transport" }, detail: "ECONNRESET" }
    const timeout: Failure = {
      reason: { _tag: "Timeout", of: "attempt", seconds: 30 },
      detail: "no response",
    }

    it.effect("that fails thirty requests in a row, or never responds to the first four", () =>
      Effect.gen(function* () {
        expect(yield* sentOf(times(40, 500))).toBe(30)
        expect(yield* sentOf(times(40, lost))).toBe(4)
        expect(yield* sentOf(times(40, timeout))).toBe(4)
        expect(yield* sentOf([200, ...times(40, timeout)])).toBe(31)
        expect(yield* sentOf([...times(29, 503), 404, ...times(40, 599)])).toBe(60)
      }),
    )

    it.effect("but not for what says nothing of the service", () =>
      Effect.gen(function* () {
        expect(yield* sentOf(times(40, 404))).toBe(40)
        expect(yield* sentOf(times(40, 500), { expectsServerErrors: true })).toBe(40)
        expect(yield* sentOf(times(40, timeout), { isSlow: true })).toBe(40)
        expect(yield* sentOf(times(40, lost), { isSlow: true })).toBe(4)
        expect(yield* sentOf(times(40, tooLarge))).toBe(40)
      }),
    )
  })

  it.effect("refuses like a service that has refused for longer than the run waits", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      const refused = Effect.succeed({ status: 429, delaySeconds: 20 })
      const running = yield* Effect.forkChild(
        Effect.flip(Effect.forever(budget.spend(refused, spending))),
      )
      yield* TestClock.adjust("20 seconds")
      expect(running.pollUnsafe()).toBeDefined()
      expect(yield* Fiber.join(running)).toMatchObject({
        reason: { _tag: "RateLimited", delaySeconds: 20 },
        detail:
          "not sent: the service rate-limits every request and has done so for 40 s with the 20 s that it asks to wait now, longer than the 30 s that a run waits",
      })
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("waits for as long as the run does, and no longer", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      let sent = 0
      const refused = Effect.sync(() => {
        sent += 1
        return { status: sent === 1 ? 429 : 200, delaySeconds: 30 }
      })
      const running = yield* Effect.forkChild(
        Effect.andThen(budget.spend(refused, spending), budget.spend(refused, spending)),
      )
      yield* TestClock.adjust(29_999)
      expect(sent).toBe(1)
      yield* TestClock.adjust(1)
      expect(running.pollUnsafe()).toBeDefined()
      expect((yield* Fiber.join(running)).status).toBe(200)
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("sends as many at once after quick failures, and after those of slow reads", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      const { window: before } = yield* budget.learnt
      const failing = (millis: number) =>
        Effect.andThen(Effect.sleep(millis), Effect.fail(tooLarge))
      const quick = Effect.ignore(budget.spend(failing(10), spending))
      const slow = Effect.ignore(budget.spend(failing(60_000), { ...spending, isSlow: true }))
      const running = yield* Effect.forkChild(
        Effect.all(Array.from({ length: 20 }, () => Effect.andThen(quick, slow))),
      )
      yield* TestClock.adjust("1 hour")
      yield* Fiber.join(running)
      expect((yield* budget.learnt).window).toBe(before)
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("reports the rate it keeps to, as soon as a 429 has changed it, and in the end", () => {
    const limits = Effect.map(Metric.snapshot, (all) =>
      all
        .filter(({ id }) => id === "vaulthouse_request_limit_per_second")
        .map(({ state }) => state),
    )
    const given = RequestBudget.layer({ maxRequestsPerSecond: 10 })
    return Effect.gen(function* () {
      yield* Effect.scoped(Layer.build(given))
      expect(yield* limits).toEqual([{ value: 10 }])
      yield* Effect.gen(function* () {
        const budget = yield* RequestBudget
        for (const status of [200, 429]) {
          yield* budget.spend(Effect.succeed({ status, delaySeconds: 1 }), spending)
          yield* TestClock.adjust(100)
        }
        expect(yield* limits).toEqual([{ value: 5 }])
      }).pipe(Effect.provide(given))
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  })

  it.effect("sends hardly any to a service that fails every request", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      let sent = 0
      const failing = Effect.gen(function* () {
        sent += 1
        yield* Effect.sleep(10)
        return { status: 500, delaySeconds: undefined }
      })
      const running = yield* Effect.forkChild(Effect.forever(budget.spend(failing, spending)))
      yield* TestClock.adjust("25 seconds")
      yield* Fiber.interrupt(running)
      expect(sent).toBeGreaterThan(30)
      expect(sent).toBeLessThan(40)
    }).pipe(Effect.provide(RequestBudget.layer())),
  )

  it.effect("sends those of tasks with the most requests left first", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      const order: Array<string> = []
      const request = (name: string, requestsLeft: number) =>
        budget.spend(
          Effect.gen(function* () {
            order.push(name)
            yield* Effect.sleep(100)
            return { status: 200, delaySeconds: undefined }
          }),
          { ...spending, requestsLeft },
        )
      const long = Effect.forEach([1, 2, 3], (page) => request(`long ${page}`, 5 - page))
      const others = Effect.forEach([1, 2, 3, 4], (other) => request(`other ${other}`, 1), {
        concurrency: "unbounded",
      })
      const running = yield* Effect.forkChild(Effect.all([others, long], { concurrency: 2 }))
      const waiting = yield* Effect.forkChild(request("interrupted", 9))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(running)
      // What comes next in the queue takes the slot while a task turns to its next page.
      expect(order).toEqual([
        "other 1",
        "long 1",
        "other 2",
        "long 2",
        "other 3",
        "long 3",
        "other 4",
      ])
    }).pipe(Effect.provide(RequestBudget.layer({ concurrency: 1 }))),
  )

  it.effect("uses what the service allows, with few 429s, and starves no pipeline", () =>
    Effect.gen(function* () {
      const budget = yield* RequestBudget
      const sent: Array<Sent> = []
      let tokens = BURST
      let filledAt = 0
      const request = (pipeline: string) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          tokens = Math.min(BURST, tokens + ((at - filledAt) * PER_SECOND) / 1000)
          filledAt = at
          const status = tokens >= 1 ? 200 : 429
          if (status === 200) tokens -= 1
          sent.push({ pipeline, at, status })
          yield* Effect.sleep(LATENCY_MILLIS)
          return { status, delaySeconds: undefined }
        })
      const tasks = Object.entries(tasksOf).flatMap(([pipeline, count]) =>
        Array.from({ length: count }, () =>
          Effect.forever(budget.spend(request(pipeline), { ...spending, endpoint: pipeline })),
        ),
      )
      const running = yield* Effect.forkChild(Effect.all(tasks, { concurrency: "unbounded" }))
      yield* TestClock.adjust(SECONDS * 1000)
      yield* Fiber.interrupt(running)

      const afterWarmUp = sent.filter(({ at }) => at >= WARM_UP_SECONDS * 1000)
      const passed = afterWarmUp.filter(({ status }) => status === 200)
      expect(passed.length / (SECONDS - WARM_UP_SECONDS)).toBeGreaterThan(0.95 * PER_SECOND)
      expect(1 - passed.length / afterWarmUp.length).toBeLessThan(0.01)
      const all = Object.values(tasksOf).reduce((sum, count) => sum + count, 0)
      for (const [pipeline, count] of Object.entries(tasksOf)) {
        const share = passed.filter((each) => each.pipeline === pipeline).length / passed.length
        expect(share, pipeline).toBeGreaterThan((0.8 * count) / all)
      }
    }).pipe(Effect.provide(RequestBudget.layer())),
  )
})
