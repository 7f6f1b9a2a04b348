// When a receiver is sent a problem: when it begins, when it is resolved, and when it is due to be repeated.
import { describe, expect, it } from "vitest"
import { type Problem, problemKinds } from "../../../src/domain/run/problem.ts"
import {
  afterSending,
  problemChanges,
  isHeldBack,
  isNothing,
  nothingSent,
  type Sent,
} from "../../../src/pipelines/notifications/problemChanges.ts"

const HOUR = 3_600_000
const problem = (kind: Problem["kind"], subject = "x"): Problem => ({
  kind,
  subject,
  text: `${kind} ${subject}`,
  advice: "",
  since: null,
})
const receiver = { command: ["x"], on: problemKinds, remindAfter: undefined }

/** Sends what is new; what it was. */
const sending = (to = receiver as Parameters<typeof problemChanges>[0]) => {
  let sent: Sent = nothingSent
  return (now: number, ...problems: ReadonlyArray<Problem>) => {
    const changes = problemChanges(to, problems, sent, now)
    sent = afterSending(sent, changes, now)
    const texts = (of: ReadonlyArray<Problem>) => of.map(({ text }) => text)
    return {
      begun: texts(changes.begun),
      resolved: texts(changes.resolved),
      repeated: texts(changes.repeated),
    }
  }
}

const nothing = { begun: [], resolved: [], repeated: [] }

describe("a problem", () => {
  it("is new once, and resolved once", () => {
    const at = sending()
    const stale = problem("stale")
    expect(at(0, stale)).toEqual({ ...nothing, begun: ["stale x"] })
    expect(at(1, { ...stale, text: "later by now" })).toEqual(nothing)
    expect(at(2, stale, problem("stale", "y"))).toEqual({ ...nothing, begun: ["stale y"] })
    expect(at(3, problem("stale", "y"))).toEqual({ ...nothing, resolved: ["stale x"] })
    expect(at(4, stale, problem("stale", "y"))).toEqual({ ...nothing, begun: ["stale x"] })
  })

  it("of a kind that the receiver does not want is not sent", () => {
    const at = sending({ ...receiver, on: ["stale"] })
    expect(at(0, problem("run_failed"), problem("stale"))).toEqual({
      ...nothing,
      begun: ["stale x"],
    })
    expect(at(1)).toEqual({ ...nothing, resolved: ["stale x"] })
  })

  it("of tasks is not resolved by a run that failed as a whole, whether or not that is sent", () => {
    const partial = problem("run_partial")
    const failed = problem("run_failed", "sync")
    const all = sending()
    expect(all(0, partial, problem("run_deferred"), problem("stale"))).toMatchObject({
      resolved: [],
    })
    expect(all(1, failed)).toEqual({
      begun: ["run_failed sync"],
      repeated: [],
      resolved: ["stale x"],
    })
    expect(all(2, failed)).toEqual(nothing)
    expect(all(3, partial).resolved).toEqual(["run_deferred x", "run_failed sync"])
    const one = sending({ ...receiver, on: ["run_partial"] })
    expect(one(0, partial).begun).toEqual(["run_partial x"])
    expect(one(1, failed)).toEqual(nothing)
    expect(one(2)).toEqual({ ...nothing, resolved: ["run_partial x"] })
  })

  it("that lasts is repeated after the time the receiver sets, a permanent gap never", () => {
    const at = sending({ ...receiver, remindAfter: 24 * 3600 })
    const problems = [problem("stale"), problem("permanent_gap")]
    at(0, ...problems)
    expect(at(23.9 * HOUR, ...problems)).toEqual(nothing)
    expect(at(24 * HOUR, ...problems)).toEqual({ ...nothing, repeated: ["stale x"] })
    expect(at(47 * HOUR, ...problems)).toEqual(nothing)
    expect(at(48 * HOUR, ...problems)).toEqual({ ...nothing, repeated: ["stale x"] })
    const never = sending()
    never(0, ...problems)
    expect(never(1e6 * HOUR, ...problems)).toEqual(nothing)
  })

  it("is sent and repeated after messages that a clock days ahead has dated", () => {
    const daily = { ...receiver, remindAfter: 24 * 3600 }
    const ahead = 72 * HOUR
    let sent = nothingSent
    for (let at = 0; at < 4; at += 1) {
      sent = afterSending(sent, problemChanges(daily, [problem("gap")], sent, ahead), ahead)
    }
    const problems = [problem("gap"), problem("stale")]
    const changes = problemChanges(daily, problems, sent, HOUR)
    expect(changes).toMatchObject({ begun: [problem("stale")], repeated: [{ kind: "gap" }] })
    expect(isHeldBack(sent, changes, HOUR)).toBe(false)
    sent = afterSending(sent, changes, HOUR)
    expect(isNothing(problemChanges(daily, problems, sent, 2 * HOUR))).toBe(true)
  })

  it("that comes and goes reaches a receiver four times within an hour", () => {
    let sent = nothingSent
    let messages = 0
    for (let minute = 0; minute < 120; minute += 5) {
      const now = minute * 60_000
      const problems = minute % 10 === 0 ? [problem("stale")] : []
      const changes = problemChanges(receiver, problems, sent, now)
      if (isHeldBack(sent, changes, now)) continue
      messages += 1
      sent = afterSending(sent, changes, now)
    }
    expect(messages).toBe(8)
  })

  it.each([
    ["run_deferred", ["run_deferred", "", "key_rejected run_deferred"]],
    ["stale", ["stale", "", "stale", "", "key_rejected stale"]],
  ] as const)(
    "is reported although a lesser one has come and gone within the hour: %s",
    (kind, expected) => {
      let sent = nothingSent
      const messages: Array<string> = []
      for (let minute = 0; minute < 60; minute += 5) {
        const now = minute * 60_000
        const problems = [
          ...(minute >= 50 ? [problem("key_rejected")] : []),
          ...(minute % 10 === 0 ? [problem(kind)] : []),
        ]
        const changes = problemChanges(receiver, problems, sent, now)
        if (isNothing(changes) || isHeldBack(sent, changes, now)) continue
        messages.push(changes.begun.map((begun) => begun.kind).join(" "))
        sent = afterSending(sent, changes, now)
      }
      expect(messages).toEqual(expected)
    },
  )
})
