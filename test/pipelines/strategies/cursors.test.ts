// Cursors as ops.cursors stores them: what is written is read back, what another version wrote is none.
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { parseDay, parseInstant } from "../../../src/domain/values/time.ts"
import {
  cursorCodec,
  Day,
  Instant,
  leaving,
  leftAfter,
  LeftInQuarantine,
} from "../../../src/pipelines/strategies/cursors.ts"

const codec = cursorCodec(
  Schema.Struct({ through: Instant, from: Schema.optional(Day), pages: Schema.Int }),
)

describe("a cursor", () => {
  it("is stored as text that a person can read, and read back", () => {
    const cursor = {
      through: parseInstant("2026-06-01T12:00:00Z") ?? 0,
      from: parseDay("2026-01-31") ?? 0,
      pages: 3,
    }
    const stored: unknown = JSON.parse(JSON.stringify(codec.encode(cursor)))
    expect(stored).toEqual({ through: "2026-06-01T12:00:00.000Z", from: "2026-01-31", pages: 3 })
    expect(codec.decode(stored)).toEqual(cursor)
  })

  it.each([
    undefined,
    null,
    "2026-01-31",
    { pages: 3 },
    { through: "yesterday", pages: 3 },
    { through: "2026-06-01T12:00:00Z", from: "31.1.", pages: 3 },
  ])("of another version is none: %j", (stored) => {
    expect(codec.decode(stored)).toBeUndefined()
  })
})

describe("what a cursor leaves in quarantine", () => {
  const at = (text: string): number => parseInstant(text) ?? Number.NaN
  const early = at("2026-06-01T00:00:00Z")
  const late = at("2026-06-02T00:00:00Z")
  const page = (rejected: number, ...receivedAt: ReadonlyArray<number>) => ({
    rejected: Array.from({ length: rejected }, () => ({ path: "$", detail: "d", responseId: "r" })),
    responses: receivedAt.map((each) => ({ receivedAt: each })) as unknown as Parameters<
      typeof leftAfter
    >[1]["responses"],
  })

  it("grows with each page that has a rejected record, and never shrinks", () => {
    expect(leftAfter(null, page(0, late))).toBeNull()
    expect(leftAfter(early, page(0, late))).toBe(early)
    expect(leftAfter(null, page(1, early, late))).toBe(late)
    expect(leftAfter(late, page(1, early))).toBe(late)
  })

  it("is in the stored cursor, whatever else is, as the instant of the latest", () => {
    const stored = { through: "2026-05-31T00:00:00.000Z", pages: 3, leftInQuarantine: null }
    const first = leaving(stored, early)
    expect(first).toEqual({ ...stored, leftInQuarantine: "2026-06-01T00:00:00.000Z" })
    expect(leaving(first, late)).toEqual({
      ...stored,
      leftInQuarantine: "2026-06-02T00:00:00.000Z",
    })
    expect(leaving(leaving(first, late), early)).toEqual(leaving(first, late))
    // A cursor that is no object, or of another version, stays as it is.
    for (const other of ["2026-06-01", null, 7, { leftInQuarantine: "yesterday" }]) {
      expect(leaving(other, early)).toEqual(other)
    }
    const left = cursorCodec(Schema.Struct({ leftInQuarantine: LeftInQuarantine }))
    expect(left.decode(first)).toEqual({ leftInQuarantine: early })
  })
})
