// A process that follows the published copy, when the newest one can't be opened: the copy before goes on answering.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type { Reader } from "../../../src/load/published/read/reader/readers.ts"
import { publishAnyway } from "../../../src/pipelines/publication/publish.ts"
import { followPublished } from "../../../src/pipelines/readers/latestCopy.ts"
import { movableClock } from "../../support/movableClock.ts"
import { readerFolders } from "../../support/readerFolders.ts"
import { untilSo } from "../../support/until.ts"
import { smallWarehouse } from "../../serve/support.ts"

const small = smallWarehouse()

it.live(
  "a newest copy that can't be opened is tried once a minute, logged once, and leaves nothing behind",
  () => {
    const logged: Array<string> = []
    const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    // So slow that nothing but `advance` makes time pass.
    const clock = movableClock({ slowness: 1e6 })
    return Effect.gen(function* () {
      const dataDir = yield* small
      const folders = yield* readerFolders
      const published = join(dataDir, "published")
      const pointer = join(published, "current.json")
      const current = JSON.parse(readFileSync(pointer, "utf8")) as { file: string }
      const follow = followPublished({
        dataDir,
        memoryLimit: "300MB",
        diskLimit: "20MB",
        pageReaders: 1,
        queryReaders: 1,
      })
      const latest = yield* clock.under(follow)
      const vaults = latest.query((reader) =>
        reader.rows("select count(*)::int as n from core.vaults"),
      )
      const fromOld = yield* vaults
      const before = folders().length
      const newest = "vaulthouse-20990101T000000000Z-broken.duckdb"
      writeFileSync(join(published, newest), "no copy")
      writeFileSync(pointer, JSON.stringify({ ...current, file: newest, run_id: "newest" }))
      const followed = Effect.map(latest.publication, ({ file }) => file)
      const works = Effect.gen(function* () {
        expect(yield* vaults).toEqual(fromOld)
        yield* untilSo("no other reader has a folder", () => folders().length === before)
        expect(logged).toHaveLength(1)
      })
      // There is a check each second.
      const seconds = (count: number) =>
        Effect.promise(async () => {
          for (let passed = 0; passed < count; passed++) {
            clock.advance(1000)
            await setTimeout(10)
          }
        })

      yield* untilSo("the copy that can't be opened is logged", () => {
        clock.advance(1000)
        return logged.length > 0
      })
      expect(logged[0]).toMatch(/broken\.duckdb can't be opened: .*publish --all/s)
      yield* seconds(50)
      yield* works
      // What was in the way has gone, but a minute has not passed since.
      copyFileSync(join(published, current.file), join(published, newest))
      yield* seconds(5)
      expect(yield* followed).toBe(current.file)
      writeFileSync(join(published, newest), "no copy")
      // Tried again, and again in vain.
      yield* seconds(100)
      expect(yield* followed).toBe(current.file)
      yield* works
      copyFileSync(join(published, current.file), join(published, newest))
      yield* untilSo("the copy is tried again and opened", async () => {
        clock.advance(1000)
        return (await Effect.runPromise(followed)) === newest
      })
      yield* works
    }).pipe(Effect.scoped, Effect.provide(log))
  },
)

it.live(
  "a copy that is gone before all readers have opened it is replaced by the newest at once",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* small
      // So slow that the newest copy is not looked for in time.
      const latest = yield* movableClock({ slowness: 1e6 }).under(
        followPublished({
          dataDir,
          memoryLimit: "300MB",
          diskLimit: "20MB",
          pageReaders: 1,
          queryReaders: 1,
        }),
      )
      const before = yield* latest.publication
      yield* publishAnyway({ dataDir, rebuildAll: false, parquet: undefined })
      expect(existsSync(join(dataDir, "published", before.file))).toBe(false)
      const count = (reader: Reader) => reader.rows("select count(*)::int as n from core.vaults")
      expect(yield* latest.read(count)).toEqual([{ n: 1 }])
      expect(yield* latest.publication).toEqual(before)
      expect(yield* latest.query(count)).toEqual([{ n: 1 }])
      expect(yield* latest.publication).not.toEqual(before)
    }).pipe(Effect.scoped),
)
