// Publishing: readers always get whole copies, only changes are written, and damage is repaired.
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import fileSystem from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { basename, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Table } from "../../../src/domain/table/table.ts"
import { changedSincePublication, publish } from "../../../src/load/published/publish.ts"
import { publishedFile } from "../../../src/load/published/read/PublishedCopy.ts"
import { verify } from "../../../src/load/published/verify/verify.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import {
  asRun,
  everyReading,
  inMemory,
  monthsOf,
  published,
  publishAll,
  readingsFiles,
  twoMonths,
} from "./publishing.ts"
import { change, queryFile } from "../../support/warehouseRun.ts"
import {
  batchOf,
  commit,
  commitTogether,
  descriptions,
  once,
  reading,
  readings,
  readingsBatch,
  rows,
  rowsOf,
  sampleTables,
} from "../sample.ts"

const withoutParquet = { parquet: undefined }

const publishedReadings = sharedWarehouse((dataDir) =>
  asRun(dataDir, Effect.andThen(commit(readingsBatch(twoMonths(1))), publishAll)),
)
const publishedNothing = sharedWarehouse((dataDir) => asRun(dataDir, publishAll))

/** The copy by its own name. */
const ownFile = (dataDir: string): string => {
  const folder = join(dataDir, "published")
  return join(folder, readdirSync(folder).find((name) => name.startsWith("vaulthouse-")) ?? "none")
}

/** The same, where the file system has no hard links. */
const ownFileApart = (dataDir: string): string => {
  const stable = publishedFile(dataDir)
  const copy = `${stable}.apart`
  copyFileSync(stable, copy)
  renameSync(copy, stable)
  return ownFile(dataDir)
}

const KILLED = 'process.kill(process.pid, "SIGKILL")'
const CLOSED = "connection.closeSync(); instance.closeSync()"

/** From here to the end of the scope, making a hard link fails with `code`. */
const withoutLinks = (code: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { link } = fileSystem
      fileSystem.link = () => Promise.reject(Object.assign(new Error(`${code}: link`), { code }))
      syncBuiltinESMExports()
      return link
    }),
    (link) =>
      Effect.sync(() => {
        fileSystem.link = link
        syncBuiltinESMExports()
      }),
  )

