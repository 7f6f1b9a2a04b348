// A restore into a folder that something else is left in: what was restored is the backup, and nothing becomes less.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { hash } from "node:crypto"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { backup } from "../../../src/pipelines/backup/backup.ts"
import { restore } from "../../../src/pipelines/backup/restore.ts"
import { expectTruth, fingerprint, simulated } from "../../support/simulated.ts"
import { content, replayed, segments } from "../../support/replays.ts"
import { shared, sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { changeFile, runOnce } from "../../support/warehouseRun.ts"

const publish = { parquet: undefined }
const pipelines = ["vaults", "ratio_history"]
/** What `expectTruth` compares. */
const histories = ["ratio_history", "pnl_history", "apy_history", "allocation_history"]
const world = { days: 20, vaults: 3, start: "2026-05-12T12:00:00Z" }

const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 2 })
    yield* runOnce(simulator.url, dataDir, { pipelines, publish })
  }),
)

const backedUp = Effect.gen(function* () {
  const [dataDir, folder] = [yield* synced, yield* temporaryFolder]
  const target = join(folder, "backup")
  yield* backup({ dataDir }, target)
  return { dataDir, target, database: join(dataDir, "vaulthouse.duckdb") }
})

it.live(
  "of a backup that somebody has changed runs none of its SQL with access to other files",
  () =>
    Effect.gen(function* () {
      const { target } = yield* backedUp
      const secret = join(yield* temporaryFolder, "secret")
      writeFileSync(secret, "nobody may read this")
      const manifest = join(target, "backup.json")
      const list = JSON.parse(readFileSync(manifest, "utf8")) as {
        files: ReadonlyArray<{ path: string; bytes: number; sha256: string }>
      }
      const copy = list.files.find(({ path }) => /^published\/.*\.duckdb$/.test(path))?.path ?? ""
      yield* changeFile(
        join(target, copy),
        `CREATE OR REPLACE VIEW mart.fee_schedule AS
       SELECT 1 AS chain_id, '0x' AS vault_address, TIMESTAMP '2026-06-01' AS valid_from,
         NULL::TIMESTAMP AS valid_to, true AS is_current, content AS vault_name,
         1.5 AS management_fee_pct, 1.5 AS performance_fee_pct, 1::BIGINT AS weekly_performance_fee_bps,
         1.5 AS management_fee_change, 1.5 AS performance_fee_change
       FROM read_text('${secret}')`,
      )
      const changed = readFileSync(join(target, copy))
      const entry = { path: copy, bytes: changed.length, sha256: hash("sha256", changed) }
      const files = list.files.map((file) => (file.path === copy ? entry : file))
      writeFileSync(manifest, JSON.stringify({ ...list, files }))
      const dataDir = join(yield* temporaryFolder, "data")
      yield* restore(target, { dataDir })
      const simulator = yield* simulated({ now: "2026-06-02T12:00:00Z", days: 5, vaults: 2 })
      const all = { pipelines, publish: { parquet: { marts: true } } }
      const failure = yield* Effect.flip(runOnce(simulator.url, dataDir, all))
      expect(String(failure)).toMatch(/Cannot access file ".*secret"/)
      expect(existsSync(join(dataDir, "parquet/current/mart/fee_schedule"))).toBe(false)
    }),
)

/** Leaves the log of a process that was killed after it had committed the statement. */
const leaveLog = (database: string, statement: string) =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
    const connection = await instance.connect()
    await connection.run(`ATTACH '${database}' AS warehouse; USE warehouse`)
    await connection.run(statement)
    copyFileSync(`${database}.wal`, `${database}.aside`)
    await connection.run("USE memory; DETACH warehouse")
    connection.closeSync()
    instance.closeSync()
    renameSync(`${database}.aside`, `${database}.wal`)
  })

