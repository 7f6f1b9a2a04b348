// When scheduled runs start: cron firings, one catch-up, one run at a time, and what a restart knows.
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Cron from "effect/Cron"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"
import * as TestClock from "effect/testing/TestClock"
import {
  dueGroups,
  type Group,
  type LastStarts,
  nextFirings,
} from "../../../src/pipelines/schedule/groups.ts"
import { schedule } from "../../../src/pipelines/schedule/schedule.ts"

const at = (text: string): number => Date.parse(`2026-03-01T${text}Z`)
const group = (name: Group["name"], cron: string): Group => ({
  name,
  cron: Cron.parseUnsafe(cron, "UTC"),
  pipelines: [name],
})
const hourly = group("hourly", "7 * * * *")
const daily = group("daily", "30 2 * * *")

describe("groups", () => {
  it("are due once per firing, however many were missed", () => {
    const names = (starts: LastStarts, now: number) =>
      dueGroups([hourly, daily], starts, now).map(({ name }) => name)
    expect(names(new Map(), at("00:00:00"))).toEqual(["hourly", "daily"])
    const started = new Map([
      ["hourly", at("01:07:00")],
      ["daily", at("01:07:00")],
    ])
    expect(names(started, at("01:30:00"))).toEqual([])
    expect(names(started, at("02:07:00"))).toEqual(["hourly"])
    expect(names(started, at("09:00:00"))).toEqual(["hourly", "daily"])
  })

  it("are due if their last start is still to come, since the clock was ahead then, or no instant", () => {
    const started = new Map([
      ["hourly", at("11:07:00")],
      ["daily", Number.NaN],
    ])
    expect(dueGroups([hourly, daily], started, at("01:30:00"))).toEqual([hourly, daily])
  })

  it("fire in UTC, the next firing strictly later", () => {
    expect(nextFirings(hourly, at("01:07:00"), 2)).toEqual([at("02:07:00"), at("03:07:00")])
  })
})

interface Started {
  readonly groups: string
  readonly minute: string
}

/** A schedule under the test clock whose runs take `minutes`; what it started, and its stored state. */
const scheduled = (minutes: number, initial: LastStarts = new Map()) =>
  Effect.gen(function* () {
    const starts = yield* Ref.make(initial)
    const runs = yield* Ref.make<ReadonlyArray<Started>>([])
    const options = {
      groups: [hourly, daily],
      jitterSeconds: 0,
      lastStarts: Ref.get(starts),
      recordStarts: (next: LastStarts) => Effect.as(Ref.set(starts, next), true),
      run: (due: ReadonlyArray<Group>) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const minute = new Date(now).toISOString().slice(11, 16)
          yield* Ref.update(runs, (all) => [
            ...all,
            { groups: due.map(({ name }) => name).join("+"), minute },
          ])
          yield* Effect.sleep(`${minutes} minutes`)
          return due
        }),
    }
    return { options, starts, runs }
  })

