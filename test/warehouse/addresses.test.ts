// Requests by address alone are about the vault that marts name for the address.
import { afterAll, beforeAll, expect, it } from "vitest"
import { sqlFile } from "../../src/load/sql/sqlFile.ts"
import { CATALOG } from "../../src/load/sql/sql.ts"
import { openWarehouse, putGiven, readRows, type TestWarehouse } from "./support.ts"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
  await warehouse.connection.run(`USE ${CATALOG}`)
})
afterAll(() => warehouse.close())

it("the first partition of an address is the vault of mart.vault_addresses", async () => {
  const statuses = ["active", "Closed", null]
  const starts = ["2026-01-01", "2026-01-02"]
  // Every pair of vaults of one address: status, first listing and whether it is listed still.
  const kinds = statuses.flatMap((status) =>
    starts.flatMap((valid_from) =>
      [true, false].map((is_current) => ({ status, valid_from, is_current })),
    ),
  )
  const vaults = kinds.flatMap((one, at) =>
    kinds.flatMap((other, place) =>
      [one, other].map((kind, chain) => ({
        ...kind,
        chain_id: [10, 9][chain] ?? 0,
        chain_type: "evm",
        vault_address: `v${at * kinds.length + place}`,
      })),
    ),
  )
  await putGiven(warehouse.connection, { "core.vaults": vaults })
  const read = await readRows(warehouse.connection, sqlFile("partitions", "vaults"))
  const first = new Map(
    read.toReversed().map((row) => [row["vault_address"], row["chain_id"]] as const),
  )
  const named = await readRows(warehouse.connection, "from mart.vault_addresses")
  expect(named).toHaveLength(kinds.length ** 2)
  expect(named.map((row) => first.get(row["vault_address"] ?? ""))).toEqual(
    named.map((row) => row["chain_id"]),
  )
})
