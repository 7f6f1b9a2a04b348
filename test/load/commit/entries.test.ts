// Which row of a key stays of those that one transaction writes to vaulthouse's own tables.
import { expect, it } from "vitest"
import { entriesOf } from "../../../src/load/commit/entries.ts"
import { latest, once, rowsOf } from "../sample.ts"

const newest = (vault_address: string, value: number) => rowsOf(latest, [{ vault_address, value }])
const first = (vault_address: string, value: number) =>
  rowsOf(once, [{ vault_address, day: 19_753, value }])

it("entries have the last row of a key in mode replace, the first one in mode first", () => {
  const entries = entriesOf([newest("a", 1), first("a", 1), newest("a", 2), first("a", 2)])
  expect(entries.map(({ table, columns }) => [table.name, columns])).toEqual([
    ["latest", [["a"], [2]]],
    ["once", [["a"], [19_753], [1]]],
  ])
  const [oneRow] = entriesOf([
    rowsOf(latest, [
      { vault_address: "a", value: 1 },
      { vault_address: "b", value: 2 },
      { vault_address: "a", value: 3 },
    ]),
  ])
  expect(oneRow?.columns).toEqual([
    ["a", "b"],
    [3, 2],
  ])
})
