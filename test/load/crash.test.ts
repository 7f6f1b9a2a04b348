// Killed at random moments of committing and publishing: rows and cursors always agree, and readers always have a whole
// copy.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, lstatSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { publish } from "../../src/load/published/publish.ts"
import { publishedFile } from "../../src/load/published/read/PublishedCopy.ts"
import { verify } from "../../src/load/published/verify/verify.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { randomness } from "../support/randomness.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { until } from "../support/until.ts"
import { inWarehouse, rows } from "./sample.ts"

const script = join(import.meta.dirname, "committer.ts")

interface Kill {
  /** Kills after so many lines of output, and `later` milliseconds after that. */
  readonly after: { readonly line: "committed" | "published"; readonly count: number }
  readonly later: number
  /** Kills only once this is so. */
  readonly once?: () => boolean
  readonly publishes?: true
  readonly withoutLinks?: true
}

/** Starts a committer, kills it, and returns how many batches it had reported as committed. */
const killed = (
  dataDir: string,
  { after, later, once: isSo = () => true, publishes, withoutLinks }: Kill,
) =>
  Effect.promise(async () => {
    const preload = withoutLinks ? ["--import", join(import.meta.dirname, "withoutLinks.ts")] : []
    const argv = [...preload, script, dataDir, ...(publishes ? ["publish"] : [])]
    const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] })
    const closed = once(child, "close")
    const said = { committed: 0, published: 0 }
    let dying = false
    for await (const line of createInterface(child.stdout)) {
      said[line as keyof typeof said] += 1
      if (dying || said[after.line] < after.count) continue
      dying = true
      void until("it may be killed", isSo).then(() =>
        setTimeout(() => child.kill("SIGKILL"), later),
      )
    }
    const [, signal] = await closed
    expect(signal).toBe("SIGKILL")
    return said.committed
  })

// Each cursor stands for ten hours, all revised once except the newest of the last batch.
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
      const random = randomness("a killed writer")
      let before = 0
      for (let kill = 0; kill < 6; kill += 1) {
        const count = 1 + Math.floor(random() * 6)
        const after = { line: "committed", count } as const
        const kept = yield* killed(dataDir, { after, later: random() * 40 })
        const [wrong, cursors] = yield* inWarehouse(
          dataDir,
          Effect.gen(function* () {
            const warehouse = yield* Warehouse
            const found = yield* rows(disagreements("ops.cursors", "core.readings"))
            return [found, (yield* warehouse.cursors)("sample")] as const
          }),
        )
        expect(wrong).toEqual([])
        const committed = [...cursors.values()].reduce<number>((sum, at) => sum + Number(at), 0)
        // Reported batches are there; the one under way may be.
        expect(committed).toBeGreaterThanOrEqual(before + kept)
        before = committed
      }
    }),
  )
})

describe("a killed publisher", () => {
  it.live("leaves readers a whole copy, and the next one completes the rest", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const random = randomness("a killed publisher")
      for (let kill = 0; kill < 3; kill += 1) {
        const reads: Array<unknown> = []
        yield* Effect.raceFirst(
          killed(dataDir, {
            after: { line: "published", count: 1 },
            later: random() * 600,
            // A busy machine may publish before anything is committed.
            once: () =>
              reads.length > 1 && existsSync(join(dataDir, "parquet/current/core/readings")),
            publishes: true,
          }),
          Effect.forever(
            Effect.andThen(
              Effect.sleep(10),
              Effect.map(readParquet(dataDir), (found) => reads.push(found)),
            ),
          ),
        )
        expect(yield* readCopy(dataDir)).toEqual([])
        expect([...reads, yield* readParquet(dataDir)].flat()).toEqual([])
        const kinds = (yield* verify(dataDir)).map(({ kind }) => kind)
        expect(new Set(["stamp", ...kinds])).toEqual(new Set(["stamp"]))
      }
      yield* inWarehouse(dataDir, publish({ parquet: { marts: false } }), {
        runId: "last",
      })
      expect(yield* verify(dataDir)).toEqual([])
      const counts = `SELECT (SELECT count(*) FROM core.readings) =
        (SELECT count(*) FROM read_parquet('${dataDir}/parquet/current/core/readings/**/*.parquet')) AS same`
      expect(yield* inWarehouse(dataDir, rows(counts))).toEqual([{ same: true }])
    }),
  )
})

describe("a file system without links", () => {
  it.live("gets copies, and a folder in place of the link", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* killed(dataDir, {
        after: { line: "published", count: 2 },
        later: 0,
        publishes: true,
        withoutLinks: true,
      })
      const current = join(dataDir, "parquet/current")
      expect(lstatSync(current).isDirectory()).toBe(true)
      expect(yield* readParquet(dataDir)).toEqual([])
      // The next publication may have been half done.
      const kinds = (yield* verify(dataDir)).map(({ kind }) => kind)
      expect(new Set(["stamp", ...kinds])).toEqual(new Set(["stamp"]))
      // With links again, the folder makes way for one.
      yield* inWarehouse(dataDir, publish({ parquet: { marts: false } }), {
        runId: "last",
      })
      expect(lstatSync(current).isSymbolicLink()).toBe(true)
      expect(yield* verify(dataDir)).toEqual([])
    }),
  )
})

const inParquet = ["ops.cursors", "core.readings", "core.readings_versions"]

/** As a reader does that looks up once where `current` leads; nothing before all tables have rows. */
const readParquet = (dataDir: string) =>
  Effect.promise(async () => {
    const current = join(dataDir, "parquet/current")
    if (!existsSync(current)) return []
    const folder = realpathSync(current)
    const folderOf = (table: string) => join(folder, table.replace(".", "/"))
    if (!inParquet.every((table) => existsSync(folderOf(table)))) return []
    const instance = await DuckDBInstance.create(":memory:")
    try {
      const connection = await instance.connect()
      const view = (table: string) =>
        `CREATE VIEW ${table} AS FROM '${folderOf(table)}/**/*.parquet'`
      await connection.run("CREATE SCHEMA core; CREATE SCHEMA ops")
      await connection.run(inParquet.map(view).join(";"))
      const found = await connection.runAndReadAll(disagreements("ops.cursors", "core.readings"))
      return found.getRowObjectsJson()
    } finally {
      instance.closeSync()
    }
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
