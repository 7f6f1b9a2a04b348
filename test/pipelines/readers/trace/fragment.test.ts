// The part of a response that a row was read from, whatever a service puts around it.
import { describe, expect, it } from "vitest"
import * as Result from "effect/Result"
import { parseJson } from "../../../../src/domain/values/json.ts"
import { findFragment, fragmentText } from "../../../../src/pipelines/readers/trace/fragment.ts"
import { loans } from "../../../../src/transform/tables/loans/loans.ts"

const parsed = (text: string): unknown => Result.getOrThrow(parseJson(text)).lossless

const row = {
  chain_id: 7,
  loan_id: "Last",
  borrower_address: "0xB",
  state: "ACTIVE",
  principal_amount: 12.5,
}
const last = { id: "last", borrower: "0xb", principal: 12.5 }

describe("findFragment", () => {
  it("takes a record's own values before those around it, and the values before the names", () => {
    const body = parsed(
      JSON.stringify({
        state: "ACTIVE",
        "7": { other: [{ ...last, principal: 1 }], loans: [last] },
      }),
    )
    expect(findFragment(body, loans, row)).toEqual({
      path: '$["7"].loans[0]',
      value: last,
      matched: ["loan_id", "chain_id", "state", "borrower_address", "principal_amount"],
    })
    expect(findFragment(body, loans, { loan_id: "none", state: "PAID" })).toBeUndefined()
  })

  // Each leaf compared with every record would take hours.
  it("looks at each value once, however many are around a list", () => {
    const others = Array.from({ length: 100_000 }, (_, at) => [`x${at}`, "Text"] as const)
    const records = Array.from({ length: 20_000 }, (_, at) => ({ id: `Id${at}`, note: "Text" }))
    const nested = Object.fromEntries(records.map((record, at) => [`n${at}`, record]))
    const body = parsed(
      JSON.stringify({ ...Object.fromEntries(others), nested, loans: [...records, last] }),
    )
    expect(findFragment(body, loans, row)).toMatchObject({ path: "$.loans[20000]", value: last })
  })

  // The long name read again for each element would take minutes.
  it("reads the names of parallel arrays once, however many elements they have", () => {
    const zeros = Array.from({ length: 200_000 }, () => 0)
    const long = "1".repeat(200_000)
    const body = parsed(JSON.stringify({ series: { a: zeros, [long]: zeros }, loans: [last] }))
    expect(findFragment(body, loans, row)).toMatchObject({ path: "$.loans[0]", value: last })
  })

  it("has a path of bounded length, however long the names are and however many arrays are parallel", () => {
    const arrays = Object.fromEntries(
      Array.from({ length: 1000 }, (_, at) => [`${"n".repeat(100)}${at}`, ["Last"]]),
    )
    const long = "n".repeat(1_000_000)
    for (const body of [arrays, { [long]: { [long]: arrays } }]) {
      const { path = "" } = findFragment(parsed(JSON.stringify(body)), loans, row) ?? {}
      expect([path.slice(0, 5), path.at(-1), path.length]).toEqual(["$.nnn", "…", 10_001])
    }
  })
})

describe("fragmentText", () => {
  it("is indented where that is short", () => {
    const fragment = { path: "$", value: parsed('{"a":[1,12345678901234567890]}'), matched: [] }
    expect(fragmentText(fragment)).toEqual({
      text: '{\n  "a": [\n    1,\n    12345678901234567890\n  ]\n}',
      leftOut: 0,
    })
  })

  it.each([
    ["what is long without indentation", 2_000_000, 100_001],
    ["what is long only with it", 20_000, 40_201],
  ])("is short of %s", (_, zeros, length) => {
    const whole = `{"a":${"[".repeat(97)}0${",0".repeat(zeros)}${"]".repeat(97)}}`
    const { text, leftOut } = fragmentText({ path: "$", value: parsed(whole), matched: [] })
    expect(text).toHaveLength(length)
    expect(whole.startsWith(text.replace(/…$/, ""))).toBe(true)
    expect(text.replace(/…$/, "").length + leftOut).toBe(whole.length)
  })
})
