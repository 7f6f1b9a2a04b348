// What the record of a task always says.
import { expect, it } from "vitest"
import { tasks } from "../../../../src/load/tables/ops/tasks.ts"

it("a task's record says what was read, how it ended and what that cost; the rest depends on the task", () => {
  const optional = tasks.columns.filter(({ required }) => required !== true)
  expect(optional.map(({ name }) => name)).toEqual([
    "error_tag",
    "error_text",
    "vault_address",
    "chain_id",
    "series",
    "covers_from",
    "covers_to",
  ])
})
