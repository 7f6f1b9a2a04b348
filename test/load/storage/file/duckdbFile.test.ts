// A warehouse in a file: what `doctor` finds of it, what its copies hold, and who may open it.
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  copyBeforeMigration,
  databaseFile,
  duckdbFile,
  isPresent,
} from "../../../../src/load/storage/file/duckdbFile.ts"
import { acquireLock } from "../../../../src/load/lock/LockFile.ts"
import { publish } from "../../../../src/load/published/publish.ts"
import { verify } from "../../../../src/load/published/verify/verify.ts"
import { transaction } from "../../../../src/load/duckdb/transaction.ts"
import { operationTables } from "../../../../src/load/tables/index.ts"
import { replacing } from "../../../support/disk/replacing.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, queryFile } from "../../../support/warehouseRun.ts"
import { commit, inWarehouse, reading, readings, readingsBatch } from "../../sample.ts"

it.effect("is absent before the first run, held during one, and opens after it", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const inspected = Effect.promise(() => duckdbFile(dataDir).inspect([readings]))
    const states = [(yield* inspected).state]
    const run = Effect.gen(function* () {
      yield* commit(readingsBatch([reading("a", 0, 1)]))
      states.push((yield* inspected).state)
    })
    yield* inWarehouse(dataDir, run, { tables: [readings] })
    states.push((yield* inspected).state)
    expect(states).toEqual(["absent", "held", "opens"])
  }),
)

it.effect("runs no SQL that somebody has put into it with access to other files", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const tables = [readings, ...operationTables]
    yield* inWarehouse(dataDir, commit(readingsBatch([reading("a", 0, 1)])), { tables })
    const secret = join(yield* temporaryFolder, "secret")
    writeFileSync(secret, "nobody may read this")
    yield* change(
      dataDir,
      "DROP TABLE ops.runs",
      `CREATE VIEW ops.runs AS
       SELECT content AS run_id, 'x' AS command, 'x' AS outcome, 1 AS started_at
       FROM read_text('${secret}')`,
    )
    expect(yield* Effect.promise(() => duckdbFile(dataDir).inspect(tables))).toEqual({
      state: "broken",
      why: expect.stringContaining("Cannot access file") as unknown,
    })
    const { writer, reader } = yield* opened(dataDir)
    for (const connection of [writer, reader]) {
      for (const sql of ["FROM ops.runs", `ATTACH '${secret}.duckdb'`, "LOAD httpfs"]) {
        const why = yield* Effect.promise(() => connection.run(sql).then(() => "ran", String))
        expect(why).toContain("Permission Error")
      }
    }
  }).pipe(Effect.scoped),
)

it.effect("may be beside folders for what is published that are links to another disk", () =>
  Effect.gen(function* () {
    const [dataDir, disk] = [yield* temporaryFolder, yield* temporaryFolder]
    for (const name of ["published", "parquet"]) {
      mkdirSync(join(disk, name))
      symlinkSync(join(disk, name), join(dataDir, name))
    }
    yield* inWarehouse(
      dataDir,
      Effect.andThen(
        commit(readingsBatch([reading("a", 0, 1)])),
        publish({ parquet: { marts: false } }),
      ),
    )
    expect(yield* verify(dataDir)).toEqual([])
    expect(readdirSync(join(disk, "parquet"))).toContain("current")
  }),
)

const opened = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      duckdbFile(dataDir).open({ dataDir, runId: "run", threads: 1 }, [
        readings,
        ...operationTables,
      ]),
    ),
    (database) => Effect.promise(() => database.close()),
  )

it.effect("is its owner's alone with its log, whatever the umask and the run before left", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const files = [databaseFile(dataDir), `${databaseFile(dataDir)}.wal`]
    const modes = () => files.map((file) => statSync(file).mode & 0o777)
    const umask = process.umask(0)
    yield* Effect.addFinalizer(() => Effect.sync(() => process.umask(umask)))
    for (const run of [1, 2]) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { writer, exclusively, accepts } = yield* opened(dataDir)
          yield* Effect.promise(() =>
            transaction({ connection: writer, exclusively, accepts }, () =>
              writer.run(`create table core.run_${run} (i integer)`),
            ),
          )
          expect(modes()).toEqual([0o600, 0o600])
        }),
      )
      chmodSync(databaseFile(dataDir), 0o644)
    }
  }),
)