describe("the published copy", () => {
  it.live("holds tables, comments, views and its own stamp, and can't be written", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const publication = yield* asRun(
        dataDir,
        Effect.gen(function* () {
          const { execute } = yield* Warehouse
          yield* commit(readingsBatch(twoMonths(1)))
          yield* execute([
            "CREATE VIEW mart.newest AS SELECT max(observed_at) AS newest FROM core.readings",
          ])
          return yield* publishAll
        }),
      )
      const file = publishedFile(dataDir)
      expect(yield* queryFile(file, "SELECT newest::VARCHAR AS newest FROM mart.newest")).toEqual([
        { newest: "2024-02-01 11:00:00" },
      ])
      expect(yield* queryFile(file, "SELECT run_id, parquet_rows FROM ops.publications")).toEqual([
        { run_id: publication.runId, parquet_rows: String(publication.parquetRows) },
      ])
      const uncommented = `SELECT column_name FROM duckdb_columns()
        WHERE schema_name = 'core' AND comment IS NULL`
      expect(yield* queryFile(file, uncommented)).toEqual([])
      const written = yield* Effect.exit(queryFile(file, "DELETE FROM core.readings"))
      expect(written._tag).toBe("Failure")
      expect(readdirSync(join(dataDir, "published")).toSorted()).toEqual([
        "current.json",
        `vaulthouse-${publication.runId}.duckdb`,
        "vaulthouse.duckdb",
      ])
    }),
  )

  it.live("is whole for readers who open it while others are published", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      // Every commit gives all rows the same value: a half copy would show two.
      const write = Effect.gen(function* () {
        for (let value = 1; value <= 5; value += 1) {
          yield* commit(readingsBatch(twoMonths(value)))
          yield* publishAll
        }
      })
      const seen: Array<unknown> = []
      const counts = "count(*)::INTEGER AS rows, count(DISTINCT value)::INTEGER AS contents"
      const read = Effect.gen(function* () {
        yield* Effect.sleep(5)
        if (!existsSync(publishedFile(dataDir))) return
        const found = yield* queryFile(
          publishedFile(dataDir),
          `SELECT ${counts} FROM core.readings`,
        )
        seen.push(...found)
        // A file that a later publication replaced is gone under this path; what was read is never mixed.
        const globbed = yield* Effect.promise(() =>
          inMemory(`SELECT ${counts} FROM ${everyReading(dataDir)}`)
            .pipe(Effect.runPromise)
            .catch((cause: Error) =>
              cause.message.includes("No such file") ? [] : Promise.reject(cause),
            ),
        )
        seen.push(...globbed)
      })
      yield* Effect.raceFirst(asRun(dataDir, write), Effect.forever(read))
      yield* read
      expect(new Set(seen.map((row) => JSON.stringify(row)))).toEqual(
        new Set([JSON.stringify({ rows: 24, contents: 1 })]),
      )
    }),
  )

  it.live("is one immutable file a run, the newest under the stable name too", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const keep = { copies: 1, days: 7 }
      const publishKeeping = publish({ ...published, keep })
      const names: Array<string> = []
      for (let value = 1; value <= 3; value += 1) {
        const { runId } = yield* asRun(
          dataDir,
          Effect.andThen(commit(readingsBatch(twoMonths(value))), publishKeeping),
        )
        names.push(join(dataDir, "published", `vaulthouse-${runId}.duckdb`))
      }
      const [first = "", second = "", third = ""] = names
      const value = "SELECT DISTINCT value::INTEGER AS value FROM core.readings"
      expect(existsSync(first)).toBe(false)
      expect(yield* queryFile(second, value)).toEqual([{ value: 2 }])
      expect(yield* queryFile(third, value)).toEqual([{ value: 3 }])
      expect(statSync(publishedFile(dataDir)).ino).toBe(statSync(third).ino)
      expect(
        JSON.parse(readFileSync(join(dataDir, "published/current.json"), "utf8")),
      ).toMatchObject({ file: basename(third) })
      // However old the newest one is, readers had it until it was replaced.
      for (const [at, file] of [second, third].entries()) utimesSync(file, at, at)
      const last = yield* asRun(dataDir, publish({ ...published, keep: { copies: 2, days: 7 } }))
      expect(readdirSync(join(dataDir, "published")).toSorted()).toEqual([
        "current.json",
        basename(third),
        `vaulthouse-${last.runId}.duckdb`,
        "vaulthouse.duckdb",
      ])
    }),
  )

  it.live("keeps no copy that current.json never named, and the one that it named before", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      const folder = join(dataDir, "published")
      const copies = () => readdirSync(folder).filter((name) => name.startsWith("vaulthouse-"))
      const before = copies()
      // By a clock that was ahead then, or in a folder that was copied without times.
      const ahead = new Date(Date.now() + 3_600_000)
      for (const name of before) utimesSync(join(folder, name), ahead, ahead)
      const publishing = publish({ ...published, keep: { copies: 1, days: 7 } })
      // In the way of current.json, which is written when the copy is in place.
      const inTheWay = join(folder, "current.json.tmp")
      mkdirSync(inTheWay)
      for (const _ of ["once", "again"]) {
        expect(yield* Effect.flip(asRun(dataDir, publishing))).toMatchObject({ reason: "Files" })
        expect(copies()).toHaveLength(2)
        expect(copies()).toEqual(expect.arrayContaining(before))
      }
      rmdirSync(inTheWay)
      const { runId } = yield* asRun(dataDir, publishing)
      expect(copies().toSorted()).toEqual([...before, `vaulthouse-${runId}.duckdb`].toSorted())
    }),
  )

  it.live("has a stable name that is a copy where the file system has no hard links", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const access = { mode: "0640" }
      const publishTo = (value: number) =>
        asRun(
          dataDir,
          Effect.andThen(
            commit(readingsBatch(twoMonths(value))),
            publish({ ...published, access }),
          ),
        )
      const content = "SELECT DISTINCT value::INTEGER AS value FROM core.readings"
      const stable = publishedFile(dataDir)
      for (const [at, code] of ["EPERM", "ENOTSUP"].entries()) {
        yield* withoutLinks(code)
        const { runId } = yield* publishTo(at)
        const own = join(dataDir, "published", `vaulthouse-${runId}.duckdb`)
        expect(statSync(stable).ino).not.toBe(statSync(own).ino)
        expect(readFileSync(stable).equals(readFileSync(own))).toBe(true)
        expect(statSync(stable).mode & 0o777).toBe(0o640)
        expect(yield* queryFile(stable, content)).toEqual([{ value: at }])
        expect(yield* verify(dataDir)).toEqual([])
      }
      // Anything else is a failure, and readers keep what they had.
      yield* withoutLinks("EIO")
      expect((yield* Effect.flip(publishTo(2))).message).toContain("EIO")
      expect(yield* queryFile(stable, content)).toEqual([{ value: 1 }])
    }).pipe(Effect.scoped),
  )

  it.live.each([
    ["was killed", publishedFile, KILLED, "extra published/vaulthouse.duckdb.wal"],
    ["opened its own name and was killed", ownFile, KILLED, /extra published\/vaulthouse-.+\.wal/],
    ["has closed it", publishedFile, CLOSED, "content published/"],
    ["has closed its own name, a file apart", ownFileApart, CLOSED, "content published/"],
  ] as const)(
    "is news, and right again, where somebody who wrote to the last one %s",
    ([, fileIn, end, found]) =>
      Effect.gen(function* () {
        const dataDir = yield* publishedReadings
        const file = fileIn(dataDir)
        const another = join(dataDir, "published", "notes.duckdb.wal")
        writeFileSync(another, "of a database that is not vaulthouse's")
        // In a process of its own, which can be killed.
        const writer = `
        const { DuckDBInstance } = require("@duckdb/node-api")
        DuckDBInstance.create(process.argv[1]).then(async (instance) => {
          const connection = await instance.connect()
          await connection.run("DELETE FROM core.readings")
          ${end}
        })`
        spawnSync(process.execPath, ["-e", writer, file], { cwd: import.meta.dirname })
        const findings = (yield* verify(dataDir)).map(({ kind, path }) => `${kind} ${path}`)
        expect(findings.join()).toMatch(found)
        expect(yield* asRun(dataDir, changedSincePublication(published))).toBe(true)
        yield* asRun(dataDir, publishAll)
        expect(yield* verify(dataDir)).toEqual([])
        expect(yield* asRun(dataDir, changedSincePublication(published))).toBe(false)
        expect(existsSync(another)).toBe(true)
        const rowsThere = "SELECT count(*)::INTEGER > 0 AS are_there FROM core.readings"
        expect(yield* queryFile(fileIn(dataDir), rowsThere)).toEqual([{ are_there: true }])
        expect(existsSync(`${file}.wal`)).toBe(false)
      }),
  )

  it.live("clears what a killed publication left", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedNothing
      const left = join(dataDir, "published/.tmp-1.duckdb")
      writeFileSync(left, "half")
      yield* asRun(dataDir, publishAll)
      expect(existsSync(left)).toBe(false)
    }),
  )
})