describe("schedule", () => {
  it.effect("starts each group at its firings, together where they coincide", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("00:00:00"))
      const { options, runs } = yield* scheduled(1)
      const fiber = yield* Effect.forkChild(schedule(options))
      yield* TestClock.adjust("3 hours")
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(runs)).toEqual([
        { groups: "hourly+daily", minute: "00:00" },
        { groups: "hourly", minute: "00:07" },
        { groups: "hourly", minute: "01:07" },
        { groups: "hourly", minute: "02:07" },
        { groups: "daily", minute: "02:30" },
      ])
    }),
  )

  it.effect("waits for a firing to the last millisecond", () =>
    Effect.gen(function* () {
      // Its sleeps end a millisecond before.
      yield* TestClock.setTime(at("00:06:00") - 1)
      const started = new Map([
        ["hourly", at("00:06:00") - 2],
        ["daily", at("00:06:00") - 2],
      ])
      const { options, runs } = yield* scheduled(1, started)
      let waits = 0
      const onIdle = () => Effect.sync(() => void (waits += 1))
      const fiber = yield* Effect.forkChild(schedule({ ...options, onIdle }))
      yield* TestClock.adjust("1 minute")
      expect(yield* Ref.get(runs)).toEqual([])
      yield* TestClock.adjust("1 millis")
      expect(yield* Ref.get(runs)).toEqual([{ groups: "hourly", minute: "00:07" }])
      expect(waits).toBe(1)
      yield* Fiber.interrupt(fiber)
    }),
  )

  it.effect("never starts a run while one goes on, and catches up once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("00:06:00"))
      const before = new Map([
        ["hourly", at("00:06:00") - 1],
        ["daily", at("00:06:00") - 1],
      ])
      const { options, runs } = yield* scheduled(150, before)
      const fiber = yield* Effect.forkChild(schedule(options))
      yield* TestClock.adjust("3 hours")
      yield* Fiber.interrupt(fiber)
      // 00:07 runs until 02:37; 01:07, 02:07 and 02:30 were missed and make one run.
      expect(yield* Ref.get(runs)).toEqual([
        { groups: "hourly", minute: "00:07" },
        { groups: "hourly+daily", minute: "02:37" },
      ])
    }),
  )

  it.effect("runs again what was interrupted before it ended", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("00:00:00"))
      const { options, runs, starts } = yield* scheduled(10)
      const killed = yield* Effect.forkChild(schedule(options))
      yield* TestClock.adjust("5 minutes")
      yield* Fiber.interrupt(killed)
      expect(yield* Ref.get(starts)).toEqual(new Map())
      const fiber = yield* Effect.forkChild(schedule({ ...options, once: true }))
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(fiber)
      expect(yield* Ref.get(runs)).toHaveLength(2)
      expect([...(yield* Ref.get(starts)).keys()]).toEqual(["hourly", "daily"])
    }),
  )

  it.effect("repeats a run that failed after five minutes, until it reads the service", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("02:30:00"))
      const { options, runs } = yield* scheduled(0, new Map([["hourly", at("02:30:00")]]))
      const run = (due: ReadonlyArray<Group>) =>
        Effect.andThen(
          options.run(due),
          Effect.map(Ref.get(runs), ({ length }) => (length > 2 ? due : [])),
        )
      const announced: Array<string> = []
      const onIdle = (next: number) =>
        Effect.sync(() => announced.push(new Date(next).toISOString().slice(11, 16)))
      const fiber = yield* Effect.forkChild(schedule({ ...options, run, onIdle }))
      yield* TestClock.adjust("30 minutes")
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(runs)).toEqual(
        ["02:30", "02:35", "02:40"].map((minute) => ({ groups: "daily", minute })),
      )
      expect(announced).toEqual(["02:35", "02:40", "03:07"])
    }),
  )

  it.effect("repeats maintenance that failed after an hour", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("04:17:00"))
      const { options, runs } = yield* scheduled(0)
      const groups = [group("maintenance", "17 4 * * *")]
      const run = (due: ReadonlyArray<Group>) => Effect.as(options.run(due), [])
      const fiber = yield* Effect.forkChild(schedule({ ...options, groups, run }))
      yield* TestClock.adjust("150 minutes")
      yield* Fiber.interrupt(fiber)
      expect((yield* Ref.get(runs)).map(({ minute }) => minute)).toEqual([
        "04:17",
        "05:17",
        "06:17",
      ])
    }),
  )

  it.effect("repeats only the group that failed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("02:30:00"))
      const { options, runs } = yield* scheduled(0, new Map([["hourly", at("02:06:00")]]))
      const run = (due: ReadonlyArray<Group>) =>
        Effect.map(options.run(due), () => due.filter(({ name }) => name !== "daily"))
      const fiber = yield* Effect.forkChild(schedule({ ...options, run }))
      yield* TestClock.adjust("11 minutes")
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(runs)).toEqual([
        { groups: "hourly+daily", minute: "02:30" },
        { groups: "daily", minute: "02:35" },
        { groups: "daily", minute: "02:40" },
      ])
    }),
  )

  it.effect("runs the other group at its firing while one that failed waits, and the reverse", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("02:05:00"))
      const started = new Map([
        ["hourly", at("01:07:00")],
        ["daily", at("02:05:00") - 24 * 3_600_000],
      ])
      const { options, runs } = yield* scheduled(0, started)
      const run = (due: ReadonlyArray<Group>) =>
        Effect.map(options.run(due), () => due.filter(({ name }) => name !== "daily"))
      const fiber = yield* Effect.forkChild(schedule({ ...options, run }))
      yield* TestClock.adjust("6 minutes")
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(runs)).toEqual([
        { groups: "daily", minute: "02:05" },
        { groups: "hourly", minute: "02:07" },
        { groups: "daily", minute: "02:10" },
      ])
    }),
  )

  it.effect("goes on where its starts can't be recorded, and records them with the next", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("02:07:00"))
      const { options, runs, starts } = yield* scheduled(0)
      let isFull = true
      const recordStarts = (next: LastStarts) =>
        isFull ? Effect.succeed(false) : options.recordStarts(next)
      const fiber = yield* Effect.forkChild(schedule({ ...options, recordStarts }))
      yield* TestClock.adjust("1 hour")
      expect(yield* Ref.get(starts)).toEqual(new Map())
      isFull = false
      yield* TestClock.adjust("1 hour")
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(runs)).toEqual([
        { groups: "hourly+daily", minute: "02:07" },
        { groups: "daily", minute: "02:30" },
        { groups: "hourly", minute: "03:07" },
        { groups: "hourly", minute: "04:07" },
      ])
      expect(yield* Ref.get(starts)).toEqual(
        new Map([
          ["hourly", at("04:07:00")],
          ["daily", at("02:30:00")],
        ]),
      )
    }),
  )

  it.effect.each([
    ["a run", true],
    ["a run that failed", false],
  ] as const)("goes on when a clock that was ahead is set right after %s", ([, isRead]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("11:07:00"))
      const { options, runs } = yield* scheduled(0)
      const clock = yield* Clock.Clock
      let ahead = 0
      // A sleep lasts as long, whatever the time of day becomes meanwhile.
      const setBack: Clock.Clock = Object.assign(Object.create(clock) as Clock.Clock, {
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - ahead),
      })
      const run = (due: ReadonlyArray<Group>) =>
        Effect.as(options.run(due), ahead > 0 || isRead ? due : [])
      const fiber = yield* Effect.forkChild(
        Effect.provideService(
          schedule({ ...options, run, groups: [hourly] }),
          Clock.Clock,
          setBack,
        ),
      )
      yield* TestClock.adjust("70 seconds")
      ahead = 10 * 3_600_000
      yield* TestClock.adjust("1 hours")
      yield* Fiber.interrupt(fiber)
      expect((yield* Ref.get(runs)).map(({ minute }) => minute)).toEqual([
        "11:07",
        "01:08",
        "02:07",
      ])
    }),
  )

  it.effect("repeats a run that failed without the jitter, which is for firings", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("02:30:00"))
      const { options, runs } = yield* scheduled(0, new Map([["hourly", at("02:30:00")]]))
      const run = (due: ReadonlyArray<Group>) => Effect.as(options.run(due), [])
      const latest = { nextDoubleUnsafe: () => 0.999, nextIntUnsafe: () => 1 }
      const fiber = yield* Effect.forkChild(
        Effect.provideService(
          schedule({ ...options, run, jitterSeconds: 7200 }),
          Random.Random,
          latest,
        ),
      )
      yield* TestClock.adjust("5 minutes")
      expect((yield* Ref.get(runs)).map(({ minute }) => minute)).toEqual(["02:30", "02:35"])
      yield* Fiber.interrupt(fiber)
    }),
  )

  it.effect("repeats it while another group waits for its jitter", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("02:28:00"))
      const yesterday = at("02:30:00") - 86_400_000
      const { options, runs } = yield* scheduled(0, new Map([["daily", yesterday]]))
      const late = { nextDoubleUnsafe: () => 0.9, nextIntUnsafe: () => 1 }
      const run = (due: ReadonlyArray<Group>) => Effect.as(options.run(due), [])
      const fiber = yield* Effect.forkChild(
        Effect.provideService(
          schedule({ ...options, run, jitterSeconds: 3600 }),
          Random.Random,
          late,
        ),
      )
      yield* TestClock.adjust("10 minutes")
      expect((yield* Ref.get(runs)).map(({ minute }) => minute)).toEqual([
        "02:28",
        "02:33",
        "02:38",
      ])
      yield* Fiber.interrupt(fiber)
    }),
  )

  it.effect("delays a firing by a share of the jitter", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("00:00:00"))
      const before = new Map([
        ["hourly", at("00:00:00")],
        ["daily", at("00:00:00")],
      ])
      const { options, runs } = yield* scheduled(0, before)
      const half = { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 1 }
      const fiber = yield* Effect.forkChild(
        Effect.provideService(schedule({ ...options, jitterSeconds: 120 }), Random.Random, half),
      )
      yield* TestClock.adjust(at("00:08:00") - 1 - at("00:00:00"))
      expect(yield* Ref.get(runs)).toEqual([])
      yield* TestClock.adjust("1 millis")
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(runs)).toEqual([{ groups: "hourly", minute: "00:08" }])
    }),
  )

  it.effect("of one time says when the next run is, where nothing is due", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("00:06:00"))
      const started = new Map([
        ["hourly", at("00:06:00")],
        ["daily", at("00:06:00")],
      ])
      const { options, runs } = yield* scheduled(0, started)
      const announced: Array<number> = []
      const onIdle = (next: number) => Effect.sync(() => void announced.push(next))
      const fiber = yield* Effect.forkChild(schedule({ ...options, once: true, onIdle }))
      yield* TestClock.adjust("2 minutes")
      expect(fiber.pollUnsafe()).toBeDefined()
      expect(announced).toEqual([at("00:07:00")])
      expect(yield* Ref.get(runs)).toEqual([])
      yield* Fiber.interrupt(fiber)
    }),
  )
  it.effect("delays a firing by at most the jitter", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("00:00:00"))
      const before = new Map([
        ["hourly", at("00:00:00")],
        ["daily", at("00:00:00")],
      ])
      const { options, runs } = yield* scheduled(0, before)
      const fiber = yield* Effect.forkChild(schedule({ ...options, jitterSeconds: 120 }))
      yield* TestClock.adjust("6 minutes")
      yield* TestClock.adjust("59 seconds")
      expect(yield* Ref.get(runs)).toEqual([])
      yield* TestClock.adjust("2 minutes")
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.interrupt(fiber)
      expect(yield* Ref.get(runs)).toHaveLength(1)
    }),
  )
})
