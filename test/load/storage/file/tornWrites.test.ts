// Writes of a checkpoint that end halfway: the warehouse opens with every row. Whatever else is damaged stays as it is.
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { convert } from "../../../../src/load/duckdb/readRows.ts"
import { transaction } from "../../../../src/load/duckdb/transaction.ts"
import { databaseFile, duckdbFile } from "../../../../src/load/storage/file/duckdbFile.ts"
import { mendTornWrites } from "../../../../src/load/storage/file/tornWrites.ts"
import type { Database } from "../../../../src/load/storage/Storage.ts"
import { operationTables } from "../../../../src/load/tables/index.ts"
import { readings } from "../../sample.ts"

const BLOCK = 262_144
const SLOT = 4096

const folders: Array<string> = []
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true })))

/** The files of a warehouse by the end of their names; absent ones `undefined`. */
const ENDS = ["", ".wal", ".doublewrite"] as const
type Files = Readonly<Record<(typeof ENDS)[number], Buffer | undefined>>

const folderWith = (files?: Files): string => {
  const dataDir = mkdtempSync(join(tmpdir(), "vaulthouse-test-"))
  folders.push(dataDir)
  for (const end of ENDS) {
    const content = files?.[end]
    if (content !== undefined) writeFileSync(databaseFile(dataDir) + end, content)
  }
  return dataDir
}

/** Closing a descriptor of a database drops DuckDB's lock, which no other process wants here. */
const filesOf = (dataDir: string): Files => {
  const read = (end: string) =>
    existsSync(databaseFile(dataDir) + end) ? readFileSync(databaseFile(dataDir) + end) : undefined
  return { "": read(""), ".wal": read(".wal"), ".doublewrite": read(".doublewrite") }
}

const open = (dataDir: string): Promise<Database> =>
  duckdbFile(dataDir).open({ dataDir, runId: "run", threads: 1 }, [readings, ...operationTables])

const opened = async <A>(dataDir: string, work: (database: Database) => Promise<A>): Promise<A> => {
  const database = await open(dataDir)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const change = ({ writer, exclusively }: Database, sql: string): Promise<unknown> =>
  transaction({ connection: writer, exclusively, accepts: () => true }, () => writer.run(sql))

const TABLES = 24
const COLUMNS = Array.from({ length: 80 }, (_, at) => `range + ${at} AS c${at}`).join(", ")

/** The rows of every table. */
const rows = ({ writer }: Database): Promise<unknown> => {
  const counts = Array.from(
    { length: TABLES },
    (_, at) => `SELECT ${at}, count(*), sum(c1)::BIGINT, sum(c79)::BIGINT FROM core.t${at}`,
  )
  return writer
    .runAndReadAll(`${counts.join(" UNION ALL ")} ORDER BY 1`)
    .then((result) => result.convertRows(convert))
}

/** A warehouse whose metadata have free parts in several blocks, and commits in its log. */
const prepare = async (database: Database): Promise<void> => {
  for (let at = 0; at < TABLES; at++) {
    await change(database, `CREATE TABLE core.t${at} AS SELECT ${COLUMNS} FROM range(20)`)
    if (at % 8 === 7) await database.checkpoint()
  }
  for (let at = 0; at < TABLES; at += 3) {
    await change(database, `INSERT INTO core.t${at} (c1, c2) SELECT -1, 5 FROM range(9)`)
  }
}

type Abort = "after_free_list_write" | "before_truncate"

/** The files of that warehouse before a checkpoint, and after one that ended there. */
const interrupted = async (abort: Abort) => {
  const dataDir = folderWith()
  const database = await open(dataDir)
  await prepare(database)
  const found = await rows(database)
  const before = filesOf(dataDir)
  await database.writer.run(`SET debug_checkpoint_abort = '${abort}'`)
  await expect(database.checkpoint()).rejects.toThrow("Checkpoint aborted")
  const after = filesOf(dataDir)
  await database.close()
  return { found, before, after }
}

const whole = (files: Files, end: keyof Files = ""): Buffer => {
  const content = files[end]
  if (content === undefined) throw new Error(`no file ${end}`)
  return content
}

/** Where the pieces are that a checkpoint may write over, as they are kept. */
const placesOf = (files: Files): ReadonlyArray<readonly [number, number]> =>
  JSON.parse(whole(files, ".doublewrite").toString("latin1").split("\n")[1] ?? "") as Array<
    [number, number]
  >

/** `written`, with the bytes of `before` from `from` to `to`. */
const mixed = (written: Buffer, before: Buffer, from: number, to: number): Buffer => {
  const content = Buffer.from(written)
  before.copy(content, from, from, to)
  return content
}

const flipped = (content: Buffer, at: number): Buffer => {
  const damaged = Buffer.from(content)
  damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at)
  return damaged
}

