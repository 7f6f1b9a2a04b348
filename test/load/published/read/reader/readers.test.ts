// Readers of a copy: a statement that crashes, hangs or grows costs itself and nothing else.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { bytesIn } from "../../../../../src/load/published/read/reader/ReaderProcess.ts"
import { makeReader, type Reader } from "../../../../../src/load/published/read/reader/readers.ts"
import { readerFolders } from "../../../../support/readerFolders.ts"
import { temporaryFolder } from "../../../../support/temporaryFolder.ts"

const limits = { memoryLimit: "300MB", diskLimit: "20MB" }

const copied = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "copy.duckdb")
  yield* Effect.promise(async () => {
    const instance = await DuckDBInstance.create(file)
    const connection = await instance.connect()
    await connection.run(
      "create table t as select range as i, 'v' || range as v from range(100000)",
    )
    connection.closeSync()
    instance.closeSync()
  })
  return file
})

const readers = Effect.flatMap(copied, (file) => makeReader({ ...limits, file }))

const one = (reader: Reader) => reader.rows("select count(*)::integer as n from t")

const failure = (reader: Reader, sql: string) =>
  reader.rows(sql).pipe(
    Effect.flip,
    Effect.map(({ message }) => message),
  )

it.live("a copy that can't be opened for too little memory names the setting", () =>
  Effect.gen(function* () {
    const file = yield* copied
    const reader = yield* makeReader({ file, memoryLimit: "1KB", diskLimit: "20MB" })
    expect(yield* failure(reader, "select 1")).toBe(
      `The published copy ${file} can't be opened with 1KB of memory.\nRaise the setting queryMemoryLimit.`,
    )
  }).pipe(Effect.scoped),
)