describe("whether there is news", () => {
  const changed = (dataDir: string) => asRun(dataDir, changedSincePublication(published))

  it.live("facts are, tasks and cursors are not", () =>
    Effect.gen(function* () {
      expect(yield* changed(yield* temporaryFolder)).toBe(true)
      const dataDir = yield* publishedReadings
      const load = (value: number) => asRun(dataDir, commit(readingsBatch(twoMonths(value))))
      expect(yield* changed(dataDir)).toBe(false)
      yield* load(1)
      expect(yield* changed(dataDir)).toBe(false)
      yield* load(2)
      expect(yield* changed(dataDir)).toBe(true)
      yield* asRun(dataDir, publishAll)
      expect(yield* changed(dataDir)).toBe(false)
    }),
  )

  it.live("another setting of what is published is", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedNothing
      expect(yield* changed(dataDir)).toBe(false)
      expect(
        yield* asRun(dataDir, changedSincePublication({ ...published, access: { mode: "0640" } })),
      ).toBe(true)
    }),
  )

  it.live("a mart that is made differently is, other files of the package are not", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedNothing
      const record = (name: string, fingerprint: string) =>
        change(
          dataDir,
          `INSERT INTO ops.view_fingerprints (name, fingerprint) VALUES ('${name}', '${fingerprint}')`,
        )
      yield* record("*", "other files")
      expect(yield* changed(dataDir)).toBe(false)
      yield* record("mart.balances", "another query")
      expect(yield* changed(dataDir)).toBe(true)
    }),
  )

  it.live("views that were not recorded, or by another DuckDB, are", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedNothing
      const file = join(dataDir, "published/current.json")
      const current = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>
      for (const other of [{ views: undefined }, { duckdb: "v1.0.0" }]) {
        writeFileSync(file, JSON.stringify({ ...current, ...other }))
        expect(yield* changed(dataDir)).toBe(true)
      }
      writeFileSync(file, JSON.stringify(current))
      expect(yield* changed(dataDir)).toBe(false)
    }),
  )

  it.live("a publication that was not completed leaves it", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      const current = join(dataDir, "published/current.json")
      const before = readFileSync(current)
      yield* asRun(dataDir, Effect.andThen(commit(readingsBatch(twoMonths(2))), publishAll))
      // Killed after the stamp, before the copy was in place.
      writeFileSync(current, before)
      expect(yield* changed(dataDir)).toBe(true)
    }),
  )
})