describe("what a lost database has left", () => {
  it.live("is not applied to the restored one: the restore says what to move away", () =>
    Effect.gen(function* () {
      const { dataDir, target, database } = yield* backedUp
      const before = yield* fingerprint(dataDir)
      yield* leaveLog(database, "update core.ratio_history set actual_tvl = 1")
      renameSync(database, join(dataDir, "old.duckdb"))
      const names = readdirSync(dataDir)
      const refused = yield* Effect.flip(restore(target, { dataDir }))
      expect(refused.message).toMatch(
        /holds vaulthouse\.duckdb\.wal and vaulthouse\.duckdb\.doublewrite of a database that is gone\.\nNothing was changed\. Move \S+vaulthouse\.duckdb\.wal and/,
      )
      expect(readdirSync(dataDir)).toEqual(names)
      renameSync(`${database}.wal`, join(dataDir, "old.duckdb.wal"))
      // What it has left without its log belongs to no other.
      expect(existsSync(`${database}.doublewrite`)).toBe(true)
      yield* restore(target, { dataDir })
      expect(yield* fingerprint(dataDir)).toEqual(before)
    }),
  )

  it.live("keeps an interrupted restore from being repeated until it is moved away", () =>
    Effect.gen(function* () {
      const { target, database, dataDir } = yield* backedUp
      const before = yield* fingerprint(dataDir)
      const elsewhere = join(yield* temporaryFolder, "restored")
      // No file takes the place of a folder.
      mkdirSync(join(elsewhere, "vaulthouse.duckdb.new"), { recursive: true })
      yield* Effect.flip(restore(target, { dataDir: elsewhere }))
      rmSync(join(elsewhere, "vaulthouse.duckdb.new"), { recursive: true })
      yield* leaveLog(database, "update core.ratio_history set actual_tvl = 1")
      const log = join(elsewhere, "vaulthouse.duckdb.wal")
      renameSync(`${database}.wal`, log)
      const refused = yield* Effect.flip(restore(target, { dataDir: elsewhere }))
      expect(refused.message).toContain("holds vaulthouse.duckdb.wal of a database that is gone")
      rmSync(log)
      yield* restore(target, { dataDir: elsewhere })
      expect(yield* fingerprint(elsewhere)).toEqual(before)
      expect(existsSync(join(elsewhere, "restoring.json"))).toBe(false)
    }),
  )
})

/** What a backup during a run has, which then went on: the publication before it, and the beginning of its segment. */
const during = shared(
  Effect.gen(function* () {
    const [dataDir, then, folder] = [
      yield* temporaryFolder,
      yield* temporaryFolder,
      yield* temporaryFolder,
    ]
    const simulator = yield* simulated({ ...world, now: "2026-06-01T12:00:00Z" })
    yield* runOnce(simulator.url, dataDir, { pipelines: histories, publish })
    cpSync(dataDir, then, { recursive: true })
    const earlier = segments(dataDir)
    simulator.patch({ now: "2026-06-03T12:00:00Z", revision: 1 })
    yield* runOnce(simulator.url, dataDir, { pipelines: histories, publish })
    const name = segments(dataDir).find((each) => !earlier.includes(each)) ?? ""
    const whole = readFileSync(join(dataDir, "raw", name))
    writeFileSync(join(then, "raw", name), whole.subarray(0, whole.length / 2))
    const target = join(folder, "backup")
    yield* backup({ dataDir: then }, target)
    return { dataDir, target, segment: `raw/${name}`, rows: yield* content(dataDir) }
  }),
)

/** The folder of that run, without its database. */
const lost = Effect.gen(function* () {
  const { dataDir: whole, ...backedUpThen } = yield* during
  const dataDir = join(yield* temporaryFolder, "data")
  cpSync(whole, dataDir, { recursive: true })
  for (const end of ["", ".wal", ".doublewrite"]) {
    rmSync(join(dataDir, `vaulthouse.duckdb${end}`), { force: true })
  }
  const archived = () =>
    Object.fromEntries(
      segments(dataDir).map((name) => [name, readFileSync(join(dataDir, "raw", name), "base64")]),
    )
  return { ...backedUpThen, dataDir, archived, live: join(dataDir, backedUpThen.segment) }
})

describe("an archive that is there", () => {
  it.live("keeps what it has beyond the backup, and a replay loads it", () =>
    Effect.gen(function* () {
      const { dataDir, target, rows, archived } = yield* lost
      const before = archived()
      yield* restore(target, { dataDir })
      expect(archived()).toEqual(before)
      expect(yield* verify({ dataDir })).toEqual([])
      expect(yield* content(dataDir)).not.toEqual(rows)
      const { unreadable, lost: lostRows, unended } = yield* replayed(dataDir)
      expect([...unreadable, ...lostRows, ...unended]).toEqual([])
      expect(yield* content(dataDir)).toEqual(rows)
    }),
  )

  it.live("does not keep the next sync from reading what the restored warehouse lacks", () =>
    Effect.gen(function* () {
      const { dataDir, target } = yield* lost
      yield* restore(target, { dataDir })
      const simulator = yield* simulated({ ...world, now: "2026-06-03T12:00:00Z", revision: 1 })
      yield* runOnce(simulator.url, dataDir, { pipelines: histories, publish })
      yield* expectTruth(simulator, dataDir)
      expect(yield* verify({ dataDir })).toEqual([])
      const { unreadable, lost: lostRows } = yield* replayed(dataDir)
      expect([...unreadable, ...lostRows]).toEqual([])
      yield* expectTruth(simulator, dataDir)
    }),
  )

  it.live("is completed where a restore was interrupted in the middle of a segment", () =>
    Effect.gen(function* () {
      const { dataDir, target, segment, live } = yield* lost
      const stored = readFileSync(join(target, segment))
      for (const bytes of [0, 100, stored.length]) {
        writeFileSync(live, stored.subarray(0, bytes))
        yield* restore(target, { dataDir })
        expect(readFileSync(live).equals(stored)).toBe(true)
        rmSync(join(dataDir, "vaulthouse.duckdb"))
      }
    }),
  )

  it.live.each([
    ["as long as", (bytes: Buffer) => bytes],
    ["longer than", (bytes: Buffer) => Buffer.concat([bytes, bytes])],
    ["shorter than", (bytes: Buffer) => bytes.subarray(0, 100)],
  ] as const)("is not replaced by another file: %s the backup's", ([, made]) =>
    Effect.gen(function* () {
      const { dataDir, target, segment, live, archived } = yield* lost
      const other = Buffer.from(made(readFileSync(join(target, segment))))
      other.writeUInt8(other.readUInt8(50) ^ 1, 50)
      writeFileSync(live, other)
      const [before, names] = [archived(), readdirSync(dataDir)]
      const refused = yield* Effect.flip(restore(target, { dataDir }))
      expect(refused.message).toBe(
        `${live} differs from ${join(target, segment)}: neither is the beginning of the other (${other.length} and ${readFileSync(join(target, segment)).length} bytes).\nNothing was changed: it may be the only one with its responses. Move it away, or restore into a new folder with --data-dir.`,
      )
      expect(archived()).toEqual(before)
      expect(readdirSync(dataDir)).toEqual(names)
      rmSync(live)
      mkdirSync(live)
      const folder = yield* Effect.flip(restore(target, { dataDir }))
      expect(folder.message).toContain(
        `${live} is a folder, not a regular file.\nNothing was changed`,
      )
    }),
  )

  it.live("is named where it has a file that the backup lacks", () =>
    Effect.gen(function* () {
      const { dataDir, target } = yield* lost
      const newer = join(dataDir, "raw/20991231T000000000Z-000000.ndjson.zst")
      writeFileSync(newer, "")
      const refused = yield* Effect.flip(restore(target, { dataDir }))
      expect(refused.message).toContain(`holds a warehouse already: ${newer}.`)
    }),
  )
})

