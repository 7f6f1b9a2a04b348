// Statements on the connections of a lake's process, where one of them fails: the lake is attached anew before the next.
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { beforeEach, describe, expect, it } from "vitest"
import { attachedAgain } from "../../../../src/load/storage/lake/attachedAgain.ts"

const FAILS = "select error('it fails')"
const REFUSED = "a statement failed meanwhile"

describe("a process's lake", () => {
  let attached: number
  let attach: () => Promise<void>
  let writer: DuckDBConnection
  let reader: DuckDBConnection

  beforeEach(async () => {
    attached = 0
    attach = async () => void (attached += 1)
    const watched = attachedAgain("postgres://db/lake", () => attach())
    const instance = await DuckDBInstance.create(":memory:")
    writer = watched(await instance.connect())
    reader = watched(await instance.connect())
  })

  it("is attached once after failures, before the next statement of any connection", async () => {
    await writer.run("select 1")
    await expect(writer.run(FAILS)).rejects.toThrow("it fails")
    expect(attached).toBe(0)
    await Promise.all([reader.runAndReadAll("select 1"), writer.run("select 2")])
    await reader.run("select 3")
    expect(attached).toBe(1)
    await expect(reader.run("BEGIN; syntax")).rejects.toThrow("syntax")
    await writer.run("create table t (i integer)")
    expect(attached).toBe(2)
    await expect(writer.createAppender("nothing")).rejects.toThrow("nothing")
    const appender = await writer.createAppender("t")
    appender.closeSync()
    expect(attached).toBe(3)
  })

  it("fails as long as it can't be attached, and is attached then", async () => {
    await expect(writer.run(FAILS)).rejects.toThrow("it fails")
    attach = () => Promise.reject(new Error("no server"))
    await expect(reader.run("select 1")).rejects.toThrow("no server")
    await expect(writer.run("BEGIN")).rejects.toThrow("no server")
    attach = async () => void (attached += 1)
    await reader.run("select 1")
    expect(attached).toBe(1)
  })

  it("is attached once for all who wait for it, and not for a transaction that was open", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await expect(writer.run(FAILS)).rejects.toThrow("it fails")
    await writer.run("BEGIN")
    expect(attached).toBe(1)
    await expect(reader.run(FAILS)).rejects.toThrow("it fails")
    attach = async () => {
      attached += 1
      if (attached === 2) await promise
    }
    const read = reader.run("select 1")
    await expect(writer.run("select 1")).rejects.toThrow(REFUSED)
    await writer.run("ROLLBACK")
    const other = writer.run("select 2")
    resolve()
    await Promise.all([read, other])
    expect(attached).toBe(2)
  })

  it("commits and reads nothing in a transaction that was open when a statement failed", async () => {
    await writer.run("BEGIN")
    await reader.run("BEGIN TRANSACTION READ ONLY")
    await writer.run("create table t (i integer)")
    await expect(reader.run(FAILS)).rejects.toThrow("it fails")
    for (const statement of ["select 1", "COMMIT", "insert into t values (1)"]) {
      await expect(writer.run(statement)).rejects.toThrow(REFUSED)
      await expect(reader.run(statement)).rejects.toThrow(REFUSED)
    }
    expect(attached).toBe(0)
    await writer.run("ROLLBACK")
    await reader.run("ROLLBACK")
    await expect(writer.run("from t")).rejects.toThrow("does not exist")
    await writer.run("BEGIN")
    await writer.run("create table t (i integer)")
    await writer.run("COMMIT")
    await reader.run("from t")
    expect(attached).toBe(2)
  })

  it("returns nothing that was read while a statement failed, but that something was committed", async () => {
    await writer.run("create table t (i integer)")
    const read = reader.run("select count(*) from range(30000000) a where hash(range) % 7 = 3")
    await expect(writer.run(FAILS)).rejects.toThrow("it fails")
    await expect(read).rejects.toThrow(REFUSED)
    await writer.run("BEGIN")
    await writer.run("insert into t from range(3000000)")
    const committed = writer.run("COMMIT")
    await expect(reader.run(FAILS)).rejects.toThrow("it fails")
    await committed
    await reader.run("from t limit 1")
  })

  it("is not attached again where something fails that reads nothing of it", async () => {
    await reader.run("BEGIN")
    for (const [statement, words] of [
      ["ATTACH '/none/none.duckdb'", "Cannot open"],
      ["DETACH none", "none"],
      ["SET none = 1", "none"],
      ["USE none", "none"],
    ] as const) {
      await expect(writer.run(statement)).rejects.toThrow(words)
    }
    await expect(writer.run("ROLLBACK")).rejects.toThrow("no transaction is active")
    await writer.run("select 1")
    await reader.run("COMMIT")
    expect(attached).toBe(0)
  })
})