describe("a publication that was killed", () => {
  const manifestIn = (dataDir: string) => join(dataDir, "parquet/current/manifest.json")
  const changed = (dataDir: string) => asRun(dataDir, changedSincePublication(published))

  it.live("is news where the manifest is lost", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      expect(yield* changed(dataDir)).toBe(false)
      rmSync(manifestIn(dataDir))
      expect(new Set((yield* verify(dataDir)).map(({ kind }) => kind))).toEqual(
        new Set(["missing", "extra"]),
      )
      expect(yield* changed(dataDir)).toBe(true)
      yield* asRun(dataDir, publishAll)
      expect(yield* verify(dataDir)).toEqual([])
      expect(yield* changed(dataDir)).toBe(false)
    }),
  )

  it.live("once it had put the copy in place, is news, though no row is", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      // In the way of current.json, which is written last: the copy is in place by then.
      const inTheWay = join(dataDir, "published/current.json.tmp")
      mkdirSync(inTheWay)
      expect(yield* Effect.flip(asRun(dataDir, publishAll))).toMatchObject({ reason: "Files" })
      rmdirSync(inTheWay)
      expect((yield* verify(dataDir)).map(({ kind }) => kind)).toContain("stamp")
      expect(yield* changed(dataDir)).toBe(true)
      yield* asRun(dataDir, publishAll)
      expect(yield* verify(dataDir)).toEqual([])
    }),
  )
})

describe("a publication without Parquet", () => {
  const parquetIn = (dataDir: string) =>
    readdirSync(join(dataDir, "parquet"), { recursive: true, encoding: "utf8" })

  it.live("removes the files of an earlier one, which would become stale", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      const exported = parquetIn(dataDir).filter((path) => /^files\/.*\.parquet$/.test(path)).length
      const load = commit(readingsBatch(twoMonths(2)))
      const { parquetRemoved } = yield* asRun(
        dataDir,
        Effect.andThen(load, publish(withoutParquet)),
      )
      expect(parquetRemoved).toBe(exported)
      expect(parquetIn(dataDir)).toEqual([])
      expect(yield* verify(dataDir)).toEqual([])
      const news = (options: typeof withoutParquet | typeof published) =>
        asRun(dataDir, changedSincePublication(options))
      expect(yield* news(withoutParquet)).toBe(false)
      expect(yield* news(published)).toBe(true)
      yield* asRun(dataDir, publishAll)
      expect(yield* verify(dataDir)).toEqual([])
      expect(parquetIn(dataDir).filter((path) => path.endsWith(".parquet")).length).toBeGreaterThan(
        exported,
      )
    }),
  )

  it.live("is news where there are still files", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedNothing
      expect(yield* asRun(dataDir, changedSincePublication(withoutParquet))).toBe(true)
    }),
  )
})

