// A warehouse that is thrown away after a failure: it never has a log, whose failing write could end the process.
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, expect, it } from "vitest"
import { transaction } from "../../../../src/load/duckdb/transaction.ts"
import { databaseFile, scratchFile } from "../../../../src/load/storage/file/duckdbFile.ts"
import { operationTables } from "../../../../src/load/tables/index.ts"
import { readings } from "../../sample.ts"

const dataDir = mkdtempSync(join(tmpdir(), "vaulthouse-test-"))
afterAll(() => rmSync(dataDir, { recursive: true }))

it("has no log, and all rows once it is checkpointed, most of them before", async () => {
  const file = databaseFile(dataDir)
  const database = await scratchFile(dataDir).open({ dataDir, runId: "run", threads: 1 }, [
    readings,
    ...operationTables,
  ])
  const { exclusively, writer } = database
  const commit = async (sql: string): Promise<void> => {
    await transaction({ connection: writer, exclusively, accepts: () => true }, () =>
      writer.run(sql),
    )
    expect(existsSync(`${file}.wal`)).toBe(false)
  }
  await commit("CREATE TABLE core.wide (i BIGINT, t VARCHAR)")
  const empty = statSync(file).size
  // 44 MB in memory, in transactions too small to be written to the file on their own.
  for (let from = 0; from < 400_000; from += 100_000) {
    await commit(
      `INSERT INTO core.wide SELECT range, repeat(md5(range::VARCHAR), 3)
       FROM range(${from}, ${from + 100_000})`,
    )
  }
  expect(statSync(file).size).toBeGreaterThan(empty + 5_000_000)
  await database.checkpoint()
  await database.close()
  const copy = await DuckDBInstance.create(":memory:")
  const other = await copy.connect()
  await other.run(`ATTACH '${file}' AS copied (READ_ONLY)`)
  const found = await other.runAndReadAll("SELECT count(*)::INTEGER FROM copied.core.wide")
  expect(found.getRows()).toEqual([[400_000]])
  copy.closeSync()
})
