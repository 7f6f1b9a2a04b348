// An index that is older than the archive, as after a restore: what it names is found where it is now, and nothing that rows
// need is deleted meanwhile.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folderStore } from "../../../src/archive/folderStore.ts"
import { ArchiveReader } from "../../../src/archive/segments.ts"
import { compact } from "../../../src/pipelines/archive/compact.ts"
import { prune } from "../../../src/pipelines/archive/prune.ts"
import { warehouseIn } from "../../../src/pipelines/archive/rebuild.ts"
import { replay } from "../../../src/pipelines/archive/replay.ts"
import { verify } from "../../../src/pipelines/archive/verify.ts"
import { backup } from "../../../src/pipelines/backup/backup.ts"
import { restore } from "../../../src/pipelines/backup/restore.ts"
import { joinSegments } from "../../../src/pipelines/retention/joinSegments.ts"
import { ahead } from "../../support/movableClock.ts"
import {
  content,
  loseTheWarehouse,
  replayed,
  replayOptions,
  segments,
} from "../../support/replays.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { shared, sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, query, runOnce } from "../../support/warehouseRun.ts"

const DAY_MILLIS = 86_400_000
const pipelines = ["vaults", "ratio_history"]
const publish = { parquet: undefined }
const world = { vaults: 2, days: 5, start: "2026-05-27T00:00:00Z" }

/** Two runs, both published, six hours apart. */
const twice = sharedWarehouse(
  Effect.fnUntraced(function* (dataDir) {
    const simulator = yield* simulated({ ...world, now: "2026-06-01T00:00:00Z" })
    yield* runOnce(simulator.url, dataDir, { pipelines, publish })
    simulator.patch({ now: "2026-06-01T06:00:00Z", revision: 1 })
    yield* runOnce(simulator.url, dataDir, { pipelines, publish })
  }),
)

/** A backup of them, after which their files were joined. */
const backedUp = shared(
  Effect.gen(function* () {
    const [dataDir, folder] = [yield* twice, yield* temporaryFolder]
    const target = join(folder, "backup")
    yield* backup({ dataDir }, target)
    yield* compact({ dataDir })
    return { target, joined: join(dataDir, "raw") }
  }),
)

const restored = Effect.gen(function* () {
  const dataDir = join(yield* temporaryFolder, "data")
  const { target, joined } = yield* backedUp
  yield* restore(target, { dataDir })
  rmSync(join(dataDir, "raw"), { recursive: true })
  cpSync(joined, join(dataDir, "raw"), { recursive: true })
  return dataDir
})

const currentIn = (dataDir: string) => readFileSync(join(dataDir, "published/current.json"), "utf8")

const copies = (dataDir: string) =>
  readdirSync(join(dataDir, "published")).filter((name) => name.startsWith("vaulthouse-compact-"))

/** The responses whose body is not where the index says. */
const astray = Effect.fnUntraced(function* (dataDir: string, condition = "true") {
  const rows = yield* query(
    dataDir,
    `select response_id, body_sha256, archive_file, archive_offset::integer as start,
       archive_length::integer as length from raw.responses where ${condition}`,
  )
  expect(rows.length).toBeGreaterThan(0)
  const reader = new ArchiveReader(folderStore(join(dataDir, "raw")))
  return yield* Effect.promise(async () => {
    const found: Array<string> = []
    for (const row of rows) {
      const place = {
        file: String(row["archive_file"]),
        offset: Number(row["start"]),
        length: Number(row["length"]),
      }
      await reader
        .body(place, String(row["body_sha256"]))
        .catch(() => found.push(String(row["response_id"])))
    }
    return found
  })
})

const damage = (dataDir: string) =>
  Effect.map(verify({ dataDir }), (findings) =>
    findings.filter(({ path }) => !path.startsWith("published/")),
  )