describe("a statement", () => {
  it.live("that ends DuckDB is answered in one sentence, and the next one runs", () =>
    Effect.gen(function* () {
      const reader = yield* readers
      const crash = "select json_structure(repeat('[', 1000000) || repeat(']', 1000000)) is null"
      expect(yield* failure(reader, crash)).toMatch(
        /^DuckDB ended while it ran this query \(SIG\w+\)\.$/m,
      )
      expect(yield* one(reader)).toEqual([{ n: 100_000 }])
    }).pipe(Effect.scoped),
  )

  it.live("that can't be interrupted is killed at its time, and the next one runs", () =>
    Effect.gen(function* () {
      const reader = yield* readers
      yield* one(reader)
      const endless = "select levenshtein(repeat('a', 1000000), repeat('b', 1000000))"
      const ended = yield* reader.rows(endless).pipe(Effect.timeoutOption("200 millis"))
      expect(ended._tag).toBe("None")
      expect(yield* one(reader)).toEqual([{ n: 100_000 }])
    }).pipe(Effect.scoped),
  )

  it.live("that is stopped while its process starts does not run, and the next one does", () =>
    Effect.gen(function* () {
      const reader = yield* readers
      const endless = "select count(*) from range(100000000000) a, range(1000) b"
      yield* reader.rows(endless).pipe(Effect.timeoutOption("1 millis"))
      expect(yield* one(reader)).toEqual([{ n: 100_000 }])
    }).pipe(Effect.scoped),
  )

  it.live("that is stopped keeps its process", () =>
    Effect.gen(function* () {
      const reader = yield* readers
      const id = "select current_connection_id()::varchar as id, count(*)::integer as n from t"
      const before = yield* reader.rows(id)
      const endless = "select count(*) from range(100000000000) a, range(1000) b"
      yield* reader.rows(endless).pipe(Effect.timeoutOption("200 millis"))
      expect(yield* reader.rows(id)).toEqual(before)
    }).pipe(Effect.scoped),
  )

  it.live(
    "with large values ends before its limit, nested ones included, and each is measured first",
    () =>
      Effect.gen(function* () {
        const reader = yield* readers
        const read = (sql: string, maxBytes: number) =>
          reader.query(
            sql,
            {},
            async ({ rows, isCut }) => {
              let [bytes, count] = [0, 0]
              for await (const batch of rows) {
                count += batch.length
                bytes += JSON.stringify(batch).length
              }
              return { bytes, count, isCut: isCut() }
            },
            maxBytes,
          )
        const a = "repeat('x', 4000) || range"
        for (const value of [
          a,
          `[${a}, ${a}]`,
          `{'k': {'l': [${a}, ${a}]}}`,
          `map {'k': [${a}], 'l': [${a}]}`,
          `array_value(${a}, ${a})`,
          `union_value(u := [${a}, ${a}])`,
          `[[${a}], [${a}]]::variant`,
          `(${a})::blob`,
          `repeat('1', 4000)::bit`,
        ]) {
          const found = yield* read(`select ${value} from range(100000)`, 1_000_000)
          expect({ value, ...found }).toMatchObject({ isCut: true })
          expect(found.bytes).toBeLessThan(1_300_000)
          expect(found.bytes).toBeGreaterThan(200_000)
        }
        expect(yield* read("select repeat('x', 2000000)", 1_000_000)).toMatchObject({
          count: 0,
          isCut: true,
        })
        // Six times as long once it is escaped.
        const escaped = yield* read("select repeat(chr(0), 4000) from range(100000)", 1_000_000)
        expect(escaped).toMatchObject({ isCut: true })
        expect(escaped.bytes).toBeLessThan(1_300_000)
        expect(yield* failure(reader, "select repeat(chr(0), 100000000)")).toMatch(
          /A row of the result has about \d+ MB/,
        )
        expect(yield* read("select range from range(1000)", 1_000_000)).toMatchObject({
          count: 1000,
          isCut: false,
        })
        expect(yield* one(reader)).toEqual([{ n: 100_000 }])
      }).pipe(Effect.scoped),
  )

  it.live("whose columns have long names or types is refused before a row is sent", () =>
    Effect.gen(function* () {
      const reader = yield* readers
      const tenfold = (inner: string) =>
        `select columns('(.*)') as "${String.raw`\1`.repeat(10)}" from (${inner})`
      const long = `select i as "${"n".repeat(100)}" from range(20000) t(i)`
      for (const sql of [
        tenfold(tenfold(tenfold(long))),
        `select ${"*, ".repeat(999)}* from (${tenfold(long)})`,
        `select ${"1, ".repeat(9999)}1`,
        `select {${Array.from({ length: 8000 }, (_, at) => `'field ${at}': 1`).join(", ")}} as s`,
      ]) {
        expect(yield* failure(reader, sql)).toMatch(
          /^The names and types of the result's columns \(\d+\) have about \d+ kB; at most 64 kB are possible\.\nSelect fewer columns/,
        )
      }
      const ofOne = (bytes: number) => `select 1 as "${"n".repeat(bytes)}"`
      expect(yield* failure(reader, ofOne(100_000))).toContain("columns (1) have about 101 kB; at")
      const [row = {}] = yield* reader.rows(`${tenfold(tenfold(long))} limit 1`)
      expect(Object.keys(row)).toEqual(["n".repeat(10_000)])
      expect(yield* one(reader)).toEqual([{ n: 100_000 }])
    }).pipe(Effect.scoped),
  )

  it.live("that fails with a long message is answered with the beginning of it", () =>
    Effect.gen(function* () {
      const reader = yield* readers
      for (const sql of [
        "select repeat('x', 1000000)::integer",
        "select error('x' || repeat('😀', 1000000))",
        "select error(repeat('😀', 1000000))",
        "select error(repeat(chr(10), 1000000))",
      ]) {
        const message = yield* failure(reader, sql)
        expect(message).toMatch(/^DuckDB refused the query: .*… \(cut after 10000 characters\)$/s)
        expect(message.length).toBeLessThan(10_100)
        expect(message.isWellFormed()).toBe(true)
      }
      expect(yield* failure(reader, "select 'x'::integer")).not.toContain("cut after")
    }).pipe(Effect.scoped),
  )

  it.live("that needs too much memory or disk is refused, without a path of this machine", () =>
    Effect.gen(function* () {
      const reader = yield* readers
      const messages = [
        yield* failure(reader, "select repeat('x', 100000000) || range from range(2048)"),
        yield* failure(reader, "select i from range(50000000) r(i) order by hash(i), i::varchar"),
        yield* reader
          .exportParquet("select uuid() from range(10000000)", 10_000_000, () => Promise.resolve())
          .pipe(
            Effect.flip,
            Effect.map(({ message }) => message),
          ),
        yield* failure(reader, "select * from 'nowhere.csv'"),
      ]
      for (const message of messages) {
        expect(message).toMatch(/Out of Memory|too large|limit|Cannot access file/)
        expect(message).not.toContain(tmpdir())
      }
      expect(yield* one(reader)).toEqual([{ n: 100_000 }])
    }).pipe(Effect.scoped),
  )

  it.live("is exported with comments and a semicolon after it, and leaves no file", () =>
    Effect.gen(function* () {
      const folders = yield* readerFolders
      const reader = yield* readers
      const start = yield* reader.exportParquet(
        "select 1 as a; -- c\n/* d */ ;",
        10,
        (file, rows) => Promise.resolve({ rows, start: readFileSync(file).subarray(0, 4) }),
      )
      expect(start).toMatchObject({ rows: 1 })
      expect(String(start.start)).toBe("PAR1")
      expect(folders()).toHaveLength(1)
      for (const folder of folders()) expect(readdirSync(folder)).toEqual(["spill"])
    }).pipe(Effect.scoped),
  )

  it.live("is exported and spills after the temporary folder was cleaned", () =>
    Effect.gen(function* () {
      const folders = yield* readerFolders
      const reader = yield* readers
      expect(yield* one(reader)).toEqual([{ n: 100_000 }])
      for (const folder of folders()) rmSync(folder, { recursive: true })
      const exported = reader.exportParquet("select 1 as a", 10, (_file, rows) =>
        Promise.resolve(rows),
      )
      expect(yield* exported).toBe(1)
      for (const folder of folders()) rmSync(join(folder, "spill"), { recursive: true })
      expect(yield* exported).toBe(1)
      expect(folders()).toHaveLength(1)
    }).pipe(Effect.scoped),
  )
})

