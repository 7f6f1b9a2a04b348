// The files of the Parquet export: which publications have them, and which stay.
import {
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { basename, join, relative } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { publish } from "../../../../src/load/published/publish.ts"
import { verify } from "../../../../src/load/published/verify/verify.ts"
import { FlushedDisk } from "../../../support/disk/flushedDisk.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { withoutLinks } from "../../../support/disk/withoutLinks.ts"
import { commit, reading, readingsBatch } from "../../sample.ts"
import {
  asRun,
  inMemory,
  monthsOf,
  published,
  publishAll,
  readingsFiles,
  twoMonths,
} from "../publishing.ts"

describe("the folder parquet/", () => {
  it.live("keeps the files of the publications that stay, and no others", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const keep = { copies: 1, days: 7 }
      const publishValue = (value: number) =>
        asRun(
          dataDir,
          Effect.andThen(
            commit(readingsBatch([reading("a", 0, 1), reading("a", 23, value)])),
            publish({ ...published, keep }),
          ),
        )
      const folders: Array<string> = []
      for (const value of [1, 2, 3]) {
        yield* publishValue(value)
        folders.push(realpathSync(join(dataDir, "parquet/current")))
      }
      const [first = "", second = "", third = ""] = folders
      expect([first, second, third].map((folder) => existsSync(folder))).toEqual([
        false,
        true,
        true,
      ])
      const values = (folder: string) =>
        inMemory(
          `SELECT value::INTEGER AS value FROM '${folder}/core/readings/*.parquet' ORDER BY ALL`,
        )
      expect(yield* values(second)).toEqual([{ value: 1 }, { value: 2 }])
      expect(yield* values(third)).toEqual([{ value: 1 }, { value: 3 }])
      // Both have the same file of January, and one each of February.
      const stored = readdirSync(join(dataDir, "parquet/files/core/readings"))
      expect(monthsOf(stored).toSorted()).toEqual(["2024-01", "2024-02", "2024-02"])
      const [january = ""] = readingsFiles(dataDir)
      const inode = (folder: string) => statSync(join(folder, "core/readings", january)).ino
      expect(inode(second)).toBe(inode(third))
      expect(yield* verify(dataDir)).toEqual([])
      // No longer kept, the files that only it had are gone too. The newest was there until now, however old it is.
      utimesSync(second, 0, 0)
      utimesSync(third, 1, 1)
      yield* asRun(dataDir, publish({ ...published, keep: { copies: 2, days: 7 } }))
      expect(readdirSync(join(dataDir, "parquet/publications"))).toHaveLength(2)
      expect([second, third].map((folder) => existsSync(folder))).toEqual([false, true])
      expect(readdirSync(join(dataDir, "parquet/files/core/readings")).toSorted()).toEqual(
        readingsFiles(dataDir),
      )
    }),
  )

  it.live.each([
    ["where it can be a link", Effect.void],
    ["where the file system has no links", withoutLinks("symlink", "EPERM")],
  ] as const)("keeps nothing that `current` never was, %s", ([, fileSystemWith]) =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const keep = { copies: 1, days: 7 }
      const publishValue = (value: number) =>
        asRun(
          dataDir,
          Effect.andThen(
            commit(readingsBatch([reading("a", 0, 1), reading("a", 23, value)])),
            publish({ ...published, keep }),
          ),
        )
      const current = join(dataDir, "parquet/current")
      const folders = () => readdirSync(join(dataDir, "parquet/publications"))
      const february = () =>
        monthsOf(readdirSync(join(dataDir, "parquet/files/core/readings"))).filter(
          (month) => month === "2024-02",
        )
      const values = inMemory(
        `SELECT value::INTEGER AS value FROM '${current}/core/readings/*.parquet' ORDER BY ALL`,
      )
      yield* fileSystemWith
      yield* publishValue(1)
      yield* publishValue(2)
      const before = { folders: folders(), february: february() }
      for (const value of [3, 4, 5]) {
        // The link is made when everything else is.
        const failed = yield* Effect.scoped(
          Effect.andThen(withoutLinks("symlink", "EIO"), Effect.flip(publishValue(value))),
        )
        expect(failed).toMatchObject({ reason: "Files" })
        expect(yield* values).toEqual([{ value: 1 }, { value: 2 }])
        expect(folders()).toHaveLength(before.folders.length + 1)
        expect(february()).toHaveLength(before.february.length + 1)
      }
      const second = basename(realpathSync(current))
      yield* publishValue(6)
      expect(yield* values).toEqual([{ value: 1 }, { value: 6 }])
      expect(yield* verify(dataDir)).toEqual([])
      const isLink = lstatSync(current).isSymbolicLink()
      const expected = isLink ? [second, basename(realpathSync(current))] : []
      expect(folders().toSorted()).toEqual(expected)
      expect(february()).toHaveLength(isLink ? 2 : 1)
    }).pipe(Effect.scoped),
  )

  it.live.each([
    ["with links", Effect.void],
    ["where the file system has none", withoutLinks("link", "EPERM")],
  ] as const)("is on the disk before readers are led to it, %s", ([, fileSystemWith]) =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* fileSystemWith
      const disk = yield* FlushedDisk.watched
      yield* asRun(dataDir, Effect.andThen(commit(readingsBatch(twoMonths(1))), publishAll))
      const publication = relative(dataDir, realpathSync(join(dataDir, "parquet/current")))
      const paths = [
        "manifest.json",
        ...readingsFiles(dataDir).map((file) => `core/readings/${file}`),
      ]
      expect(paths).toHaveLength(3)
      for (const path of paths) {
        const written = readFileSync(join(dataDir, publication, path))
        expect(disk.left(dataDir, `${publication}/${path}`)?.equals(written)).toBe(true)
      }
    }).pipe(Effect.scoped),
  )

  it.live("replaces a folder in place of the link", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* asRun(dataDir, Effect.andThen(commit(readingsBatch(twoMonths(1))), publishAll))
      const root = join(dataDir, "parquet")
      cpSync(join(root, "current/"), join(root, "copied"), { recursive: true, dereference: true })
      rmSync(join(root, "current"))
      renameSync(join(root, "copied"), join(root, "current"))
      expect(yield* verify(dataDir)).toEqual([])
      yield* asRun(dataDir, publishAll)
      expect(readdirSync(root).toSorted()).toEqual(["current", "files", "publications"])
      expect(lstatSync(join(root, "current")).isSymbolicLink()).toBe(true)
      expect(yield* verify(dataDir)).toEqual([])
    }),
  )

  it.live("makes files again that are gone or cut short", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* asRun(dataDir, Effect.andThen(commit(readingsBatch(twoMonths(1))), publishAll))
      const folder = join(dataDir, "parquet/files/core/readings")
      const [january = "", february = ""] = readdirSync(folder).toSorted()
      rmSync(join(folder, january))
      writeFileSync(join(folder, february), "PAR1")
      expect((yield* verify(dataDir)).map(({ kind }) => kind).toSorted()).toEqual([
        "missing",
        "size",
      ])
      yield* asRun(dataDir, publishAll)
      expect(yield* verify(dataDir)).toEqual([])
    }),
  )
})
