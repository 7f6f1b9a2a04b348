// Cursors as ops.cursors stores them: what is written is read back, what another version wrote is none.
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { parseDay, parseInstant } from "../../../src/domain/values/time.ts"
import { cursorCodec, Day, Instant } from "../../../src/pipelines/strategies/cursors.ts"

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
