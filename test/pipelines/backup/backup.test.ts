// A backup taken while a sync goes on, restored elsewhere: nothing of the publication is missing, and the next sync
// makes it complete.
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { lockOf } from "../../../src/load/lock/waitForLock.ts"
import { compact } from "../../../src/pipelines/archive/compact.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { backupText } from "../../../src/cli/words/backupText.ts"
import { backup } from "../../../src/pipelines/backup/backup.ts"
import { restore } from "../../../src/pipelines/backup/restore.ts"
import { publishAnyway } from "../../../src/pipelines/publication/publish.ts"
import { readStatus } from "../../../src/pipelines/readers/status.ts"
import { replacingPromise } from "../../support/disk/replacing.ts"
import { expectTruth, fingerprint, simulated } from "../../support/simulated.ts"
import { sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { untilSo } from "../../support/until.ts"
import { query, runOnce } from "../../support/warehouseRun.ts"

const published = { publish: { parquet: undefined } }

/** What `expectTruth` compares. */
const pipelines = ["ratio_history", "pnl_history", "apy_history", "allocation_history"]
const platform = simulated({ now: "2026-06-01T12:00:00Z", days: 20, vaults: 3 })

const shared = sharedWarehouse(
  Effect.fnUntraced(function* (dataDir) {
    const simulator = yield* platform
    yield* runOnce(simulator.url, dataDir, { pipelines, ...published })
  }),
)

const synced = Effect.gen(function* () {
  const [simulator, dataDir, folder] = [yield* platform, yield* shared, yield* temporaryFolder]
  return { simulator, dataDir, target: join(folder, "backup"), elsewhere: join(folder, "restored") }
})

it.live("a backup during a sync restores to the last publication, and syncs on", () =>
  Effect.gen(function* () {
    const { simulator, dataDir, target, elsewhere } = yield* synced
    const before = yield* fingerprint(dataDir)
    simulator.patch({ now: "2026-06-03T12:00:00Z", revision: 1, latencyMs: 20 })
    let committed = 0
    const sync = yield* Effect.forkChild(
      runOnce(simulator.url, dataDir, {
        pipelines,
        onProgress: ({ kind }) => (committed += kind === "task" ? 1 : 0),
      }),
    )
    yield* untilSo("tasks are committed", () => committed > 2)
    expect(sync.pollUnsafe()).toBeUndefined()
    yield* backup({ dataDir }, target)
    yield* Fiber.join(sync)
    yield* restore(target, { dataDir: elsewhere })
    expect(yield* fingerprint(elsewhere)).toEqual(before)
    // The newest run of the copy; what ran after it is not there.
    const [newest] = yield* query(
      elsewhere,
      "select max_by(run_id, started_at) as run_id from ops.runs where finished_at is not null",
    )
    expect((yield* readStatus(elsewhere)).lastRun).toMatchObject({
      ...newest,
      state: "ended",
      outcome: "complete",
    })
    yield* runOnce(simulator.url, elsewhere, { pipelines, ...published })
    yield* expectTruth(simulator, elsewhere)
    expect(yield* verify({ dataDir: elsewhere })).toEqual([])
  }),
)

it.live("a backup between the two steps of a publication is the earlier one, whole", () =>
  Effect.gen(function* () {
    const { simulator, dataDir, target, elsewhere } = yield* synced
    const before = yield* fingerprint(dataDir)
    const current = join(dataDir, "published/current.json")
    const earlier = readFileSync(current)
    simulator.patch({ now: "2026-06-02T12:00:00Z" })
    const keep = { copies: 1, days: 1 }
    const access = { mode: "0644", group: undefined }
    yield* runOnce(simulator.url, dataDir, {
      pipelines,
      publish: { ...published.publish, keep, access },
    })
    writeFileSync(current, earlier)
    const written = yield* backup({ dataDir }, target)
    const { published_at: at } = JSON.parse(earlier.toString()) as { published_at: string }
    expect(backupText(written)).toContain(`, as of the publication of ${at}`)
    yield* restore(target, { dataDir: elsewhere })
    expect(yield* fingerprint(elsewhere)).toEqual(before)
    expect(yield* verify({ dataDir: elsewhere })).toEqual([])
    // Its owner's alone, whoever may read what is published.
    expect(statSync(join(elsewhere, "vaulthouse.duckdb")).mode & 0o777).toBe(0o600)
  }),
)

it.live("a published copy that somebody has written to makes no backup", () =>
  Effect.gen(function* () {
    const { dataDir, target, elsewhere } = yield* synced
    const before = yield* fingerprint(dataDir)
    const { file } = JSON.parse(readFileSync(join(dataDir, "published/current.json"), "utf8")) as {
      readonly file: string
    }
    yield* Effect.promise(async () => {
      const instance = await DuckDBInstance.create(join(dataDir, "published", file))
      const connection = await instance.connect()
      await connection.run("DELETE FROM core.ratio_history")
      connection.closeSync()
      instance.closeSync()
    })
    const refused = yield* Effect.flip(backup({ dataDir }, target))
    expect(refused.message).toMatch(
      /^Somebody has written to the published copy \S+ since it was published\.\nNo backup was made: run `vaulthouse publish`/,
    )
    expect(existsSync(target)).toBe(false)
    // One that is gone has been written to by nobody.
    rmSync(join(dataDir, "published", file))
    const missing = yield* Effect.flip(backup({ dataDir }, target))
    expect(missing.message).toMatch(
      /^The published copy \S+ is not there any more: .*\nNo backup was made: run the backup again/,
    )
    expect(existsSync(target)).toBe(false)
    yield* publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })
    yield* backup({ dataDir }, target)
    yield* restore(target, { dataDir: elsewhere })
    expect(yield* fingerprint(elsewhere)).toEqual(before)
  }),
)

