// Which numbers of records are likely limits of a response.
import { expect, it } from "vitest"
import { looksCutOff } from "../../../src/extract/paginators/plausibleCap.ts"

it.each([100, 150, 500, 1000])("%i records may be cut off", (count) => {
  expect(looksCutOff(count)).toBe(true)
})

it.each([0, 1, 50, 99, 101, 125, 499, 1001])("%i records are as many as there are", (count) => {
  expect(looksCutOff(count)).toBe(false)
})