describe("the Parquet export", () => {
  it.live("writes only months whose rows changed, versions included", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      const before = readingsFiles(dataDir)
      expect(monthsOf(before)).toEqual(["2024-01", "2024-02"])
      const revision = readingsBatch([reading("a", 23, 2)])
      const { parquetWritten } = yield* asRun(dataDir, Effect.andThen(commit(revision), publishAll))
      // The month and its versions; tasks and publications are of every run.
      expect(parquetWritten).toBe(4)
      const [january, february] = readingsFiles(dataDir)
      expect(january).toBe(before[0])
      expect(february).not.toBe(before[1])
      const versions = `${dataDir}/parquet/current/core/readings_versions/**/*.parquet`
      expect(yield* inMemory(`SELECT value FROM read_parquet('${versions}')`)).toEqual([
        { value: 1 },
      ])
      expect(yield* verify(dataDir)).toEqual([])
    }),
  )

  it.live("holds what a commit changed after an export by the same process", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* asRun(
        dataDir,
        Effect.gen(function* () {
          for (const value of [1, 2, 3]) {
            yield* commit(readingsBatch(twoMonths(value)))
            yield* publishAll
          }
        }),
      )
      expect(yield* inMemory(`SELECT DISTINCT value FROM ${everyReading(dataDir)}`)).toEqual([
        { value: 3 },
      ])
    }),
  )

  it.live("drops months whose rows are gone, and nothing else", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      yield* asRun(
        dataDir,
        Effect.gen(function* () {
          const { execute } = yield* Warehouse
          const prune = "DELETE FROM core.readings WHERE observed_at < TIMESTAMP '2024-02-01'"
          yield* execute([prune], [readings])
          yield* publishAll
        }),
      )
      expect(yield* verify(dataDir)).toEqual([])
      expect(monthsOf(readingsFiles(dataDir))).toEqual(["2024-02"])
    }),
  )

  it.live("made whole has the months whose rows were changed by hand, and so have later ones", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      const byHand = Effect.flatMap(Warehouse, ({ exclusively }) =>
        exclusively("Changes by hand", async ({ connection }) => {
          await connection.run(`
            INSERT INTO core.readings SELECT * REPLACE (TIMESTAMP '2023-05-06' AS observed_at)
            FROM core.readings LIMIT 1;
            UPDATE core.readings SET value = 7 WHERE observed_at >= TIMESTAMP '2024-02-01';
            DELETE FROM core.readings WHERE observed_at BETWEEN TIMESTAMP '2024-01-01' AND TIMESTAMP '2024-01-31 23:59:59'`)
        }),
      )
      const stored = inMemory(`SELECT strftime(observed_at AT TIME ZONE 'UTC', '%Y-%m') AS month,
          list(DISTINCT value) AS values
        FROM '${dataDir}/parquet/current/core/readings/*.parquet' GROUP BY month ORDER BY month`)
      const expected = [
        { month: "2023-05", values: [1] },
        { month: "2024-02", values: [7] },
      ]
      yield* asRun(dataDir, Effect.andThen(byHand, publish({ ...published, rebuildAll: true })))
      expect(yield* stored).toEqual(expected)
      expect(yield* verify(dataDir)).toEqual([])
      yield* asRun(dataDir, publishAll)
      expect(yield* stored).toEqual(expected)
    }),
  )

  it.live("gives every file of a table the same columns after one was added", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      const grown: Table = {
        ...readings,
        columns: [...readings.columns, { name: "added", type: "double", comment: "Added" }],
      }
      const row = { ...reading("a", 23, 1), added: 5 }
      yield* asRun(dataDir, Effect.andThen(commit(batchOf([rowsOf(grown, [row])])), publishAll), {
        tables: [grown, ...sampleTables.slice(1)],
      })
      const columns = yield* inMemory(`SELECT count(*) AS files FROM parquet_schema(
        '${dataDir}/parquet/current/core/readings/**/*.parquet') WHERE name = 'added'`)
      expect(columns).toEqual([{ files: "2" }])
    }),
  )

  it.live("has the values of tables of every mode", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const described = (title: string) =>
        batchOf([rowsOf(descriptions, [{ vault_address: "a", title }])])
      const first = batchOf([], {
        bookkeeping: [rowsOf(once, [{ vault_address: "a", day: 19_753, value: 1 }])],
      })
      const differences = yield* asRun(
        dataDir,
        Effect.gen(function* () {
          yield* commitTogether([described("A"), first, readingsBatch(twoMonths(1))])
          yield* commitTogether([described("B"), readingsBatch(twoMonths(2))])
          yield* publishAll
          const { tables } = yield* Warehouse
          const compared = []
          for (const { schema, name, columns } of tables) {
            const files = `${dataDir}/parquet/current/${schema}/${name}/**/*.parquet`
            const [stored] = yield* rows(`SELECT count(*) AS rows FROM ${schema}.${name}`)
            const isThere = existsSync(join(dataDir, "parquet/current", schema, name))
            expect(isThere, name).toBe(
              stored?.["rows"] !== 0 && !["partition_changes", "layout"].includes(name),
            )
            if (!isThere || name === "publications") continue
            const list = columns.map((column) => `"${column.name}"`).join(", ")
            const different = yield* rows(`
              (SELECT ${list} FROM ${schema}.${name} EXCEPT ALL
                SELECT ${list} FROM read_parquet('${files}', hive_partitioning = false))
              UNION ALL (SELECT ${list} FROM read_parquet('${files}', hive_partitioning = false)
                EXCEPT ALL SELECT ${list} FROM ${schema}.${name})`)
            compared.push([name, different.length])
          }
          return compared
        }),
      )
      expect(differences.length).toBeGreaterThan(4)
      expect(differences.filter(([, count]) => count !== 0)).toEqual([])
    }),
  )
})

