// An extension that can't be installed; those of a folder are in test/lake/extensions.test.ts, which needs real ones.
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "vitest"
import { loadExtensions } from "../../../../src/load/storage/lake/extensions.ts"

it.each([
  ["that nobody can write", "/proc"],
  ["that does not exist", "/proc/nowhere"],
])("a home %s is said to be the reason, and not the network", async (_, home) => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    await connection.run(`SET home_directory = '${home}'`)
    await expect(loadExtensions(connection, ["ducklake"], undefined)).rejects.toMatchObject({
      reason: "Extension",
      why: expect.stringContaining(home),
      advice: expect.stringMatching(
        /^Set HOME to a folder that this user may write, or .* lake\.extensions/,
      ),
    })
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
})