describe("an archive that is newer than its index", () => {
  it.live("keeps in a prune what rows need, and is found again", () =>
    Effect.gen(function* () {
      const dataDir = yield* restored
      const before = yield* content(dataDir)
      expect(yield* astray(dataDir)).not.toEqual([])
      const planned = yield* prune({ dataDir, olderThanDays: 0, dryRun: true })
      const young = yield* prune({ dataDir, olderThanDays: 90, dryRun: false })
      expect(young).toMatchObject({ dropped: 0, segmentsRemoved: 0, segmentsRewritten: 0 })
      expect(yield* astray(dataDir)).toEqual([])
      const done = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(done.dropped).toBeGreaterThan(0)
      expect(done).toMatchObject({
        dropped: planned.dropped,
        segmentsRewritten: planned.segmentsRewritten,
      })
      expect(yield* astray(dataDir)).toEqual([])
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
      expect(again.unreadable).toEqual([])
      loseTheWarehouse(dataDir)
      yield* replayed(dataDir)
      expect(yield* content(dataDir)).toEqual(before)
    }),
  )

  it.live("is a finding, until a replay has put it right", () =>
    Effect.gen(function* () {
      const dataDir = yield* restored
      const found = yield* damage(dataDir)
      expect(found.map(({ kind }) => kind)).toEqual(["missing", "missing"])
      for (const { detail } of found) expect(detail).toContain("elsewhere in the archive")
      const { unreadable, published } = yield* replay({ ...replayOptions(dataDir), publish })
      expect([unreadable, published]).toEqual([[], true])
      expect(yield* astray(dataDir)).toEqual([])
      expect(yield* verify({ dataDir })).toEqual([])
    }),
  )

  it.live("is found again by the first run of a day", () =>
    Effect.gen(function* () {
      const dataDir = yield* restored
      const simulator = yield* simulated({ ...world, now: "2026-06-01T06:00:00Z", revision: 1 })
      yield* ahead(DAY_MILLIS, runOnce(simulator.url, dataDir, { pipelines, publish }))
      expect(yield* astray(dataDir)).toEqual([])
      expect(yield* verify({ dataDir })).toEqual([])
    }),
  )

  it.live("is found again by the monthly prune of a run, which keeps it", () =>
    Effect.gen(function* () {
      const dataDir = yield* restored
      const simulator = yield* simulated({ ...world, now: "2026-06-01T06:00:00Z", revision: 1 })
      yield* ahead(
        150 * DAY_MILLIS,
        runOnce(simulator.url, dataDir, { pipelines: ["fees"], publish, keepDays: 90 }),
      )
      expect(yield* astray(dataDir)).toEqual([])
      expect(yield* verify({ dataDir })).toEqual([])
      const again = yield* replayed(dataDir)
      expect(again.tables.filter(({ isSame }) => !isSame)).toEqual([])
    }),
  )

  it.live("is joined once more with what came since", () =>
    Effect.gen(function* () {
      const dataDir = yield* restored
      const simulator = yield* simulated({ ...world, now: "2026-06-01T12:00:00Z", revision: 1 })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      yield* compact({ dataDir })
      expect(segments(dataDir)).toHaveLength(1)
      expect(yield* astray(dataDir)).toEqual([])
    }),
  )
})

describe("a body that two joined segments have", () => {
  it.live("keeps the line of each response in its own", () =>
    Effect.gen(function* () {
      let name = ""
      const server = yield* scriptedServer(({ url }, response) =>
        json(response, url.endsWith("active") ? [{ address: "0xa", chain: 1, name }] : []),
      )
      const [dataDir, folder] = [yield* temporaryFolder, yield* temporaryFolder]
      for (name of ["one", "two", "three", "one"]) {
        yield* runOnce(server.url, dataDir, { pipelines: ["vaults"], publish })
      }
      yield* backup({ dataDir }, join(folder, "backup"))
      const [first = "", second = "", ...others] = segments(dataDir)
      expect(others).toHaveLength(2)
      yield* joinSegments(folderStore(join(dataDir, "raw")), [[first, second], others]).pipe(
        Effect.provide(warehouseIn({ dataDir })),
      )
      const before = yield* content(dataDir)
      const back = join(folder, "data")
      yield* restore(join(folder, "backup"), { dataDir: back })
      for (const file of segments(dataDir)) {
        copyFileSync(join(dataDir, "raw", file), join(back, "raw", file))
      }
      for (const file of [first, second, ...others]) rmSync(join(back, "raw", file))

      const pruned = yield* prune({ dataDir: back, olderThanDays: 90, dryRun: false })
      expect(pruned).toMatchObject({ dropped: 0, segmentsRemoved: 0, segmentsRewritten: 0 })
      yield* prune({ dataDir: back, olderThanDays: 0, dryRun: false })
      expect(yield* astray(back)).toEqual([])
      loseTheWarehouse(back)
      yield* replayed(back)
      expect(yield* content(back)).toEqual(before)
    }),
  )
})

describe("bodies that are in other places", () => {
  it.live("are news to readers", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const simulator = yield* simulated({ ...world, now: "2026-06-01T00:00:00Z" })
      const sync = runOnce(simulator.url, dataDir, { pipelines: ["fees"], publish })
      const current = () => currentIn(dataDir)
      yield* sync
      yield* sync
      const before = current()
      yield* sync
      expect(current()).toBe(before)
      yield* compact({ dataDir })
      expect(yield* damage(dataDir)).not.toEqual([])
      yield* sync
      expect(current()).not.toBe(before)
      expect(yield* verify({ dataDir })).toEqual([])
      const joined = current()
      yield* sync
      expect(current()).toBe(joined)
    }),
  )

  it.live("are published before the old places go", () =>
    Effect.gen(function* () {
      const dataDir = yield* twice
      const old = segments(dataDir)
      const stable = join(dataDir, "published/vaulthouse.duckdb")
      const obstructed = {
        ...publish,
        /** Read once the copy was looked at, and found to be as it was published. */
        get parquet() {
          // No file takes the place of a folder with something in it.
          rmSync(stable, { recursive: true })
          mkdirSync(join(stable, "x"), { recursive: true })
          return publish.parquet
        },
      }
      yield* Effect.flip(compact({ dataDir, publish: obstructed }))
      expect(segments(dataDir)).toEqual(expect.arrayContaining([...old]))
      rmSync(stable, { recursive: true })
      const simulator = yield* simulated({ ...world, now: "2026-06-01T12:00:00Z", revision: 1 })
      yield* runOnce(simulator.url, dataDir, { pipelines, publish })
      const before = currentIn(dataDir)
      expect((yield* compact({ dataDir, publish })).published).toBe(true)
      expect(segments(dataDir)).toHaveLength(1)
      expect(yield* verify({ dataDir })).toEqual([])
      simulator.patch({ now: "2026-06-01T18:00:00Z" })
      yield* runOnce(simulator.url, dataDir, { pipelines, publish })
      expect((yield* compact({ dataDir, publish })).published).toBe(true)
      // Each publication has a name of its own, by which readers know it.
      expect(new Set([before, currentIn(dataDir)]).size).toBe(2)
      expect(copies(dataDir)).toHaveLength(1)
      const [joined] = segments(dataDir)
      const pruned = yield* ahead(
        40 * DAY_MILLIS,
        prune({ dataDir, olderThanDays: 1, dryRun: false, publish }),
      )
      expect(pruned).toMatchObject({ segmentsRewritten: 1, published: true })
      expect(segments(dataDir)).not.toContain(joined)
      expect(yield* verify({ dataDir })).toEqual([])
    }),
  )
})