describe("a checkpoint that a kill or a power cut ends while it writes", () => {
  let blocks: Awaited<ReturnType<typeof interrupted>>
  let header: Awaited<ReturnType<typeof interrupted>>
  let changed: ReadonlyArray<number>
  /** Half of each block that it wrote over. */
  let halves: Buffer
  beforeAll(async () => {
    blocks = await interrupted("after_free_list_write")
    header = await interrupted("before_truncate")
    const [was, is] = [whole(blocks.before), whole(blocks.after)]
    changed = placesOf(blocks.after)
      .filter(([at, length]) => !was.subarray(at, at + length).equals(is.subarray(at, at + length)))
      .map(([at]) => at)
    halves = changed.reduce((file, at) => mixed(file, was, at + BLOCK / 2, at + BLOCK), is)
  })

  it("writes over several blocks that its current header needs", () => {
    expect(changed.length).toBeGreaterThan(1)
    expect(changed.every((at) => at >= 3 * SLOT)).toBe(true)
  })

  const rowsFrom = (files: Files): Promise<unknown> => opened(folderWith(files), rows)

  it("opens with every row wherever in a block it ends, from the front or from the back", async () => {
    const [was, is] = [whole(blocks.before), whole(blocks.after)]
    for (const at of changed) {
      for (const cut of [8, BLOCK / 2]) {
        for (const [from, to] of [
          [at + cut, at + BLOCK],
          [at, at + cut],
        ] as const) {
          expect(await rowsFrom({ ...blocks.after, "": mixed(is, was, from, to) })).toEqual(
            blocks.found,
          )
        }
      }
    }
  })

  it("opens with every row where all of them end halfway, at once", async () => {
    const files = { ...blocks.after, "": halves }
    expect(await rowsFrom(files)).toEqual(blocks.found)
    // Without what was kept, that is a file that does not open.
    const opening = opened(folderWith({ ...files, ".doublewrite": undefined }), rows)
    await expect(opening).rejects.toThrow(/Corrupt database file|checksum/)
  })

  it("opens with every row where the header ends halfway, or is whole", async () => {
    const [was, is] = [whole(header.before), whole(header.after)]
    const slot = [SLOT, 2 * SLOT].find(
      (at) => !was.subarray(at, at + SLOT).equals(is.subarray(at, at + SLOT)),
    )
    if (slot === undefined) throw new Error("no header was written")
    for (const cut of [8, 20]) {
      const torn = mixed(is, was, slot + cut, slot + SLOT)
      expect(await rowsFrom({ ...header.after, "": torn })).toEqual(header.found)
    }
    expect(await rowsFrom(header.after)).toEqual(header.found)
  })

  it("repeats a repair that is itself interrupted", async () => {
    const [first = 0] = changed
    // Half of the first block is put back.
    const again = mixed(halves, whole(blocks.before), first, first + BLOCK / 4)
    expect(await rowsFrom({ ...blocks.after, "": again })).toEqual(blocks.found)
  })

  it("`doctor` changes nothing, and says that the next run puts it right", async () => {
    const dataDir = folderWith({ ...blocks.after, "": halves })
    const condition = await duckdbFile(dataDir).inspect([readings])
    expect(condition).toMatchObject({ state: "broken", advice: /next run/ })
    expect(filesOf(dataDir)[""]?.equals(halves)).toBe(true)
  })

  it("leaves no descriptor, whose end would drop the lock of who opens the database next", async () => {
    const dataDir = folderWith({ ...blocks.after, "": halves })
    const file = databaseFile(dataDir)
    await mendTornWrites(file)
    expect(filesOf(dataDir)[""]?.equals(halves)).toBe(false)
    const descriptors = readdirSync("/proc/self/fd").flatMap((each) => {
      try {
        return [readlinkSync(`/proc/self/fd/${each}`)]
      } catch {
        // The one that listed them.
        return []
      }
    })
    expect(descriptors).not.toContain(file)
  })

  /** What opening these files changes and says. */
  const outcomeOf = async (files: Files) => {
    const dataDir = folderWith(files)
    await mendTornWrites(databaseFile(dataDir))
    const isChanged = filesOf(dataDir)[""]?.equals(whole(files)) !== true
    const said = await opened(dataDir, rows).then(() => "nothing", String)
    return { isChanged, said }
  }
  const refused = {
    isChanged: false,
    said: expect.stringMatching(/Corrupt database file|checksum/) as unknown,
  }

  it("leaves other damage alone, which is reported", async () => {
    // A byte of a block that no checkpoint writes over.
    const kept = new Set(placesOf(blocks.after).map(([at]) => at))
    const file = whole(blocks.after)
    const others = Array.from({ length: (whole(blocks.before).length - 3 * SLOT) / BLOCK })
      .map((_, at) => 3 * SLOT + at * BLOCK)
      .filter((at) => !kept.has(at))
    expect(others.length).toBeGreaterThan(1)
    const damaged = others.reduce((content, at) => flipped(content, at + BLOCK / 4), file)
    expect(await outcomeOf({ ...blocks.after, "": damaged })).toEqual(refused)
    // The header that counts.
    const headers = [SLOT, 2 * SLOT].reduce((content, at) => flipped(content, at + 100), file)
    expect(await outcomeOf({ ...blocks.after, "": headers })).toEqual(refused)
  })

  it("ignores what was kept for another header, and what was not written whole", async () => {
    const [at = 0] = changed
    const kept = whole(blocks.after, ".doublewrite")
    for (const content of [
      flipped(kept, kept.length - 1),
      kept.subarray(0, kept.length / 2),
      kept.subarray(0, 10),
      Buffer.alloc(0),
    ]) {
      expect(await outcomeOf({ ...blocks.after, "": halves, ".doublewrite": content })).toEqual(
        refused,
      )
    }
    // The checkpoint after that one was over, and a block of its own is damaged.
    const later = whole(header.after)
    expect(
      await outcomeOf({
        "": flipped(later, at + 3 * SLOT),
        ".wal": undefined,
        ".doublewrite": whole(header.after, ".doublewrite"),
      }),
    ).toEqual(refused)
  })
})

