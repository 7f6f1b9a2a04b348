// A failure stays the one that is reported, even if what it left behind can't be undone.
import { expect, it } from "vitest"
import { DuckDBInstance } from "@duckdb/node-api"
import { undoing } from "../../../src/load/duckdb/undoing.ts"

it("a full disk is reported, not that the database it invalidated can't be detached", async () => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  await connection.run("ATTACH ':memory:' AS copied")
  const detach = () => connection.run("DETACH copied")
  const full = undoing(detach, async () => {
    await connection.run("USE copied")
    throw new Error("No space left on device")
  })
  await expect(full).rejects.toThrow("No space left on device")
  await expect(detach()).rejects.toThrow("Cannot detach")
  await expect(undoing(detach, async () => 1)).rejects.toThrow("Cannot detach")
  await connection.run("USE memory")
  expect(await undoing(detach, async () => 1)).toBe(1)
  instance.closeSync()
})
