// What a message says, and that texts of the service neither ping people nor break its formatting.
import { describe, expect, it } from "vitest"
import type { Problem } from "../../../src/domain/run/problem.ts"
import {
  type Message,
  messageOf,
  testMessage,
} from "../../../src/pipelines/notifications/message.ts"

const sender = { host: "batch-1", dataDir: "/srv/data", now: Date.parse("2026-03-01T03:37:12Z") }

const problem = (text: string, kind: Problem["kind"] = "run_partial"): Problem => ({
  kind,
  subject: "ratio_history",
  text,
  advice: "`vaulthouse doctor` shows why.",
  since: "2026-03-01T03:30:00.000Z",
})

const nothing = { begun: [], resolved: [], repeated: [], open: 0 }
const begun = (...problems: ReadonlyArray<Problem>): Message =>
  messageOf({ ...nothing, begun: problems, open: problems.length }, sender)

/** What is between the fences, and nothing else is. */
const blockOf = (text: string): string => {
  const parts = text.split("```")
  expect(parts).toHaveLength(3)
  return parts[1] ?? ""
}

describe("a message", () => {
  it("names what is new in its title, and says what to do", () => {
    const message = begun(problem("A."), problem("B.", "stale"), problem("C.", "stale"))
    expect(message.event).toBe("problem")
    expect(message.title).toBe("vaulthouse on batch-1: run partial, stale (2)")
    expect(message.message).toBe(
      [
        "New:",
        ...["A.", "B.", "C."].flatMap((text) => [`- ${text}`, "  `vaulthouse doctor` shows why."]),
        "",
        "/srv/data on batch-1, 2026-03-01 03:37:12 UTC",
      ].join("\n"),
    )
    expect(message.problems[0]).toEqual({ ...problem("A."), state: "new" })
    expect(message.open_problems).toBe(3)
  })

  it("joins what several pipelines report for one reason", () => {
    const of = (subject: string, tasks: string): Problem => ({
      ...problem(`${subject}: ${tasks} deferred: HTTP 429.`, "run_deferred"),
      subject,
    })
    const [message] = begun(
      problem("The service rejects the API key.", "key_rejected"),
      of("fees", "3 of 8 tasks"),
      of("roles", "1 task"),
      ...["a", "b", "c"].map((name) => of(name, "2 tasks")),
    ).message.split("\n\n")
    expect(message?.split("\n").filter((line) => line.startsWith("- "))).toEqual([
      "- The service rejects the API key.",
      "- fees, roles, a, b and 1 more: tasks deferred: HTTP 429.",
    ])
    // One alone says how many of its tasks it is about.
    expect(begun(of("fees", "3 of 8 tasks")).message).toContain(
      "- fees: 3 of 8 tasks deferred: HTTP 429.\n",
    )
  })

  it("names four pipelines that have one reason, and counts none that is not named", () => {
    const problems = ["a", "b", "c", "d"].map((subject) => ({
      ...problem(`${subject}: 2 tasks deferred: HTTP 429.`, "run_deferred"),
      subject,
    }))
    expect(begun(...problems).message).toContain("- a, b, c, d: tasks deferred: HTTP 429.\n")
  })

  it("tells what began from what is resolved and what lasts", () => {
    const resolved = messageOf({ ...nothing, resolved: [problem("A.")] }, sender)
    expect([resolved.event, resolved.title]).toEqual([
      "resolved",
      "vaulthouse on batch-1: resolved: run partial",
    ])
    expect(resolved.message).toMatch(/^Resolved:\n- A\.\n\n/)
    const reminder = messageOf({ ...nothing, repeated: [problem("A.")], open: 1 }, sender)
    expect([reminder.event, reminder.title]).toEqual([
      "reminder",
      "vaulthouse on batch-1: still: run partial",
    ])
    const both = messageOf(
      { ...nothing, begun: [problem("A.")], resolved: [problem("B.")] },
      sender,
    )
    expect(both.event).toBe("problem")
    expect(both.problems.map(({ text, state }) => [text, state])).toEqual([
      ["A.", "new"],
      ["B.", "resolved"],
    ])
  })

  it("a test has the same fields", () => {
    expect(Object.keys(testMessage(sender))).toEqual(Object.keys(begun(problem("A."))))
    expect(testMessage(sender)).toMatchObject({ event: "test", problems: [], open_problems: 0 })
  })

  it("pings nobody and stays in its block, whatever the service writes", () => {
    const hostile = "<!channel> & <@U123> @everyone @here ``` *x* `````` [a](http://b)"
    const { text, content, allowed_mentions, problems } = begun(problem(hostile))
    expect(blockOf(text)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)|@\w/)
    expect(blockOf(text)).toContain("&lt;!channel&gt; &amp; &lt;@\u200BU123&gt;")
    expect(blockOf(content)).not.toMatch(/@\w|``/)
    expect(allowed_mentions).toEqual({ parse: [] })
    // For programs, as it was.
    expect(problems[0]?.text).toBe(hostile)
  })

  it("has no control characters and no line break of the service", () => {
    const { message } = begun(problem("a\u001B[2Jb\r\nNew:\n- c\u202Ed"))
    expect(message.split("\n")[1]).toBe("- a [2Jb New: - c d")
  })

  it("is no longer than Discord takes, with hundreds of problems", () => {
    const many = Array.from({ length: 250 }, (_, at) => problem(`${at} ${"😀".repeat(400)}`))
    const { content, problems, message, open_problems } = begun(...many)
    expect(content.length).toBeLessThan(2000)
    expect(content.isWellFormed()).toBe(true)
    blockOf(content)
    expect(problems).toHaveLength(100)
    expect(open_problems).toBe(250)
    expect(message).toMatch(/^- 1 😀+…$/mu)
  })

  it("nor with long names of the host, the folder and kinds, and with many that must be broken", () => {
    const kinds = ["run_partial", "stale", "quarantine", "gap", "run_failed"] as const
    const problems = kinds.flatMap((kind) =>
      Array.from({ length: 20 }, (_, at) => problem(`${at} ${"@`".repeat(200)}`, kind)),
    )
    const long = { ...sender, host: "h".repeat(64), dataDir: `/${"@".repeat(4000)}/data` }
    const { content, message } = messageOf({ ...nothing, begun: problems, open: 100 }, long)
    expect(content.length).toBeLessThanOrEqual(2000)
    expect(content.length).toBeGreaterThan(1900)
    blockOf(content)
    expect(message).toMatch(/@\/data on h+, 2026-03-01 03:37:12 UTC$/)
  })

  it("has a line for each of ten problems, and counts those after them", () => {
    const linesOf = (count: number) =>
      begun(...Array.from({ length: count }, (_, at) => ({ ...problem(`${at}`), advice: "" })))
        .message.split("\n")
        .filter((line) => line.startsWith("- "))
    const ten = Array.from({ length: 10 }, (_, at) => `- ${at}`)
    expect(linesOf(10)).toEqual(ten)
    expect(linesOf(11)).toEqual([...ten, "- and 1 more"])
    expect(linesOf(12)).toEqual([...ten, "- and 2 more"])
  })

  it("has a line of 300 characters as it is, and cuts a longer one to as many", () => {
    const lineOf = (length: number) => begun(problem("x".repeat(length))).message.split("\n")[1]
    expect(lineOf(300)).toBe(`- ${"x".repeat(300)}`)
    expect(lineOf(301)).toBe(`- ${"x".repeat(299)}…`)
  })

  it("has the parts for what began, what is resolved and what lasts, and no advice on what is resolved", () => {
    const { message, problems } = messageOf(
      {
        begun: [problem("A.")],
        resolved: [problem("B.")],
        repeated: [problem("C."), { ...problem("D."), advice: "" }],
        open: 3,
      },
      sender,
    )
    expect(message).toBe(
      [
        "New:\n- A.\n  `vaulthouse doctor` shows why.",
        "Resolved:\n- B.",
        "Still there:\n- C.\n  `vaulthouse doctor` shows why.\n- D.",
        "/srv/data on batch-1, 2026-03-01 03:37:12 UTC",
      ].join("\n\n"),
    )
    expect(problems.map(({ text, state }) => [text, state])).toEqual([
      ["A.", "new"],
      ["C.", "open"],
      ["D.", "open"],
      ["B.", "resolved"],
    ])
  })
})
