// Which list of a response is the audit log, whose name the document withholds (§2.9).
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { auditLog } from "../../../../src/extract/endpoints/governance/audit_log.ts"

const entry = { timestamp: "2026-01-31T10:00:00Z", type: "role", summary: "granted" }
const { summary: _, ...noEntry } = entry

/** The body with the list as `entries`, or why there is none. */
const located = (body: unknown): unknown => {
  const { locate } = auditLog
  const found = locate?.(body) ?? Result.fail({ path: "", detail: "is not looked for" })
  return Result.isSuccess(found) ? found.success : `${found.failure.path} ${found.failure.detail}`
}

const lists = (names: string): string =>
  `$ must contain exactly one list of entries with timestamp, type, summary; candidates: ${names}`

describe("the list of a page of the audit log", () => {
  it.each(["entries", "events", "items"])("is that named %s, whatever it contains", (name) => {
    for (const list of [[], [entry], [noEntry], ["x"]]) {
      const body = { total: 1, log: [entry], [name]: list, has_more: true }
      expect(located(body)).toEqual({ total: 1, log: [entry], entries: list, has_more: true })
    }
    expect(located({ [name]: "none", log: [entry] })).toMatchObject({ entries: [entry] })
  })

  it("is the first of these names", () => {
    expect(located({ items: [1], events: [2], entries: [3] })).toEqual({
      items: [1],
      events: [2],
      entries: [3],
    })
  })

  it("is the only one of another name whose records are all entries", () => {
    const others = { roles: [noEntry], mixed: [entry, noEntry], names: ["x"], none: [] }
    expect(located({ ...others, log: [entry, entry] })).toEqual({
      ...others,
      entries: [entry, entry],
    })
  })

  it("is any where all are empty", () => {
    expect(located({ names: ["x"], log: [], count: 0 })).toEqual({
      names: ["x"],
      entries: [],
      count: 0,
    })
  })

  it("is unknown where two may be it, or none is", () => {
    expect(located({ log: [entry], more: [entry] })).toBe(lists("log, more"))
    expect(located({ log: [noEntry], more: [] })).toBe(lists("log, more"))
    expect(located({ log: [entry, "x"], names: ["x"] })).toBe(lists("log"))
    expect(located({ names: ["x"], count: 0 })).toBe(lists("none"))
    expect(located({})).toBe(lists("none"))
    expect(located([entry])).toBe("$ is not an object")
  })
})

it("a page says whether there is more in either spelling", () => {
  expect(located({ entries: [], hasMore: true })).toEqual({ entries: [], has_more: true })
  expect(located({ entries: [], hasMore: true, has_more: false })).toEqual({
    entries: [],
    has_more: false,
  })
  expect(located({ entries: [] })).toEqual({ entries: [] })
})

it("a page has at most two hundred entries, and at least one", () => {
  const { limit } = auditLog.parameters
  const isSent = (value: number) => Result.isSuccess(limit.validate(value))
  expect([0, 1, 200, 201].map(isSent)).toEqual([false, true, true, false])
})
