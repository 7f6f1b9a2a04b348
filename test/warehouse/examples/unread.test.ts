// What the service could not read is unknown in the answers too, on rows written down here.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { CATALOG } from "../../../src/load/sql/sql.ts"
import { openWarehouse, putGiven, type TestWarehouse } from "../support.ts"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
  await warehouse.connection.run(`USE ${CATALOG}`)
})
afterAll(() => warehouse.close())

const answer = async (name: string, given: Parameters<typeof putGiven>[1]) => {
  await putGiven(warehouse.connection, given)
  const file = join(import.meta.dirname, `../../../warehouse/examples/${name}.sql`)
  const sql = readFileSync(file, "utf8")
  const reader = await warehouse.connection.runAndReadAll(sql)
  return reader.getRowObjectsJson()
}

const vault = (address: string) => ({
  chain_id: 1,
  vault_address: address,
  vault_name: address,
  is_current: true,
})

it("who can act alone is unknown while the service warns that it could not read the roles", async () => {
  const holder = { chain_id: 1, role: "owner", holder_address: "h", is_current: true }
  const rows = await answer("who-can-act-alone", {
    "core.vaults": [vault("a"), vault("b")],
    "core.roles": [
      { ...holder, vault_address: "a", is_safe: false },
      { ...holder, vault_address: "b", is_safe: false },
    ],
    "core.observation_warnings": [
      { endpoint: "roles", chain_id: 1, vault_address: "a", warning: "x", is_current: true },
      { endpoint: "roles", chain_id: 1, vault_address: "b", warning: "y", is_current: false },
    ],
  })
  expect(
    rows.map(({ vault_name, acts_alone, warnings }) => [vault_name, acts_alone, warnings]),
  ).toEqual([
    ["b", true, null],
    ["a", null, "x"],
  ])
})

it("an upcoming timelock is ordered by its delay, or last where it has none", async () => {
  const timelock = { chain_id: 1, vault_address: "a", status: "scheduled", is_current: true }
  const scheduled = { ...timelock, scheduled_at: "2020-01-01" }
  const rows = await answer("timelocks-about-to-fire", {
    "core.vaults": [vault("a")],
    "core.timelocks": [
      { ...scheduled, timelock_id: "unknown" },
      { ...scheduled, timelock_id: "theirs" },
      { ...scheduled, timelock_id: "own", delay_seconds: 3600 },
      { ...scheduled, timelock_id: "delayed", delay_seconds: 1, executable_at: "2020-01-05" },
    ],
    "core.timelock_requests": [{ ...timelock, timelock_id: "theirs", delay_seconds: 86_400 }],
  })
  expect(
    rows.map(({ timelock_id, executable_at, is_reported }) => [
      timelock_id,
      executable_at,
      is_reported,
    ]),
  ).toEqual([
    ["own", "2020-01-01 01:00:00", false],
    ["theirs", "2020-01-02 00:00:00", false],
    ["delayed", "2020-01-05 00:00:00", true],
    ["unknown", null, false],
  ])
})
