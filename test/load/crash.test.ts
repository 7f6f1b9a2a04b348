// Killed at moments nobody chose, while it commits and while it publishes: rows and cursors always agree, and
// readers always have a whole copy.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultParquet } from "../../src/load/parquet.ts"
import { publish, publishedFile } from "../../src/load/publish.ts"
import { verify } from "../../src/load/verify.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { inWarehouse, rows } from "./sample.ts"

const script = join(import.meta.dirname, "committer.ts")

/** Kills it at some moment after it has opened the warehouse. */
const killed = (dataDir: string, within: number, ...publishes: ReadonlyArray<"publish">) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [script, dataDir, ...publishes], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const exit = once(child, "exit")
    await once(child.stdout, "data")
    setTimeout(() => child.kill("SIGKILL"), Math.random() * within)
    const [, signal] = await exit
    return signal
  })

// What the committer's cursors stand for: so many hours, all of them revised once but the newest of a batch.
const disagreements = (cursors: string, readings: string) => `
  SELECT entity, cursor, hours, distinct_hours, total, superseded FROM (
    SELECT entity, cursor::VARCHAR::BIGINT AS cursor FROM ${cursors} WHERE pipeline = 'sample')
  FULL JOIN (
    SELECT vault_address, count(*) AS hours, count(DISTINCT observed_at) AS distinct_hours,
      sum(value) AS total FROM ${readings} GROUP BY ALL) r ON r.vault_address = entity
  LEFT JOIN (
    SELECT vault_address, count(*) AS superseded FROM ${readings}_versions GROUP BY ALL) v
    ON v.vault_address = entity
  WHERE hours IS DISTINCT FROM 10 * cursor OR distinct_hours IS DISTINCT FROM hours
    OR coalesce(superseded, 0) IS DISTINCT FROM cursor - 1
    OR total IS DISTINCT FROM hours * (hours - 1) / 2.0 + 0.5 * (cursor - 1)`

describe("a killed writer", () => {
  it.live("leaves rows, versions and cursors that agree", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      let before = 0
      for (let kill = 0; kill < 15; kill += 1) {
        expect(yield* killed(dataDir, 150)).toBe("SIGKILL")
        const [wrong, cursors] = yield* inWarehouse(
          dataDir,
          Effect.gen(function* () {
            const warehouse = yield* Warehouse
            const found = yield* rows(disagreements("ops.cursors", "core.readings"))
            return [found, yield* warehouse.cursors("sample")] as const
          }),
        )
        expect(wrong).toEqual([])
        const committed = [...cursors.values()].reduce<number>((sum, at) => sum + Number(at), 0)
        expect(committed).toBeGreaterThanOrEqual(before)
        before = committed
      }
      expect(before).toBeGreaterThan(15)
    }),
  )
})

describe("a killed publisher", () => {
  it.live("leaves readers a whole copy, and the next one completes the rest", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      let copies = 0
      for (let kill = 0; kill < 5; kill += 1) {
        yield* killed(dataDir, 900, "publish")
        if (!existsSync(publishedFile(dataDir))) continue
        copies += 1
        expect(yield* readCopy(dataDir)).toEqual([])
      }
      expect(copies).toBeGreaterThan(0)
      yield* inWarehouse(dataDir, publish({ parquet: defaultParquet }), { runId: "last" })
      expect(yield* verify(dataDir)).toEqual([])
      const counts = `SELECT (SELECT count(*) FROM core.readings) =
        (SELECT count(*) FROM read_parquet('${dataDir}/parquet/core/readings/**/*.parquet')) AS same`
      expect(yield* inWarehouse(dataDir, rows(counts))).toEqual([{ same: true }])
    }),
  )
})

const readCopy = (dataDir: string) =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(publishedFile(dataDir), {
      access_mode: "READ_ONLY",
    })
    try {
      const connection = await instance.connect()
      const found = await connection.runAndReadAll(disagreements("ops.cursors", "core.readings"))
      return found.getRowObjectsJson()
    } finally {
      instance.closeSync()
    }
  })