it.effect("has every row in its copies, those that only the log had too", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const { writer, exclusively, accepts, keepCopy, makeCopy, rowCounts } = yield* opened(dataDir)
    const add = (value: number) =>
      transaction({ connection: writer, exclusively, accepts }, () =>
        writer.run("insert into core.added values ($value)", { value }),
      )
    const values = (file: string) => queryFile(file, "select i from core.added order by i")
    yield* Effect.promise(async () => {
      await writer.run("create table core.added (i integer)")
      await add(1)
      expect(existsSync(`${databaseFile(dataDir)}.wal`)).toBe(true)
      await keepCopy()
      await add(2)
    })
    expect(yield* values(copyBeforeMigration(dataDir))).toEqual([{ i: 1 }])
    expect(statSync(copyBeforeMigration(dataDir)).mode & 0o777).toBe(0o600)
    const file = join(dataDir, "copy.duckdb")
    const completed = yield* Effect.promise(() =>
      makeCopy({ file, previous: undefined, complete: () => add(3).then(() => "completed") }),
    )
    expect(completed).toBe("completed")
    expect(yield* values(file)).toEqual([{ i: 1 }, { i: 2 }, { i: 3 }])
    const counts = yield* Effect.promise(rowCounts)
    expect([counts.get("core.added"), counts.get("core.readings")]).toEqual([3, 0])
  }).pipe(Effect.scoped),
)

const failureToOpen = (dataDir: string) =>
  Effect.promise(() =>
    duckdbFile(dataDir)
      .open({ dataDir, runId: "run", threads: 1 }, [readings])
      .catch((cause: unknown) => cause),
  )

it.effect("is not said to be absent where that can't be seen", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    expect(isPresent(join(folder, "none/vaulthouse.duckdb"))).toBe(false)
    // For root too, as a folder that this user may not enter is for others.
    symlinkSync("loop", join(folder, "loop"))
    expect(() => isPresent(join(folder, "loop/vaulthouse.duckdb"))).toThrow(/ELOOP/)
  }),
)

it.effect("is not taken for locked where it is no database", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    writeFileSync(databaseFile(dataDir), "no database".repeat(1000))
    expect(String(yield* failureToOpen(dataDir))).toContain("not a valid DuckDB database file")
  }),
)

/** Another program that has the warehouse open, until it is killed or is sent a line. */
const opener = Effect.fnUntraced(function* (dataDir: string, access: "READ_ONLY" | "READ_WRITE") {
  const script = `
    const { DuckDBInstance } = require("@duckdb/node-api")
    DuckDBInstance.create(process.argv[1], { access_mode: process.argv[2] }).then((instance) => {
      console.log("open")
      process.stdin.once("data", () => setTimeout(() => process.exit(), 500))
    })`
  const other = spawn(process.execPath, ["-e", script, databaseFile(dataDir), access], {
    cwd: import.meta.dirname,
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => other.kill("SIGKILL")))
  yield* Effect.promise(() => once(other.stdout, "data"))
  return other
})

it.live("is locked where another program has it open to write", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* Effect.scoped(opened(dataDir))
    yield* opener(dataDir, "READ_WRITE")
    const failure = yield* failureToOpen(dataDir)
    expect(failure).toMatchObject({ _tag: "WarehouseLocked", file: databaseFile(dataDir) })
  }).pipe(Effect.scoped),
)

it.live("is opened once `doctor`, which only looks at it, has closed it", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* Effect.scoped(opened(dataDir))
    const other = yield* opener(dataDir, "READ_ONLY")
    other.stdin.write("half a second more\n")
    yield* inWarehouse(dataDir, commit(readingsBatch([reading("a", 0, 1)])))
    expect(other.exitCode).toBe(0)
  }).pipe(Effect.scoped),
)

it.live("is held, not damaged, where a run has begun since `doctor` looked for one", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* Effect.scoped(opened(dataDir))
    yield* opener(dataDir, "READ_WRITE")
    const inspected = Effect.promise(() => duckdbFile(dataDir).inspect([readings]))
    const lock = yield* Effect.promise(() => acquireLock(dataDir, "2026-06-01T00:00:00Z"))
    yield* Effect.addFinalizer(() => Effect.sync(lock.release))
    let looks = 0
    yield* replacing("readFileSync", (read) => {
      const looking = (file: string, ...more: [never]): unknown => {
        const isHolder = file === join(dataDir, "writer.json")
        if (isHolder) looks += 1
        if (isHolder && looks === 1) throw new Error("ENOENT")
        return read(file, ...more)
      }
      return looking as typeof read
    })
    expect(yield* inspected).toMatchObject({ state: "held", by: { pid: process.pid } })
    expect(looks).toBe(2)
  }).pipe(Effect.scoped),
)