describe("what is not published", () => {
  it.live("is not for compact or prune to publish", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const commands = {
        prune: ahead(40 * DAY_MILLIS, prune({ dataDir, olderThanDays: 1, dryRun: false, publish })),
        compact: compact({ dataDir, publish }),
      }
      const simulator = yield* simulated({ ...world, now: "2026-06-01T00:00:00Z" })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      // No copy is made of what no run has published.
      for (const [name, command] of Object.entries(commands)) {
        expect(yield* command, name).toMatchObject({ published: false })
      }
      expect(existsSync(join(dataDir, "published"))).toBe(false)
      yield* runOnce(simulator.url, dataDir, { pipelines, publish })
      const before = currentIn(dataDir)
      simulator.patch({ now: "2026-06-01T06:00:00Z", revision: 1 })
      yield* runOnce(simulator.url, dataDir, { pipelines })
      for (const [name, command] of Object.entries(commands)) {
        expect(yield* command, name).toMatchObject({ published: false })
        expect(currentIn(dataDir), name).toBe(before)
      }
      simulator.patch({ now: "2026-06-01T12:00:00Z" })
      yield* runOnce(simulator.url, dataDir, { pipelines, publish })
      expect(yield* verify({ dataDir })).toEqual([])
    }),
  )
})

describe("a segment that is gone", () => {
  it.live("takes with it no body that a later run receives again", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const simulator = yield* simulated({ ...world, now: "2026-06-01T00:00:00Z" })
      const sync = runOnce(simulator.url, dataDir, { pipelines: ["fees"] })
      yield* sync
      const [lost = ""] = segments(dataDir)
      rmSync(join(dataDir, "raw", lost))
      yield* sync
      expect(yield* astray(dataDir, `run_id <> '${lost.split(".")[0]}'`)).toEqual([])
    }),
  )

  it.live("is back under its name, or among the files that were joined into it", () =>
    Effect.gen(function* () {
      const dataDir = yield* twice
      const old = segments(dataDir)
      const aside = yield* temporaryFolder
      for (const file of old) copyFileSync(join(dataDir, "raw", file), join(aside, file))
      yield* compact({ dataDir })
      for (const file of segments(dataDir)) rmSync(join(dataDir, "raw", file))
      const [{ unreadable }] = [yield* replayed(dataDir)]
      expect(unreadable).not.toEqual([])
      for (const file of old) copyFileSync(join(aside, file), join(dataDir, "raw", file))
      expect((yield* replayed(dataDir)).unreadable).toEqual([])
      expect(yield* astray(dataDir)).toEqual([])
    }),
  )
})

describe("the journal of swaps", () => {
  it.live("keeps the responses that it names", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const simulator = yield* simulated({ ...world, now: "2026-06-01T00:00:00Z" })
      const sync = runOnce(simulator.url, dataDir, { pipelines: ["fees"] })
      yield* sync
      yield* sync
      yield* sync
      // One that no row was read from: a later run repeated it.
      const unneeded = `select response_id from raw.responses
        where response_id not in (select _response_id from core.fees) order by received_at desc limit 1`
      yield* change(
        dataDir,
        `insert into core.swaps by name select 's' as swap_id, '0x1' as subaccount_address,
           timestamp '2026-06-01' as requested_at, 'confirmed' as state, '{}' as request,
           (${unneeded}) as response_id, 'r' as _run_id, timestamp '2026-06-01' as _first_seen_at,
           timestamp '2026-06-01' as _updated_at`,
      )
      const { dropped } = yield* prune({ dataDir, olderThanDays: 0, dryRun: false })
      expect(dropped).toBeGreaterThan(0)
      expect(
        yield* query(
          dataDir,
          "select response_id from core.swaps semi join raw.responses using (response_id)",
        ),
      ).toHaveLength(1)
      expect(yield* astray(dataDir)).toEqual([])
    }),
  )
})
