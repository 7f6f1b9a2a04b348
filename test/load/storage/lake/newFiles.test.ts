// Files of a lake in a folder, which DuckLake removes where COMMIT fails, although PostgreSQL may have committed them.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { newFilesIn } from "../../../../src/load/storage/lake/newFiles.ts"
import { FlushedDisk } from "../../../support/disk/flushedDisk.ts"
import { withoutLinks } from "../../../support/disk/withoutLinks.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

const schemas = new Set(["core", "ops"])
const ONE = "core/readings/ducklake-one.parquet"
const TWO = "ops/tasks/ducklake-two-delete.parquet"

const lakeFolder = Effect.map(temporaryFolder, (folder) => {
  const write = (path: string, content = path): void => {
    mkdirSync(join(folder, path, ".."), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return {
    folder,
    write,
    remove: (path: string) => rmSync(join(folder, path)),
    contentOf: (path: string) =>
      existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : undefined,
    kept: () =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".kept"))
        .toSorted(),
    open: Effect.promise(() => newFilesIn(folder, schemas)),
  }
})

it.live("a file that is gone after the transaction gets its name back", () =>
  Effect.gen(function* () {
    const { folder, write, remove, contentOf, kept, open } = yield* lakeFolder
    write("core/readings/ducklake-before.parquet")
    const disk = yield* FlushedDisk.watched
    const files = yield* open
    yield* Effect.promise(() => files.begin(false))
    write(ONE)
    write(TWO)
    yield* Effect.promise(() => files.keep())
    // Whatever happens to the first names, a power cut leaves the second.
    expect(kept()).toHaveLength(2)
    const left = [ONE, TWO, ...kept()]
    expect(left.map((path) => disk.left(folder, path)?.toString())).toEqual([ONE, TWO, ONE, TWO])
    remove(ONE)
    yield* Effect.promise(() => files.release())
    expect([contentOf(ONE), contentOf(TWO), kept()]).toEqual([ONE, TWO, []])
    expect(disk.left(folder, ONE)?.toString()).toBe(ONE)

    // One that is removed later, as by the maintenance, stays so.
    remove(ONE)
    yield* Effect.promise(async () => {
      await files.begin(true)
      await files.keep()
      await files.release()
    })
    expect([contentOf(ONE), kept()]).toEqual([undefined, []])
  }).pipe(Effect.scoped),
)

it.live("what a killed process has left is restored by the next one, and by one that writes", () =>
  Effect.gen(function* () {
    const { write, remove, contentOf, open } = yield* lakeFolder
    const writer = yield* open
    const killed = yield* open
    write(ONE)
    write(TWO)
    yield* Effect.promise(() => killed.keep())
    remove(ONE)
    // Nobody else has written: the killed process's transaction can't have been committed.
    yield* Effect.promise(() => writer.begin(false))
    expect(contentOf(ONE)).toBe(undefined)
    yield* Effect.promise(() => writer.begin(true))
    expect([contentOf(ONE), contentOf(TWO)]).toEqual([ONE, TWO])
    remove(TWO)
    yield* open
    expect([contentOf(ONE), contentOf(TWO)]).toEqual([ONE, TWO])
  }).pipe(Effect.scoped),
)

it.live("a process that takes a file of another for its own releases none of the other's", () =>
  Effect.gen(function* () {
    const { write, remove, contentOf, kept, open } = yield* lakeFolder
    const slow = yield* open
    const other = yield* open
    write(ONE)
    yield* Effect.promise(() => slow.keep())
    yield* Effect.promise(async () => {
      await other.begin(false)
      await other.keep()
      await other.release()
    })
    remove(ONE)
    yield* Effect.promise(() => slow.release())
    expect([contentOf(ONE), kept()]).toEqual([ONE, []])
  }).pipe(Effect.scoped),
)

it.live("other files and folders in those of tables are left alone", () =>
  Effect.gen(function* () {
    const { write, kept, open } = yield* lakeFolder
    const files = yield* open
    write("core/readings/.snapshot/ducklake-one.parquet")
    write("core/readings/..%2Fducklake-one.parquet.kept")
    write("core/readings/notes.parquet")
    const before = kept()
    yield* Effect.promise(() => files.keep())
    yield* open
    expect(kept()).toEqual(before)
  }).pipe(Effect.scoped),
)

it.live("files of a process that may be alive stay kept, for a month", () =>
  Effect.gen(function* () {
    const { folder, write, remove, contentOf, kept, open } = yield* lakeFolder
    const slow = yield* open
    write(ONE)
    yield* Effect.promise(() => slow.keep())
    yield* open
    // DuckLake learns only now that COMMIT has failed; another process restores what it removes.
    remove(ONE)
    yield* open
    expect(contentOf(ONE)).toBe(ONE)
    remove(ONE)
    yield* Effect.promise(() => slow.release())
    expect([contentOf(ONE), kept()]).toEqual([ONE, []])

    write(TWO)
    yield* Effect.promise(() => slow.keep())
    const [name = ""] = kept()
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
    utimesSync(join(folder, name), daysAgo(29), daysAgo(29))
    yield* open
    expect(kept()).toEqual([name])
    utimesSync(join(folder, name), daysAgo(31), daysAgo(31))
    yield* open
    expect([contentOf(TWO), kept()]).toEqual([TWO, []])
  }).pipe(Effect.scoped),
)

it.live("a folder without hard links has copies", () =>
  Effect.gen(function* () {
    const { folder, write, remove, contentOf, kept, open } = yield* lakeFolder
    const disk = yield* FlushedDisk.watched
    yield* withoutLinks("link", "EPERM")
    const files = yield* open
    write(ONE)
    yield* Effect.promise(() => files.keep())
    expect([ONE, ...kept()].map((path) => disk.left(folder, path)?.toString())).toEqual([ONE, ONE])
    remove(ONE)
    yield* Effect.promise(() => files.release())
    expect([contentOf(ONE), kept()]).toEqual([ONE, []])
  }).pipe(Effect.scoped),
)