it.live("an archive that loses a file while it is copied makes no backup", () =>
  Effect.gen(function* () {
    const { dataDir, target } = yield* synced
    const [segment = ""] = readdirSync(join(dataDir, "raw"))
    const failed = yield* Effect.forkChild(Effect.flip(backup({ dataDir }, target)))
    // As soon as the published copy is being written, and so before the archive is listed for copying.
    yield* Effect.promise(async () => {
      while (!existsSync(join(target, "published"))) await setImmediate()
    })
    rmSync(join(dataDir, "raw", segment))
    expect((yield* Fiber.join(failed)).message).toMatch(
      /^The archive in \S+ lost files while it was copied.*\nWhat was written is not a backup: remove the folder/,
    )
    expect(existsSync(join(target, "backup.json"))).toBe(false)
  }),
)

it.live("half of a backup makes no backup, and neither does a restore that begins meanwhile", () =>
  Effect.gen(function* () {
    const { dataDir, target, elsewhere } = yield* synced
    const again = `${target}-again`
    yield* backup({ dataDir }, target)
    // It fails half-way, at the database.
    const blocked = join(elsewhere, "vaulthouse.duckdb.new")
    mkdirSync(blocked, { recursive: true })
    yield* Effect.flip(restore(target, { dataDir: elsewhere }))
    rmSync(join(elsewhere, "raw"), { recursive: true })
    const refused = yield* Effect.flip(backup({ dataDir: elsewhere }, again))
    expect(refused.message).toMatch(
      /^The restore of (\S+) into (\S+) has not finished: it was interrupted, or is still running\.\nNo backup was made; .* repeat it: `vaulthouse restore \1 --data-dir \2`/,
    )
    expect(existsSync(again)).toBe(false)
    const mark = join(elsewhere, "restoring.json")
    expect(existsSync(mark)).toBe(true)

    // As soon as the published copy is being written.
    const left = readFileSync(mark)
    rmSync(mark)
    // Without it, the archive would be missed.
    const [segment = ""] = readdirSync(join(dataDir, "raw"))
    const half = join(elsewhere, "raw", segment)
    mkdirSync(dirname(half))
    writeFileSync(half, "")
    const failed = yield* Effect.forkChild(Effect.flip(backup({ dataDir: elsewhere }, again)))
    yield* Effect.promise(async () => {
      while (!existsSync(join(again, "published"))) await setImmediate()
    })
    writeFileSync(mark, left)
    expect((yield* Fiber.join(failed)).message).toContain("has not finished")
    expect(existsSync(join(again, "backup.json"))).toBe(false)
    rmSync(again, { recursive: true })
    rmSync(half)

    rmSync(blocked, { recursive: true })
    yield* restore(target, { dataDir: elsewhere })
    // All is in place, and only the mark is left, as it is for the restore to remove.
    writeFileSync(mark, left)
    const { files } = yield* backup({ dataDir: elsewhere }, again)
    expect(files.some(({ path }) => path.startsWith("raw/"))).toBe(true)
    expect(existsSync(mark)).toBe(true)
  }),
)

it.live("a published copy without its archive makes no backup", () =>
  Effect.gen(function* () {
    const { dataDir, target } = yield* synced
    const archive = join(dataDir, "unmounted")
    mkdirSync(archive)
    for (const elsewhere of [archive, join(dataDir, "missing")]) {
      const refused = yield* Effect.flip(backup({ dataDir, archive: elsewhere }, target))
      expect(refused.message).toMatch(
        /^The published copy has \d+ responses in the archive, but \S+ is empty or missing\.\nNo backup was made/,
      )
      expect(refused.message).toContain(elsewhere)
    }
    expect(existsSync(target)).toBe(false)
  }),
)

