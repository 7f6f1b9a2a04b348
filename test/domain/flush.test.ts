// Folders that a command needs: made with their parents, for their owner alone, and an error where they can't be.
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeFolder } from "../../src/domain/flush.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const modeOf = (folder: string) => (statSync(folder).mode & 0o777).toString(8)

it.live("makes a folder and its parents, also several times at once", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const wanted = join(folder, "a/b/c")
    yield* Effect.promise(() => Promise.all(Array.from({ length: 8 }, () => makeFolder(wanted))))
    expect(["a", "a/b", "a/b/c"].map((each) => modeOf(join(folder, each)))).toEqual([
      "700",
      "700",
      "700",
    ])
  }),
)

it.live("is an error where a file is in the way, and where nothing can be made", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeFileSync(join(folder, "file"), "")
    const failed = (path: string) =>
      Effect.promise(() => makeFolder(path).then(() => undefined, String))
    expect(yield* failed(join(folder, "file"))).toContain(`${join(folder, "file")} is not a folder`)
    expect(yield* failed(join(folder, "file/below"))).toContain(
      `${join(folder, "file")} is not a folder`,
    )
    const [link, disk] = [join(folder, "link"), join(folder, "disk")]
    symlinkSync("disk", link)
    for (const wanted of [link, join(link, "below")]) {
      expect(yield* failed(wanted)).toContain(
        `there is link, a link to ${disk}, which is not there`,
      )
    }
    mkdirSync(disk)
    expect(yield* failed(join(link, "below"))).toBeUndefined()
    expect(yield* failed("/proc/vaulthouse/below")).toContain("ENOENT")
  }),
)
