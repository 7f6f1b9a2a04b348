// The worked questions on rows no demo has: what one odd figure, or one fact that has gone stale, does to an answer.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { askedAt, atThatTime } from "../../demo/exampleWarehouse.ts"
import { declaredParameters } from "../../src/cli/query/declared.ts"
import { bound, type QueryParameter } from "../../src/load/queryParameter.ts"
import { CATALOG } from "../../src/load/sql.ts"
import { createMartsAt, openWarehouse, putGiven, type TestWarehouse } from "./support.ts"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
  await createMartsAt(warehouse.connection, askedAt)
  await warehouse.connection.run(`USE ${CATALOG}`)
})
afterAll(() => warehouse.close())

const answer = async (
  name: string,
  given: Parameters<typeof putGiven>[1],
  parameters: Readonly<Record<string, QueryParameter>> = {},
) => {
  await putGiven(warehouse.connection, given)
  const file = join(import.meta.dirname, `../../warehouse/examples/${name}.sql`)
  const sql = readFileSync(file, "utf8")
  const reader = await warehouse.connection.runAndReadAll(
    atThatTime(sql),
    bound({ ...declaredParameters(sql), ...parameters }),
  )
  return reader.getRowObjectsJson()
}

const vault = (address: string, chain = 1) => ({
  chain_id: chain,
  vault_address: address,
  vault_name: address,
  is_current: true,
})

it("weekly-report: a yield no return can be worked out of leaves the other vaults' weeks alone", async () => {
  const days = ["26", "27", "28", "29", "30", "31"].map((day) => `2026-05-${day}`)
  const apy = (vault_address: string, date: string, value: number) => ({
    vault_address,
    date,
    is_smoothed: false,
    averaging_period_days: 7,
    apy: value,
  })
  const rows = await answer("weekly-report", {
    "core.vaults": [vault("sound"), vault("odd")],
    "core.apy_history": [...days, "2026-06-01"].flatMap((date) => [
      apy("sound", date, 0.05),
      apy("odd", date, date === "2026-05-28" ? -1.2 : 0.05),
    ]),
  })
  expect(rows.map(({ vault_name }) => vault_name)).toEqual(["odd", "sound"])
  expect(rows[0]?.["return_7d"]).toBeNull()
  expect(Number(rows[1]?.["return_7d"])).toBeCloseTo(1.05 ** (7 / 365) - 1, 12)
})