it.live("an archive that the runs have left for another makes no backup", () =>
  Effect.gen(function* () {
    const { simulator, dataDir, target } = yield* synced
    const archive = join(dataDir, "elsewhere")
    cpSync(join(dataDir, "raw"), archive, { recursive: true })
    simulator.patch({ now: "2026-06-02T12:00:00Z" })
    yield* runOnce(simulator.url, dataDir, { pipelines, archive, ...published })
    const files = readdirSync(archive).toSorted()
    const newest = files.at(-1) ?? ""
    const refused = yield* Effect.flip(backup({ dataDir }, target))
    expect(refused.message).toMatch(
      /^The published copy has \d+ responses in the archive, but \S+ lacks the newest of its files, \S+\.\nNo backup was made/,
    )
    expect(refused.message).toContain(`${join(dataDir, "raw")} lacks`)
    expect(refused.message).toContain(`files, ${newest}.`)
    expect(existsSync(target)).toBe(false)
    // Its files are joined since, which is not published yet.
    const joined = join(dataDir, "joined")
    cpSync(archive, joined, { recursive: true })
    yield* compact({ dataDir, archive: joined })
    expect(readdirSync(joined)).not.toContain(newest)
    yield* backup({ dataDir, archive: joined }, `${target}-joined`)
    // What was lost before is no reason to keep the rest unsaved.
    rmSync(join(archive, files[0] ?? ""))
    const made = yield* backup({ dataDir, archive }, target)
    expect(made.files.map(({ path }) => path)).toContain(`raw/${newest}`)
    // Each machine of a lake may archive for itself: the newest may be another's.
    const ofLake = { dataDir, warehouse: Redacted.make("ducklake:postgres://etl@db/lake") }
    yield* backup(ofLake, `${target}-own`)
  }),
)

it.live("a restore or backup that is stopped writes nothing more, and lets nobody in before", () =>
  Effect.gen(function* () {
    const { dataDir, target, elsewhere } = yield* synced
    const raw = join(dataDir, "raw")
    const [segment = ""] = readdirSync(raw)
    for (let at = 0; at < 80; at += 1)
      copyFileSync(join(raw, segment), join(raw, `${at}-${segment}`))
    const filesIn = (folder: string) => readdirSync(folder, { recursive: true }).map(String)
    // A file may grow, or be replaced, under the name that it has.
    const contentIn = (folder: string) =>
      new Map(
        filesIn(folder).map((name) => {
          const { ino, size, mtimeMs } = statSync(join(folder, name))
          return [name, { ino, size, mtimeMs }]
        }),
      )
    const stopped = Effect.fnUntraced(function* <E, R>(
      folder: string,
      segments: number,
      work: Effect.Effect<unknown, E, R>,
    ) {
      const written = join(folder, "raw")
      const fiber = yield* Effect.forkChild(work)
      yield* Effect.promise(async () => {
        while (!existsSync(written) || readdirSync(written).length < segments) await setImmediate()
      })
      yield* Fiber.interrupt(fiber)
      const left = contentIn(folder)
      yield* Effect.sleep("200 millis")
      expect(contentIn(folder)).toEqual(left)
      return [...left.keys()]
    })
    const all = readdirSync(raw).length
    // Among the segments, and at the last of them, after which a backup has checksums to make and a restore the database to copy.
    for (const segments of [1, all]) {
      const cut = `${target}-cut-${segments}`
      expect(yield* stopped(cut, segments, backup({ dataDir }, cut))).not.toContain("backup.json")
    }
    yield* backup({ dataDir }, target)
    for (const segments of [1, all]) {
      expect(
        yield* stopped(elsewhere, segments, restore(target, { dataDir: elsewhere })),
      ).not.toContain("vaulthouse.duckdb")
    }
    yield* restore(target, { dataDir: elsewhere })
    expect(yield* fingerprint(elsewhere)).toEqual(yield* fingerprint(dataDir))
  }),
)

/** Holds what copies a file until `release`, or the end of the scope. */
const heldCopies = Effect.gen(function* () {
  const held = Promise.withResolvers<undefined>()
  const found = { isHeld: false, release: () => held.resolve(undefined) }
  yield* replacingPromise("copyFile", (copyFile) => async (...args) => {
    found.isHeld = true
    await held.promise
    return copyFile(...args)
  })
  yield* Effect.addFinalizer(() => Effect.sync(found.release))
  return found
})

