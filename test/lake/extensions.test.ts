// An extension that is missing, changed or none at all is named with what to do, and never loaded.
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance, version } from "@duckdb/node-api"
import { describe, expect, it, onTestFinished } from "vitest"
import { LoadError } from "../../src/load/errors.ts"
import { loadExtensions } from "../../src/load/storage/lake/extensions.ts"
import { extensions, lake } from "./lake.ts"

const refusal = async (folder: string): Promise<LoadError> => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    await loadExtensions(connection, ["ducklake"], folder)
  } catch (error) {
    if (error instanceof LoadError) return error
    throw error
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
  throw new Error("it was loaded")
}

describe.skipIf(lake === undefined)("lake.extensions", () => {
  it("refuses what is not an extension of this version, signed by DuckDB", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vaulthouse-extensions-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, "ducklake.duckdb_extension")
    const missing = await refusal(folder)
    expect(missing.why).toBe(`there is no ${file}`)
    expect(missing.advice).toContain(`for DuckDB ${version()}`)

    await copyFile(join(extensions, "ducklake.duckdb_extension"), file)
    const bytes = await readFile(file)
    // In the middle: the signature over all of it no longer holds.
    const middle = Math.floor(bytes.length / 2)
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    await writeFile(file, bytes)
    expect((await refusal(folder)).why).toBe(`${file}: it is not signed by DuckDB`)

    // The version that it was built for stands before the signature, in 32 bytes.
    const signed = await readFile(join(extensions, "ducklake.duckdb_extension"))
    const at = signed.lastIndexOf(version())
    signed.write("v1.4.0", at, "latin1")
    await writeFile(file, signed)
    expect((await refusal(folder)).why).toBe(
      `${file}: it was built for DuckDB v1.4.0, and this is ${version()}`,
    )

    await writeFile(file, "none")
    expect((await refusal(folder)).why).toContain("is not a DuckDB extension")
  })
})