describe("who may read what is published", () => {
  const modes = (dataDir: string) =>
    readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => /\/(published|parquet)(\/|$)/.test(path))
      .map((path) => [statSync(path).isDirectory(), (statSync(path).mode & 0o777).toString(8)])

  const only = (dataDir: string) =>
    new Set(modes(dataDir).map(([isFolder, mode]) => `${isFolder ? "folder" : "file"} ${mode}`))

  it.live("its owner alone, or as the settings say; another setting changes every file", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* asRun(dataDir, Effect.andThen(commit(readingsBatch(twoMonths(1))), publishAll))
      expect(only(dataDir)).toEqual(new Set(["folder 700", "file 600"]))
      const access = { mode: "0640" }
      yield* asRun(dataDir, publish({ ...published, access }))
      expect(only(dataDir)).toEqual(new Set(["folder 750", "file 640"]))
      expect((statSync(dataDir).mode & 0o777).toString(8)).toBe("710")
      expect((statSync(join(dataDir, "vaulthouse.duckdb")).mode & 0o777).toString(8)).toBe("600")
    }),
  )

  it.live("has what readers are switched to, whatever fails after that", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      const publishing = publish({ ...published, access: { mode: "0640" } })
      yield* asRun(dataDir, publishing)
      const before = realpathSync(join(dataDir, "parquet/current"))
      // An earlier copy that can't be removed, which is done last.
      const left = join(dataDir, "published/vaulthouse-left.duckdb")
      mkdirSync(left)
      const load = commit(readingsBatch(twoMonths(2)))
      const failed = yield* Effect.flip(asRun(dataDir, Effect.andThen(load, publishing)))
      expect(failed).toMatchObject({ reason: "Files" })
      const current = realpathSync(join(dataDir, "parquet/current"))
      expect(current).not.toBe(before)
      const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
      const isFolder = (path: string) => statSync(path).isDirectory()
      const below = readdirSync(current, { recursive: true, encoding: "utf8" })
      const paths = [current, ...below.map((path) => join(current, path))]
      expect(new Set(paths.filter(isFolder).map(mode))).toEqual(new Set(["750"]))
      const files = paths.filter((path) => !isFolder(path))
      expect(new Set(files.map(mode))).toEqual(new Set(["640"]))
      expect(mode(join(dataDir, "published/current.json"))).toBe("640")
    }),
  )

  it.live("is not that of what a reader's query spills beside the copy, which comes and goes", () =>
    Effect.gen(function* () {
      const dataDir = yield* publishedReadings
      const spilled = join(dataDir, "published/vaulthouse.duckdb.tmp")
      const file = join(spilled, "duckdb_temp_storage-0.tmp")
      mkdirSync(spilled, { mode: 0o700 })
      writeFileSync(file, "", { mode: 0o600 })
      yield* asRun(dataDir, publish({ ...published, access: { mode: "0640" } }))
      expect([spilled, file].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
        "700",
        "600",
      ])
    }),
  )

  it.live("files get the group of a folder with the setgid bit, whose bit stays", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      chmodSync(dataDir, 0o2700)
      yield* asRun(dataDir, Effect.andThen(commit(readingsBatch(twoMonths(1))), publishAll))
      yield* asRun(dataDir, publish({ ...published, access: { mode: "0640" } }))
      for (const folder of ["", "published", "parquet", "parquet/current/core"]) {
        expect((statSync(join(dataDir, folder)).mode & 0o2000) !== 0, folder).toBe(true)
      }
    }),
  )
})
