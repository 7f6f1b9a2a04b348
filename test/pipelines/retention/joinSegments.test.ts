// Which segments of a month become one.
import { expect, it } from "vitest"
import { inGroups } from "../../../src/pipelines/retention/joinSegments.ts"

it("segments are joined in their order, and into none that is large", () => {
  const of = (...megabytes: ReadonlyArray<number>) =>
    inGroups(megabytes.map((size, at) => ({ file: String(at), bytes: size * 1024 * 1024 })))
  expect(of(1, 2, 3)).toEqual([["0", "1", "2"]])
  expect(of(32, 32)).toEqual([["0", "1"]])
  expect(of(32, 32 + 1 / 1024)).toEqual([["0"], ["1"]])
  expect(of(30, 30, 30, 3000, 1, 1).filter(({ length }) => length > 0)).toEqual([
    ["0", "1"],
    ["2"],
    ["3"],
    ["4", "5"],
  ])
})
