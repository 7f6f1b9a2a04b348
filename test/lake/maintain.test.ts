// Maintenance of a lake changes no row, while others write it, and leaves fewer files.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ducklake } from "../../src/load/storage/lake/ducklake.ts"
import { maintainLake } from "../../src/load/storage/lake/maintainLake.ts"
import { Warehouse } from "../../src/load/Warehouse.ts"
import { storageOf } from "../../src/pipelines/publication/warehouse.ts"
import { inLake, retain } from "../../src/pipelines/archive/maintain.ts"
import { vaulthouse } from "../cli/command.ts"
import { ahead } from "../support/movableClock.ts"
import { simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { sampleTables } from "../load/sample.ts"
import { extensions, lake, lakeOf, newCatalog, newLake, lakeProcess } from "./lake.ts"

const parquetIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".parquet"),
  )

// More than a commit leaves in PostgreSQL.
const HOURS = 1100
const COMMITS = 4
const DAY_MILLIS = 86_400_000

describe.skipIf(lake === undefined)("maintenance of a lake", () => {
  it.live("joins files and removes what is old, while another process commits", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const writer = yield* lakeProcess(shared, "writer")
      const commit = (first: number, hours: number, value: number) =>
        Effect.promise(() =>
          writer.send({
            name: "commit",
            readings: Array.from({ length: hours }, (_, at) => ["v", first + at, value] as const),
          }),
        )
      for (let at = 0; at < COMMITS; at += 1) yield* commit(at * HOURS, HOURS, at)
      // Deletes most of the first file's rows, and a row that stays in PostgreSQL.
      yield* commit(0, HOURS / 2, 99)
      yield* commit(-1, 1, 100)
      const before = parquetIn(shared.data)
      // As a process leaves it that is killed before its commit.
      const orphan = "core/readings/ducklake-killed.parquet"
      const some = before.find((file) => file.startsWith("core/readings/"))
      copyFileSync(join(shared.data, some ?? ""), join(shared.data, orphan))
      const read = Effect.promise(() =>
        writer.send({
          name: "rows",
          sql: `select count(*)::int as rows, count(distinct observed_at)::int as hours, sum(value) as total,
            (select sum(value) from core.readings_versions) as versions from core.readings`,
        }),
      )
      const content = yield* read
      const summary = yield* Effect.gen(function* () {
        const { exclusively } = yield* Warehouse
        const [found] = yield* Effect.all(
          [
            exclusively("Maintaining", (session) => maintainLake(session, 0, "/none")),
            Effect.forEach([1, 2, 3], (at) => commit(COMMITS * HOURS + at, 1, 0)),
          ],
          { concurrency: "unbounded" },
        )
        return found
      }).pipe(
        Effect.provide(
          Warehouse.layer({
            dataDir: yield* temporaryFolder,
            tables: sampleTables,
            runId: "maintain",
            storage: ducklake(lakeOf(shared)),
          }),
        ),
      )
      expect(summary.rowsFlushed).toBeGreaterThan(0)
      expect(summary.snapshotsExpired).toBeGreaterThan(COMMITS)
      expect(summary.filesRemoved).toBeGreaterThanOrEqual(COMMITS)
      expect(summary.orphansRemoved).toBe(1)
      expect(parquetIn(shared.data)).not.toContain(orphan)
      // Of the versions there is one file, with nothing to join it to.
      const joined = new Set(before.filter((file) => file.startsWith("core/readings/")))
      expect(parquetIn(shared.data).filter((file) => joined.has(file))).toEqual([])
      const added = content as unknown as { result: [{ rows: number; hours: number }] }
      const [row] = added.result
      expect(yield* read).toEqual({
        result: [{ ...row, rows: row.rows + 3, hours: row.hours + 3 }],
      })
    }).pipe(Effect.scoped),
  )

  it.live("can delete no files of another lake: none is made where there are some", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const writer = yield* lakeProcess(shared, "writer")
      const readings = Array.from({ length: HOURS }, (_, at) => ["v", at, at] as const)
      yield* Effect.promise(() => writer.send({ name: "commit", readings }))
      const before = parquetIn(shared.data)
      expect(before).not.toEqual([])
      const other = { ...shared, catalog: yield* Effect.promise(newCatalog) }
      const dataDir = yield* temporaryFolder
      const storage = ducklake(lakeOf(other))
      const made = Effect.scoped(
        Layer.build(Warehouse.layer({ dataDir, tables: sampleTables, runId: "other", storage })),
      )
      const refused = yield* Effect.flip(made)
      expect(refused.message).toContain(
        `${shared.data} (lake.data) has Parquet files already, which \`vaulthouse maintain\` would delete`,
      )
      expect(yield* Effect.promise(() => storage.exists())).toBe(false)
      expect(parquetIn(shared.data)).toEqual(before)
    }).pipe(Effect.scoped),
  )

  it.live("deletes no files of another lake that was made inside its folder later", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const data = join(shared.data, "eu")
      yield* Effect.gen(function* () {
        const { exclusively } = yield* Warehouse
        const inner = { catalog: yield* Effect.promise(newCatalog), data }
        const writer = yield* lakeProcess(inner, "writer")
        const readings = Array.from({ length: HOURS }, (_, at) => ["v", at, at] as const)
        yield* Effect.promise(() => writer.send({ name: "commit", readings }))
        const before = parquetIn(data)
        expect(before).not.toEqual([])
        const refused = yield* Effect.flip(
          exclusively("Maintaining", (session) => maintainLake(session, 0, "/none")),
        )
        expect(refused.message).toContain(`the lake's folder has ${data}/`)
        expect(parquetIn(data)).toEqual(before)
      }).pipe(
        Effect.provide(
          Warehouse.layer({
            dataDir: yield* temporaryFolder,
            tables: sampleTables,
            runId: "maintain",
            storage: ducklake(lakeOf(shared)),
          }),
        ),
      )
    }).pipe(Effect.scoped),
  )

  it.live("deletes nothing that was published, and no lake is made around that", () =>
    Effect.gen(function* () {
      const shared = yield* newLake
      const published = join(shared.data, "parquet")
      yield* Effect.gen(function* () {
        const { exclusively } = yield* Warehouse
        mkdirSync(published)
        writeFileSync(join(published, "month.parquet"), "")
        const refused = yield* Effect.flip(
          exclusively("Maintaining", (session) => maintainLake(session, 0, published)),
        )
        expect(refused.message).toContain(`the lake's folder has ${published} in it`)
        expect(readdirSync(published)).toEqual(["month.parquet"])
      }).pipe(
        Effect.provide(
          Warehouse.layer({
            dataDir: yield* temporaryFolder,
            tables: sampleTables,
            runId: "maintain",
            storage: ducklake(lakeOf(shared)),
          }),
        ),
      )

      const catalogs = { made: shared.catalog, none: yield* Effect.promise(newCatalog) }
      const storageIn = (catalog: keyof typeof catalogs, data: string, dataDir = "/srv/data") =>
        storageOf({
          dataDir,
          warehouse: Redacted.make(`ducklake:${catalogs[catalog]}`),
          lake: { data, extensions },
        })
      for (const data of ["/srv/data", "/srv/data/", "/srv", "/", "/srv/data/parquet"]) {
        expect((yield* Effect.flip(storageIn("none", data))).message).toContain(
          `lake.data is ${data}, and /srv/data/parquet is in it`,
        )
        // So that it can be moved.
        yield* storageIn("made", data)
      }
      for (const data of ["/srv/data/lake", "/srv/dat", "/srv/..data", "s3://srv/data"]) {
        yield* storageIn("none", data)
      }
      // A name that only looks like that of the folder above.
      yield* storageIn("none", "/srv", "/srv2/data")
      yield* Effect.flip(storageIn("none", "/srv", "/srv/..data"))
    }).pipe(Effect.scoped),
  )

  it.live("is a command, which a file doesn't need", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 1, days: 3, subaccounts: 2 })
      const shared = yield* newLake
      const folder = yield* temporaryFolder
      writeFileSync(
        join(folder, "vaulthouse.config.yaml"),
        `baseUrl: ${simulator.url}\narchive: ${join(folder, "archive")}\nwarehouse: ducklake:${shared.catalog}\nlake:\n  data: ${shared.data}\n  extensions: ${extensions}\n`,
      )
      const command = (...args: ReadonlyArray<string>) =>
        Effect.promise(() => vaulthouse(args, { cwd: folder }))
      expect((yield* command("maintain")).stderr).toContain("there is no warehouse")
      expect((yield* command("sync", "--no-publish")).code).toBe(0)
      const first = yield* command("maintain")
      expect(first.stdout).toMatch(/^Wrote [1-9][\d,]* rows of small commits to Parquet/)
      const again = JSON.parse((yield* command("maintain", "--json")).stdout) as object
      expect(again).toMatchObject({ rows_flushed: 0, orphans_removed: 0 })
      expect((yield* command("schedule", "--dry-run")).stdout).toContain("maintenance:\n")
      expect((yield* command("maintain", "--warehouse", "file")).stdout).toContain("Nothing to do")

      const place = {
        dataDir: join(folder, "data"),
        archive: join(folder, "archive"),
        warehouse: Redacted.make(`ducklake:${shared.catalog}`),
        lake: { data: shared.data, extensions },
        keepDays: 90,
      }
      const retained200DaysLater = ahead(
        200 * DAY_MILLIS,
        Effect.provide(retain(place), inLake(place)),
      )
      const unchanged = Effect.map(command("sync", "--no-publish", "vaults"), ({ code }) =>
        expect(code).toBe(0),
      )
      yield* unchanged
      yield* unchanged
      // Others may know the places of bodies.
      const beside = yield* Effect.scoped(
        Effect.andThen(
          Effect.acquireRelease(
            Effect.promise(() =>
              ducklake(lakeOf(shared)).open({ dataDir: folder, runId: "other" }, []),
            ),
            ({ close }) => Effect.promise(close),
          ),
          retained200DaysLater,
        ),
      )
      expect(beside.recordsDropped).toBeGreaterThan(0)
      expect(beside.responsesDropped).toBeUndefined()
      yield* unchanged
      const alone = yield* retained200DaysLater
      expect(alone.recordsDropped).toBeGreaterThan(0)
      expect(alone.responsesDropped).toBeGreaterThan(0)
      expect((yield* command("check", "--against-archive")).code).toBe(0)
    }).pipe(Effect.scoped),
  )
})
