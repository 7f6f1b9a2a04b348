// Files that are whole or not there at all, and on the disk once they are.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createDurably, replaceDurably, writeDurably } from "../../src/domain/durableFiles.ts"
import { FlushedDisk } from "../support/disk/flushedDisk.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { withoutLinks } from "../support/disk/withoutLinks.ts"

it.live("a file that is written durably is on the disk, in a folder that is", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const disk = yield* FlushedDisk.watched
    for (const content of ["one", "another"]) {
      yield* Effect.promise(() => writeDurably(join(folder, "made/here/file"), content))
      expect(disk.left(folder, "made/here/file")?.toString()).toBe(content)
    }
  }),
)

it.live(
  "one that several processes replace is on the disk, and none writes what another does",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const disk = yield* FlushedDisk.watched
      writeFileSync(join(folder, "file.tmp"), "of another")
      yield* Effect.promise(() => replaceDurably(join(folder, "file"), "whole", 0o604))
      expect(disk.left(folder, "file")?.toString()).toBe("whole")
      expect(statSync(join(folder, "file")).mode & 0o777).toBe(0o604)
      expect(readdirSync(folder).toSorted()).toEqual(["file", "file.tmp"])
      expect(readFileSync(join(folder, "file.tmp"), "utf8")).toBe("of another")
    }),
)

describe.each([
  ["", Effect.void],
  [", also without links", withoutLinks("link", "EPERM")],
] as const)("a file that is created durably%s", (_, fileSystem) => {
  it.live("is on the disk, its owner's, and replaces none", () =>
    Effect.gen(function* () {
      yield* fileSystem
      const folder = yield* temporaryFolder
      const disk = yield* FlushedDisk.watched
      const file = join(folder, "file")
      const create = (content: string) =>
        Effect.promise(() => createDurably(file, content).then(() => undefined, String))
      expect(yield* create("one")).toBeUndefined()
      expect(disk.left(folder, "file")?.toString()).toBe("one")
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(yield* create("another")).toContain("EEXIST")
      expect(readFileSync(file, "utf8")).toBe("one")
      expect(readdirSync(folder)).toEqual(["file"])
    }).pipe(Effect.scoped),
  )
})

it.live("a file in a folder that does not exist is not created, nor is the folder", () =>
  Effect.gen(function* () {
    const folder = join(yield* temporaryFolder, "none")
    const failed = Effect.promise(() => createDurably(join(folder, "file"), "").catch(String))
    expect(yield* failed).toContain("ENOENT")
    expect(existsSync(folder)).toBe(false)
  }),
)