it.live.skipIf(process.platform !== "linux")(
  "a reader that is to yield the processors does so with every thread, those of DuckDB included",
  () =>
    Effect.gen(function* () {
      const folders = yield* readerFolders
      const reader = yield* makeReader({ ...limits, file: yield* copied, isNice: true })
      // It has used them all.
      yield* reader.rows("select count(distinct i % 1000) as n from t")
      const [folder = ""] = folders()
      const pid = readdirSync("/proc").find(
        (name) => /^\d+$/.test(name) && commandOf(name).includes(folder),
      )
      const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
        niceOf(`${pid}/task/${thread}`),
      )
      expect(threads.length).toBeGreaterThan(5)
      expect(new Set(threads)).toEqual(new Set([Math.min(19, niceOf("self") + 10)]))
    }).pipe(Effect.scoped),
)

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** The 19th field, counted after the name, which may have spaces. */
const niceOf = (process: string): number =>
  Number(/\) (.*)/s.exec(readFileSync(`/proc/${process}/stat`, "utf8"))?.[1]?.split(" ")[16])

it.live("a file that is no copy is named, and nothing of the attempt stays", () =>
  Effect.gen(function* () {
    const folders = yield* readerFolders
    const reader = yield* makeReader({ ...limits, file: "/etc/hostname" })
    const { message } = yield* Effect.flip(reader.open)
    expect(message).toMatch(/\/etc\/hostname can't be opened: .*vaulthouse publish --all/s)
    expect(folders()).toEqual([])
  }).pipe(Effect.scoped),
)

it("amounts of memory are read as DuckDB reads them", () => {
  expect(["1GB", "1 GiB", "500MB", "1.5KiB", "2TB"].map(bytesIn)).toEqual([
    1e9,
    1024 ** 3,
    5e8,
    1536,
    2e12,
  ])
})

it.live(
  "a copy with the log of a writer that was killed is refused, and the log left to the writer",
  () =>
    Effect.gen(function* () {
      const file = yield* copied
      // In a process of its own, which can be killed.
      const writer = `
      const { DuckDBInstance } = require("@duckdb/node-api")
      DuckDBInstance.create(process.argv[1]).then(async (instance) => {
        const connection = await instance.connect()
        await connection.run("INSERT INTO t VALUES (-1, 'never published')")
        process.kill(process.pid, "SIGKILL")
      })`
      spawnSync(process.execPath, ["-e", writer, file], { cwd: import.meta.dirname })
      const reader = yield* makeReader({ ...limits, file })
      expect(yield* failure(reader, "select count(*) from t")).toMatch(
        /can't be opened: there is copy\.duckdb\.wal of a program that has opened it to write\. .*\nRun /,
      )
      expect(existsSync(`${file}.wal`)).toBe(true)
    }).pipe(Effect.scoped),
)
