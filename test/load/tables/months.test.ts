// Months of event time.
import { expect, it } from "vitest"
import { isBetween, monthAfter, monthsIn, rangesOf } from "../../../src/load/tables/months.ts"
import { latest, once, readings, rowsOf } from "../sample.ts"

it("months of rows are those of all of them", () => {
  const days = [19_753, 19_754, 19_000]
  const rows = rowsOf(
    once,
    days.map((day) => ({ vault_address: "a", day, value: 0 })),
  )
  expect([...monthsIn(rows)]).toEqual(["2024-01", "2024-02", "2022-01"])
})

it("an instant before 1970 is of the month that it is in, to the last microsecond", () => {
  const monthOf = (observed_at: number) => [
    ...monthsIn(rowsOf(readings, [{ vault_address: "a", observed_at }])),
  ]
  expect([-1, -999, -1000, 0].map(monthOf)).toEqual([
    ["1969-12"],
    ["1969-12"],
    ["1969-12"],
    ["1970-01"],
  ])
})

it("rows of a table without event time have no month", () => {
  expect([...monthsIn(rowsOf(latest, [{ vault_address: "a", value: 1 }]))]).toEqual(["-"])
  expect([...monthsIn(rowsOf(latest, []))]).toEqual([])
})

it("adjacent months are one range, across the end of a year too", () => {
  const months = ["2024-02", "2023-12", "2024-01", "2022-06"]
  expect(rangesOf(months)).toEqual([
    ["2022-06", "2022-06"],
    ["2023-12", "2024-02"],
  ])
})

it("the month after the last of a year is January, of the year 9999 too, which a service may mean by never", () => {
  expect(["2023-12", "2024-01", "2024-09", "9999-12"].map(monthAfter)).toEqual([
    "2024-01",
    "2024-02",
    "2024-10",
    "10000-01",
  ])
  expect(isBetween("day", ["9999-12", "9999-12"])).toBe(
    "day >= DATE '9999-12-01' AND day < DATE '10000-01-01'",
  )
})