describe("before a checkpoint", () => {
  /** The slots of the headers, in the database or as they are kept. */
  const slotsIn = ({ "": file }: Files): Buffer => Buffer.from(file?.subarray(SLOT, 3 * SLOT) ?? "")
  const slotsKept = (files: Files): Buffer => {
    const kept = whole(files, ".doublewrite")
    const start = kept.indexOf("\n", 65) + 1
    return Buffer.from(kept.subarray(start, start + 2 * SLOT))
  }

  it("of a COMMIT, a command or the end, what it may write over is kept", async () => {
    const dataDir = folderWith()
    const database = await open(dataDir)
    await change(database, "CREATE TABLE core.many AS SELECT range FROM range(10)")
    for (const checkpoint of [
      () => database.checkpoint(),
      async () => {
        await database.writer.run("SET checkpoint_threshold = '1kB'")
        await change(database, "INSERT INTO core.many SELECT range FROM range(5000)")
        await database.writer.run("SET checkpoint_threshold = '32MB'")
      },
      async () => {
        await change(database, "INSERT INTO core.many VALUES (1)")
        await database.close()
      },
    ]) {
      const before = slotsIn(filesOf(dataDir))
      await checkpoint()
      const after = filesOf(dataDir)
      expect(slotsIn(after).equals(before)).toBe(false)
      expect(slotsKept(after).equals(before)).toBe(true)
    }
  })

  it.each([
    ["another file's by now", 3],
    ["closed", 0],
  ])(
    "where something else in this process had the file open, and its descriptor is %s",
    async (_, count) => {
      const dataDir = folderWith()
      await opened(dataDir, (database) =>
        change(database, "CREATE TABLE core.many AS SELECT range FROM range(10)"),
      )
      // It gets a lower number than DuckDB's.
      const first = openSync(databaseFile(dataDir), "r")
      const database = await open(dataDir)
      await change(database, "INSERT INTO core.many VALUES (1)")
      closeSync(first)
      const others = Array.from({ length: count }, () => openSync(import.meta.filename, "r"))
      const before = slotsIn(filesOf(dataDir))
      await change(database, "INSERT INTO core.many SELECT range FROM range(5000)")
      await database.checkpoint()
      await change(database, "INSERT INTO core.many VALUES (2)")
      const between = slotsIn(filesOf(dataDir))
      await database.checkpoint()
      expect(between.equals(before)).toBe(false)
      expect(slotsKept(filesOf(dataDir)).equals(between)).toBe(true)
      others.forEach(closeSync)
      await database.close()
    },
  )

  it("of what a killed command left, when the next one only reads, too", async () => {
    const killed = folderWith()
    const database = await open(killed)
    await change(database, "CREATE TABLE core.many AS SELECT range FROM range(10)")
    const files = { ...filesOf(killed), ".doublewrite": undefined }
    await database.close()
    const dataDir = folderWith(files)
    await opened(dataDir, async () => undefined)
    const after = filesOf(dataDir)
    expect(after[".wal"]).toBe(undefined)
    expect(slotsIn(after).equals(slotsIn(files))).toBe(false)
    expect(slotsKept(after).equals(slotsIn(files))).toBe(true)
  })
})