it.live.each([
  ["goes on from what it restored", false],
  ["begins no warehouse beside half of it", true],
])("a sync that waits for a restore %s", (_, isInterrupted) =>
  Effect.gen(function* () {
    const { simulator, dataDir, target, elsewhere } = yield* synced
    yield* backup({ dataDir }, target)
    const copies = yield* heldCopies
    const restoring = yield* Effect.forkChild(restore(target, { dataDir: elsewhere }))
    yield* untilSo("the restore copies", () => copies.isHeld)
    const events: Array<string> = []
    const onProgress = ({ kind }: { readonly kind: string }): void => void events.push(kind)
    const sync = runOnce(simulator.url, elsewhere, { pipelines, wait: "1 hour", onProgress })
    const waiting = yield* Effect.forkChild(Effect.result(sync))
    yield* untilSo("the sync waits", () => events.includes("waiting"))
    const interrupting = isInterrupted
      ? yield* Effect.forkChild(Fiber.interrupt(restoring))
      : undefined
    // The signal is there before the copy that it interrupts ends.
    yield* Effect.sleep("50 millis")
    copies.release()
    if (interrupting !== undefined) yield* Fiber.join(interrupting)
    const result = yield* Fiber.join(waiting)
    if (isInterrupted) {
      expect(Result.isFailure(result) && String(result.failure)).toContain("Repeat it: ")
      expect(existsSync(join(elsewhere, "vaulthouse.duckdb"))).toBe(false)
      yield* restore(target, { dataDir: elsewhere })
    } else expect(Result.isSuccess(result)).toBe(true)
    expect(yield* query(elsewhere, "select count(*)::int as runs from ops.runs")).toEqual([
      { runs: isInterrupted ? 1 : 2 },
    ])
    yield* expectTruth(simulator, elsewhere)
  }).pipe(Effect.scoped),
)

it.live("a restore that was interrupted is repeated", () =>
  Effect.gen(function* () {
    const { dataDir, target, elsewhere } = yield* synced
    const before = yield* fingerprint(dataDir)
    const { files } = yield* backup({ dataDir }, target)
    const segment = files.find(({ path }) => path.startsWith("raw/"))?.path ?? ""
    mkdirSync(join(elsewhere, "raw"), { recursive: true })
    writeFileSync(join(elsewhere, `${segment}.new`), "half of")
    writeFileSync(join(elsewhere, "vaulthouse.duckdb.new"), "half of")
    yield* restore(target, { dataDir: elsewhere })
    expect(yield* fingerprint(elsewhere)).toEqual(before)
    expect(yield* verify({ dataDir: elsewhere })).toEqual([])
    expect(
      readdirSync(elsewhere, { recursive: true }).filter((name) => String(name).endsWith(".new")),
    ).toEqual([])
  }),
)

it.live(
  "a restore waits for nobody: where another command is writing, it says so and changes nothing",
  () =>
    Effect.gen(function* () {
      const { dataDir, target, elsewhere } = yield* synced
      yield* backup({ dataDir }, target)
      const failed = yield* Effect.scoped(
        Effect.andThen(
          lockOf(elsewhere, "writer", {}),
          Effect.flip(restore(target, { dataDir: elsewhere })),
        ),
      )
      expect(failed._tag).toBe("WarehouseLocked")
      expect(readdirSync(elsewhere)).toEqual(["writer.lock"])
      yield* restore(target, { dataDir: elsewhere })
      expect(yield* fingerprint(elsewhere)).toEqual(yield* fingerprint(dataDir))
    }),
)

it.live("nothing but the same restore goes on in a folder that holds half of a backup", () =>
  Effect.gen(function* () {
    const { simulator, dataDir, target, elsewhere } = yield* synced
    const before = yield* fingerprint(dataDir)
    const { files } = yield* backup({ dataDir }, target)
    // It fails half-way, at a segment that can't be written.
    const last = files.findLast(({ path }) => path.startsWith("raw/"))?.path ?? ""
    const blocked = join(elsewhere, `${last}.new`)
    mkdirSync(blocked, { recursive: true })
    yield* Effect.flip(restore(target, { dataDir: elsewhere }))
    expect(existsSync(join(elsewhere, "published/current.json"))).toBe(true)
    const refused = yield* Effect.flip(runOnce(simulator.url, elsewhere, { pipelines }))
    expect(String(refused)).toContain(
      `Repeat it: \`vaulthouse restore ${target} --data-dir ${elsewhere}\``,
    )
    expect(existsSync(join(elsewhere, "vaulthouse.duckdb"))).toBe(false)
    rmSync(blocked, { recursive: true })
    yield* restore(target, { dataDir: elsewhere })
    expect(yield* fingerprint(elsewhere)).toEqual(before)
    yield* runOnce(simulator.url, elsewhere, { pipelines })
    expect(existsSync(join(elsewhere, "restoring.json"))).toBe(false)
  }),
)