it.live("of an archive is refused where the setting names a bucket", () =>
  Effect.gen(function* () {
    const { target } = yield* backedUp
    const dataDir = join(yield* temporaryFolder, "data")
    const refused = yield* Effect.flip(restore(target, { dataDir, archive: "s3://b/p" }))
    expect(refused.message).toContain("the setting archive names a bucket: s3://b/p.")
    expect(existsSync(dataDir)).toBe(false)
    yield* restore(target, { dataDir })
    expect(yield* verify({ dataDir })).toEqual([])
  }),
)

it.live("goes into an archive that is a disk of its own", () =>
  Effect.gen(function* () {
    const { target } = yield* backedUp
    const dataDir = join(yield* temporaryFolder, "data")
    mkdirSync(join(dataDir, "raw/lost+found"), { recursive: true })
    yield* restore(target, { dataDir })
    expect(yield* verify({ dataDir })).toEqual([])
  }),
)

it.live("repeated copies what is missing of the archive", () =>
  Effect.gen(function* () {
    const { target } = yield* backedUp
    const dataDir = join(yield* temporaryFolder, "data")
    yield* restore(target, { dataDir })
    rmSync(join(dataDir, "raw"), { recursive: true })
    yield* restore(target, { dataDir })
    expect(yield* verify({ dataDir })).toEqual([])
    const archive = yield* temporaryFolder
    yield* restore(target, { dataDir, archive })
    expect(readdirSync(archive)).toEqual(segments(dataDir))
    const refused = yield* Effect.flip(restore(target, { dataDir, archive: "s3://b/p" }))
    expect(refused.message).toContain("the setting archive names a bucket: s3://b/p.")
  }),
)

it.live("repeated adds nothing to the archive of another warehouse", () =>
  Effect.gen(function* () {
    const { target } = yield* backedUp
    const [dataDir, archive] = [join(yield* temporaryFolder, "data"), yield* temporaryFolder]
    yield* restore(target, { dataDir })
    const strange = "20991231T000000000Z-000000.ndjson.zst"
    writeFileSync(join(archive, strange), "")
    const refused = yield* Effect.flip(restore(target, { dataDir, archive }))
    expect(refused.message).toContain(
      `${archive} holds a warehouse already: ${join(archive, strange)}.\nRestore into a new folder with --data-dir, and with a new archive`,
    )
    expect(readdirSync(archive)).toEqual([strange])
  }),
)

it.live("takes no place of a link to a database on a disk that is not mounted", () =>
  Effect.gen(function* () {
    const { target } = yield* backedUp
    const dataDir = yield* temporaryFolder
    const link = join(dataDir, "vaulthouse.duckdb")
    symlinkSync("/mnt/not-mounted/vaulthouse.duckdb", link)
    const refused = yield* Effect.flip(restore(target, { dataDir }))
    expect(refused.message).toMatch(
      /holds vaulthouse\.duckdb, a link to \S+, which is not there\.\nNothing was changed\. Mount/,
    )
    expect(readdirSync(dataDir)).toEqual(["vaulthouse.duckdb"])
  }),
)