it.live("a restore that was interrupted at its end is over when it, or a sync, is run next", () =>
  Effect.gen(function* () {
    const { simulator, dataDir, target, elsewhere } = yield* synced
    yield* backup({ dataDir }, target)
    yield* restore(target, { dataDir: elsewhere })
    const restored = yield* fingerprint(elsewhere)
    // The last thing that a restore does is to remove this.
    const mark = join(elsewhere, "restoring.json")
    const interrupt = (of: string) => writeFileSync(mark, JSON.stringify({ backup: of }))
    interrupt(target)
    yield* restore(target, { dataDir: elsewhere })
    expect(existsSync(mark)).toBe(false)
    yield* restore(target, { dataDir: elsewhere })
    expect(yield* fingerprint(elsewhere)).toEqual(restored)
    // Of the same size, and yet another one.
    const database = join(elsewhere, "vaulthouse.duckdb")
    const whole = readFileSync(database)
    const other = Buffer.from(whole)
    other.writeUInt8(other.readUInt8(other.length - 1) ^ 1, other.length - 1)
    writeFileSync(database, other)
    const refused = yield* Effect.flip(restore(target, { dataDir: elsewhere }))
    expect(refused.message).toContain("holds a warehouse already")
    writeFileSync(database, whole)
    interrupt(target)
    yield* runOnce(simulator.url, elsewhere, { pipelines })
    expect(existsSync(mark)).toBe(false)
    const again = yield* Effect.flip(restore(target, { dataDir: elsewhere }))
    expect(again.message).toContain("holds a warehouse already")
  }),
)

it.live("refuses what is no backup, one that changed, and a target in use", () =>
  Effect.gen(function* () {
    const { dataDir, target, elsewhere } = yield* synced
    const messageOf = <A, E extends Error>(effect: Effect.Effect<A, E>) =>
      Effect.map(Effect.flip(effect), ({ message }) => message)
    expect(yield* messageOf(restore(join(dataDir, "raw"), { dataDir: elsewhere }))).toContain(
      "is not a backup",
    )
    const { files } = yield* backup({ dataDir }, target)
    expect(yield* messageOf(backup({ dataDir }, target))).toContain("is not empty")
    expect(yield* messageOf(restore(target, { dataDir: dataDir }))).toContain(
      "holds a warehouse already",
    )
    const segment = files.find(({ path }) => path.startsWith("raw/"))?.path ?? ""
    appendFileSync(join(target, segment), "x")
    expect(yield* messageOf(restore(target, { dataDir: elsewhere }))).toContain("another checksum")
    expect(existsSync(elsewhere)).toBe(false)
    const empty = join(elsewhere, "empty")
    mkdirSync(empty, { recursive: true })
    expect(yield* messageOf(backup({ dataDir: empty }, join(elsewhere, "new")))).toContain(
      "a backup is made of the published copy",
    )
    writeFileSync(join(target, segment), readFileSync(join(dataDir, segment)))
    const manifest = JSON.parse(readFileSync(join(target, "backup.json"), "utf8")) as object
    const listing = (listed: typeof files) => {
      writeFileSync(join(target, "backup.json"), JSON.stringify({ ...manifest, files: listed }))
      return messageOf(restore(target, { dataDir: join(elsewhere, "data") }))
    }
    const { bytes, sha256 } = files[0] ?? { bytes: 0, sha256: "" }
    for (const path of ["config.yml", "raw/notes.txt", "published/../raw/x", "/etc/passwd"]) {
      const refused = yield* listing([...files, { path, bytes, sha256 }])
      expect(refused).toContain(`lists ${JSON.stringify(path)}, which is no file of a backup.`)
    }
    expect(yield* listing([...files, ...files])).toContain(" twice.")
    for (const { path } of files.filter((each) => each.path.startsWith("published/"))) {
      const others = files.filter((each) => each.path !== path)
      expect(yield* listing(others)).toContain("names no published copy of this backup.")
    }
    expect(existsSync(join(elsewhere, "data"))).toBe(false)
    writeFileSync(join(target, "backup.json"), "{}")
    expect(yield* messageOf(restore(target, { dataDir: join(elsewhere, "data") }))).toContain(
      "is not a backup",
    )
    rmSync(elsewhere, { recursive: true })
  }),
)
